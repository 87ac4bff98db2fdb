import type { IncomingMessage } from 'node:http'
import { RestError, type Awaitable, type Body, type Limits } from '../../../kernel/index.ts'
import { FIELD_WEIGHT, VALUE_WEIGHT } from './body-budget.ts'
import { countFields, parseForm } from './form.ts'
import type { IncomingBody } from './incoming-body.ts'
import { countValues, parseJson } from './json-body.ts'
import { readMultipart } from './multipart.ts'
import { Spool } from './spool.ts'
import { errors } from './errors.ts'

/** The parsed body of a request, or its raw bytes with the reason why it cannot be parsed. */
export interface ReadBody extends Body {
  /** Why the body cannot be parsed. Reported after the route has been found. */
  error?: RestError
}

/** Content encodings that are refused: the decoded size is unknown in advance. */
const COMPRESSED = /^(?:x-)?(?:gzip|compress|deflate|br|zstd)\b/i

/** JSON media types, also with a suffix: `application/geo+json`, `application/json+oembed`. */
const JSON_TYPE = /^application\/(?:[\w!#$&^.+-]+\+)?json(?:\+\w+)?$/

/** A body that is received but not yet parsed. */
interface ReceivedBody {
  /** Parses the body once the budget has room for its values. */
  readonly parse: () => Awaitable<ReadBody>
  readonly release?: () => Promise<void>
}

/**
 * Reads a body within the limits and parses it by its content type: JSON, form or multipart. Other types stay raw
 * bytes. Parsed values are held in memory and parsing blocks other requests, so the limit for text is lower than the
 * one for files, and parsing waits for the request's turn because values take many times the memory of their text.
 * @param turn resolves when the request can start
 * @throws rest_body_too_large, rest_unsupported_encoding, rest_too_many_bodies, rest_request_timeout
 */
export async function readBody(
  incoming: IncomingMessage,
  config: Limits,
  source: IncomingBody,
  turn: () => Promise<void>,
): Promise<ReadBody> {
  const limits = { ...config, text: Math.min(config.text, config.bodyLimit) }
  const encoding = incoming.headers['content-encoding']?.trim() ?? ''
  if (COMPRESSED.test(encoding)) throw errors.rest_unsupported_encoding(encoding)
  let received: ReceivedBody | null = null
  try {
    received = await receiveBody(incoming, limits, source)
    await turn()
    const body = await received.parse()
    const release = received.release
    const releaseAll = async () => {
      source.release()
      await release?.()
    }
    return { ...body, release: releaseAll }
  } catch (error) {
    source.release()
    await received?.release?.()
    throw error
  }
}

async function receiveBody(incoming: IncomingMessage, limits: Limits, source: IncomingBody): Promise<ReceivedBody> {
  const type = (incoming.headers['content-type'] ?? '').trim()
  const essence = type.split(';', 1)[0]!.trim().toLowerCase()
  const isJson = JSON_TYPE.test(essence)
  if (isJson || essence === 'application/x-www-form-urlencoded') {
    const bytes = await readBytes(source, limits.text)
    const raw = { size: bytes.length, read: async () => bytes }
    const parse = async (): Promise<ReadBody> => {
      if (bytes.length === 0) return {}
      try {
        const weight = isJson ? VALUE_WEIGHT * countValues(bytes, limits.depth) : FIELD_WEIGHT * countFields(bytes)
        // A character of a string takes up to two bytes.
        await source.reserve(2 * bytes.length + weight)
        return isJson ? { json: parseJson(bytes), raw } : { form: parseForm(bytes), raw }
      } catch (error) {
        return { error: asUnreadable(error), raw }
      }
    }
    return { parse }
  }
  if (essence === 'multipart/form-data') return receiveMultipart(type, limits, source)
  const spool = new Spool(source.inMemory)
  const release = () => spool.close()
  try {
    for await (const piece of source.pieces(limits.bodyLimit)) await spool.write(piece)
  } catch (error) {
    await release()
    throw error
  }
  return { parse: () => (spool.size === 0 ? {} : { raw: spool }), release }
}

async function receiveMultipart(type: string, limits: Limits, source: IncomingBody): Promise<ReceivedBody> {
  try {
    const form = await readMultipart(type, limits, source)
    return form === null ? { parse: () => ({}) } : { parse: () => form.body(), release: () => form.release() }
  } catch (error) {
    const unreadable = { error: asUnreadable(error) }
    return { parse: () => unreadable }
  }
}

/** Returns a client error of the body, which is reported once the route is found. @throws any other error */
function asUnreadable(error: unknown): RestError {
  if (error instanceof RestError && error.status === 400) return error
  throw error
}

async function readBytes(source: IncomingBody, limit: number): Promise<Buffer> {
  const read: Buffer[] = []
  for await (const piece of source.pieces(limit)) read.push(piece)
  return read.length === 1 ? read[0]! : Buffer.concat(read)
}

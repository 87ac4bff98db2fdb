import type { IncomingMessage } from 'node:http'
import { RestError, type Awaitable, type Body, type Limits } from '../../../kernel/index.ts'
import { FIELD_WEIGHT, VALUE_WEIGHT } from './body-budget.ts'
import { countFields, parseForm } from './form.ts'
import type { IncomingBody } from './incoming-body.ts'
import { countValues, parseJson } from './json-body.ts'
import { readMultipart } from './multipart.ts'
import { Spool } from './spool.ts'
import { errors } from './errors.ts'

/** A request's body, as far as it could be parsed. */
export interface ReadBody extends Body {
  /** Why it could not be parsed; the request's route is found first. */
  error?: RestError
}

/** Content encodings that would have to be decoded, to an unknown size. */
const COMPRESSED = /^(?:x-)?(?:gzip|compress|deflate|br|zstd)\b/i

/** JSON, whatever is written in it: `application/geo+json`, `application/json+oembed`. */
const JSON_TYPE = /^application\/(?:[\w!#$&^.+-]+\+)?json(?:\+\w+)?$/

/** A body that is received, but not parsed. */
interface Taken {
  /** Parses it, once there is room for that. */
  readonly parse: () => Awaitable<ReadBody>
  readonly release?: () => Promise<void>
}

/**
 * Reads a body within the limits and parses it by its content type: JSON, form, multipart; others are kept as bytes.
 * What is parsed is held in memory and keeps others waiting, so there may be less of it than of files; and nothing is
 * parsed before its turn, because it grows many times as large.
 * @param turn resolves once it is its turn
 * @throws rest_body_too_large, rest_unsupported_encoding, rest_too_many_bodies, rest_request_timeout
 */
export async function readBody(
  incoming: IncomingMessage,
  config: Limits,
  source: IncomingBody,
  turn: () => Promise<void>,
): Promise<ReadBody> {
  const limits = { ...config, text: Math.min(config.text, config.bodyLimit) }
  const coding = incoming.headers['content-encoding']?.trim() ?? ''
  if (COMPRESSED.test(coding)) throw errors.rest_unsupported_encoding(coding)
  let taken: Taken | null = null
  try {
    taken = await takeIn(incoming, limits, source)
    await turn()
    const body = await taken.parse()
    const release = taken.release
    const forget = async () => {
      source.release()
      await release?.()
    }
    return { ...body, release: forget }
  } catch (error) {
    source.release()
    await taken?.release?.()
    throw error
  }
}

async function takeIn(incoming: IncomingMessage, limits: Limits, source: IncomingBody): Promise<Taken> {
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
        // A character takes up to two bytes.
        await source.reserve(2 * bytes.length + weight)
        return isJson ? { json: parseJson(bytes), raw } : { form: parseForm(bytes), raw }
      } catch (error) {
        return { error: asUnreadable(error), raw }
      }
    }
    return { parse }
  }
  if (essence === 'multipart/form-data') return takeMultipart(type, limits, source)
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

async function takeMultipart(type: string, limits: Limits, source: IncomingBody): Promise<Taken> {
  try {
    const form = await readMultipart(type, limits, source)
    return form === null ? { parse: () => ({}) } : { parse: () => form.body(), release: () => form.release() }
  } catch (error) {
    const unreadable = { error: asUnreadable(error) }
    return { parse: () => unreadable }
  }
}

/** Why a body cannot be read, which is reported once its route is found. @throws any other error */
function asUnreadable(error: unknown): RestError {
  if (error instanceof RestError && error.status === 400) return error
  throw error
}

async function readBytes(source: IncomingBody, limit: number): Promise<Buffer> {
  const read: Buffer[] = []
  for await (const piece of source.pieces(limit)) read.push(piece)
  return read.length === 1 ? read[0]! : Buffer.concat(read)
}

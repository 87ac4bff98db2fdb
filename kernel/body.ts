import type { IncomingMessage } from 'node:http'
import { Busboy } from '@fastify/busboy'
import sjson from 'secure-json-parse'
import type { Limits } from './config.ts'
import { errors, RestError } from './errors.ts'
import { parseQuery, type Params } from './query.ts'
import { Spool, type Received } from './received.ts'
import type { UploadedFile } from './request.ts'

/** A request's body, read and parsed. */
export interface Body {
  json?: unknown
  form?: Params
  files?: UploadedFile[]
  /** As it came, but for a multipart form. */
  raw?: Received
  /** Why it could not be parsed; the request's route is found first. */
  error?: RestError
  /** Forgets files and other bytes, once the request is answered. */
  release?: () => Promise<void>
}

/** More values than any client sends at once: reading millions of them would keep everybody else waiting. */
const MOST_VALUES = 100_000

/** Whether a request announces a body. */
export function hasBody(incoming: IncomingMessage): boolean {
  const length = incoming.headers['content-length']
  return incoming.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

/**
 * Reads a body within the limits and parses it by its content type: JSON, form, multipart; others are kept as bytes.
 * What is parsed is held in memory and keeps others waiting, so there may be less of it than of files.
 * @throws rest_body_too_large
 */
export async function readBody(incoming: IncomingMessage, config: Limits): Promise<Body> {
  const limits = { ...config, text: Math.min(config.text, config.body) }
  const type = (incoming.headers['content-type'] ?? '').trim()
  const essence = type.split(';', 1)[0]!.trim().toLowerCase()
  const isJson = essence === 'application/json' || /^application\/[\w.-]+\+json$/.test(essence)
  if (isJson || essence === 'application/x-www-form-urlencoded') {
    const bytes = await readBytes(incoming, limits.text)
    if (bytes.length === 0) return {}
    const body = isJson ? parseJson(bytes, limits.depth) : { form: parseQuery(bytes.toString('utf8')) }
    return { ...body, raw: { size: bytes.length, read: async () => bytes } }
  }
  if (essence === 'multipart/form-data') return readMultipart(incoming, type, limits)
  const spool = new Spool()
  try {
    for await (const piece of pieces(incoming, limits.body)) await spool.write(piece)
  } catch (error) {
    await spool.close()
    throw error
  }
  return spool.size === 0 ? {} : { raw: spool, release: () => spool.close() }
}

/** @throws rest_body_too_large as soon as that is known */
async function* pieces(incoming: IncomingMessage, limit: number): AsyncGenerator<Buffer> {
  if (Number(incoming.headers['content-length'] ?? 0) > limit) throw errors.rest_body_too_large(limit)
  let size = 0
  for await (const piece of incoming as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > limit) throw errors.rest_body_too_large(limit)
    yield piece
  }
}

async function readBytes(incoming: IncomingMessage, limit: number): Promise<Buffer> {
  const read: Buffer[] = []
  for await (const piece of pieces(incoming, limit)) read.push(piece)
  return read.length === 1 ? read[0]! : Buffer.concat(read)
}

function parseJson(bytes: Buffer, depth: number): Body {
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '')
  if (text.trim() === '') return {}
  const excess = excessOf(text, depth)
  if (excess !== null) return { error: excess }
  try {
    // Keys that reach a prototype are dropped.
    return { json: sjson.parse(text, undefined, { protoAction: 'remove', constructorAction: 'remove' }) }
  } catch (cause) {
    const data = { json_error_code: 4, json_error_message: 'Syntax error' }
    return { error: errors.rest_invalid_json({ cause, data }) }
  }
}

/** Why JSON text is more than can be parsed in good time: it nests too deep, or holds too many values. One pass tells. */
function excessOf(text: string, limit: number): RestError | null {
  let depth = 0
  let values = 0
  let inString = false
  for (let at = 0; at < text.length; at += 1) {
    const mark = text.charCodeAt(at)
    if (inString) {
      if (mark === 92) at += 1
      else if (mark === 34) inString = false
    } else if (mark === 34) inString = true
    else if (mark === 44) {
      values += 1
      if (values >= MOST_VALUES) return errors.rest_invalid_body(`it holds more than ${MOST_VALUES} values`)
    } else if (mark === 123 || mark === 91) {
      depth += 1
      if (depth > limit) return errors.rest_body_too_deep(limit)
    } else if (mark === 125 || mark === 93) depth -= 1
  }
  return null
}

/** A multipart form: its fields in memory, within the limit of what is parsed; its files beside. */
async function readMultipart(incoming: IncomingMessage, type: string, limits: Limits): Promise<Body> {
  const pairs: string[] = []
  const files: (Pick<UploadedFile, 'name' | 'filename' | 'type'> & { spool: Spool })[] = []
  const release = async () => void (await Promise.all(files.map(({ spool }) => spool.close())))
  const writing: Promise<void>[] = []
  let size = 0
  let isEmpty = true
  const bad = new AbortController()
  const refuse = (why: RestError) => bad.abort(why)
  const fail = (cause: Error) => refuse(errors.rest_invalid_body(cause.message, { cause }))
  try {
    const parser = parserOf(type, limits.text)
    const done = new Promise((resolve) => {
      parser.once('finish', resolve)
      parser.on('error', fail)
      bad.signal.addEventListener('abort', resolve)
    })
    parser.on('field', (name, value, nameCut, valueCut) => {
      size += name.length + Buffer.byteLength(value)
      if (nameCut || valueCut || size > limits.text) refuse(errors.rest_body_too_large(limits.text))
      else pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    })
    parser.on('file', (name, stream, filename, _encoding, mime) => {
      const spool = new Spool()
      files.push({ name, filename, type: mime, spool })
      stream.on('data', (piece: Buffer) => void writing.push(spool.write(piece)))
      stream.on('error', fail)
    })
    for (const limit of ['partsLimit', 'fieldsLimit', 'filesLimit'] as const)
      parser.on(limit, () => refuse(errors.rest_invalid_body('it has too many parts')))
    for await (const piece of pieces(incoming, limits.body)) {
      isEmpty = false
      // What is refused is read to its end all the same: a client hears why once it has sent all of it.
      if (bad.signal.aborted) continue
      await Promise.race([new Promise((taken) => parser.write(piece, taken)), done])
      await Promise.all(writing.splice(0))
    }
    if (isEmpty) return {}
    if (!bad.signal.aborted) parser.end()
    await done
    await Promise.all(writing)
    bad.signal.throwIfAborted()
  } catch (error) {
    await release()
    if (error instanceof RestError && error.code === 'rest_invalid_body') return { error }
    throw error
  }
  const found = files.map(({ spool, ...file }) => ({ ...file, size: spool.size, read: () => spool.read() }))
  return { form: parseQuery(pairs.join('&')), files: found, release }
}

/** @throws rest_invalid_body where the type tells no boundary */
function parserOf(type: string, fieldSize: number): InstanceType<typeof Busboy> {
  try {
    return new Busboy({
      headers: { 'content-type': type },
      limits: { fieldSize, fields: 1000, files: 100, parts: 1100 },
    })
  } catch (cause) {
    throw errors.rest_invalid_body((cause as Error).message, { cause })
  }
}

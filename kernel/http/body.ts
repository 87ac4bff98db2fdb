import type { IncomingMessage } from 'node:http'
import { Busboy } from '@fastify/busboy'
import sjson from 'secure-json-parse'
import { FIELD_WEIGHT, VALUE_WEIGHT } from './body-budget.ts'
import { cleanJson, cleanName, cleanText } from '../text/clean-text.ts'
import type { Limits } from '../config.ts'
import { errors, RestError } from '../errors.ts'
import { guarded } from './guarded.ts'
import type { Intake } from './intake.ts'
import type { Awaitable } from '../awaitable.ts'
import { countFields, paramsOf, parseForm, type Pair } from './query-string.ts'
import { Spool } from './spool.ts'
import type { RequestBody, UploadedFile } from '../rest/request.ts'

/** A request's body, read and parsed. */
export interface Body extends RequestBody {
  /** Why it could not be parsed; the request's route is found first. */
  error?: RestError
  /** Forgets files and other bytes, once the request is answered. */
  release?: () => Promise<void>
}

/** More values and names than any client sends at once: reading millions of them would keep everybody else waiting. */
const MOST_VALUES = 50_000
/** What bodies are packed in that would have to be unpacked, to a size that nobody knows. */
const PACKED = /^(?:x-)?(?:gzip|compress|deflate|br|zstd)\b/i

/** Whether a request announces a body. */
export function hasBody(incoming: IncomingMessage): boolean {
  const length = incoming.headers['content-length']
  return incoming.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

/** A body that has come in. */
interface Taken {
  /** Parses it, once there is room for that. */
  readonly parse: () => Awaitable<Body>
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
  intake: Intake,
  turn: () => Promise<void>,
): Promise<Body> {
  const limits = { ...config, text: Math.min(config.text, config.body) }
  const coding = incoming.headers['content-encoding']?.trim() ?? ''
  if (PACKED.test(coding)) throw errors.rest_unsupported_encoding(coding)
  let taken: Taken | null = null
  try {
    taken = await takeIn(incoming, limits, intake)
    await turn()
    const body = await taken.parse()
    const release = taken.release
    const forget = async () => {
      intake.release()
      await release?.()
    }
    return { ...body, release: forget }
  } catch (error) {
    intake.release()
    await taken?.release?.()
    throw error
  }
}

async function takeIn(incoming: IncomingMessage, limits: Limits, intake: Intake): Promise<Taken> {
  const type = (incoming.headers['content-type'] ?? '').trim()
  const essence = type.split(';', 1)[0]!.trim().toLowerCase()
  const isJson = essence === 'application/json' || /^application\/[\w.-]+\+json$/.test(essence)
  if (isJson || essence === 'application/x-www-form-urlencoded') {
    const bytes = await readBytes(intake, limits.text)
    const raw = { size: bytes.length, read: async () => bytes }
    const parse = async (): Promise<Body> => {
      if (bytes.length === 0) return {}
      try {
        const weight = isJson ? VALUE_WEIGHT * countValues(bytes, limits.depth) : FIELD_WEIGHT * countFields(bytes)
        // A character takes up to two bytes.
        await intake.weigh(2 * bytes.length + weight)
        return { ...(isJson ? parseJson(bytes) : { form: parseForm(bytes) }), raw }
      } catch (error) {
        return { error: asUnreadable(error), raw }
      }
    }
    return { parse }
  }
  if (essence === 'multipart/form-data') return takeMultipart(type, limits, intake)
  const spool = new Spool(intake.inMemory)
  const release = () => spool.close()
  try {
    for await (const piece of intake.pieces(limits.body)) await spool.write(piece)
  } catch (error) {
    await release()
    throw error
  }
  return { parse: () => (spool.size === 0 ? {} : { raw: spool }), release }
}

/** Why a body cannot be read, which is told once its route is found. @throws what is no reason of the body's */
function asUnreadable(error: unknown): RestError {
  if (error instanceof RestError && error.status === 400) return error
  throw error
}

async function readBytes(intake: Intake, limit: number): Promise<Buffer> {
  const read: Buffer[] = []
  for await (const piece of intake.pieces(limit)) read.push(piece)
  return read.length === 1 ? read[0]! : Buffer.concat(read)
}

/** What JSON writes that may stand for half a surrogate pair or a control character; few texts hold any. */
const SUSPECT = /\\(?:[bf]|u(?:00[0189]|007f|d[89a-f]))|[\x7f-\x9f]/i

/** @throws rest_invalid_json */
function parseJson(bytes: Buffer): Body {
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '')
  if (text.trim() === '') return {}
  try {
    // Keys that reach a prototype are dropped.
    const json: unknown = sjson.parse(text, undefined, { protoAction: 'remove', constructorAction: 'remove' })
    return { json: SUSPECT.test(text) ? cleanJson(json) : json }
  } catch (cause) {
    const data = { json_error_code: 4, json_error_message: 'Syntax error' }
    throw errors.rest_invalid_json({ cause, data })
  }
}

/**
 * How many values and names JSON holds, by the signs that it writes them with: also lists of nothing take room and time.
 * @throws rest_body_too_deep, rest_invalid_body: it is more than can be parsed in good time
 */
function countValues(json: Buffer, most: number): number {
  let depth = 0
  let values = 0
  let inString = false
  for (let at = 0; at < json.length; at += 1) {
    const mark = json[at]
    if (inString) {
      if (mark === 92) at += 1
      else if (mark === 34) inString = false
    } else if (mark === 34) inString = true
    else if (mark === 44 || mark === 58 || mark === 123 || mark === 91) {
      values += 1
      if (values > MOST_VALUES) throw errors.rest_invalid_body(`it holds more than ${MOST_VALUES} values and names`)
      if (mark < 91) continue
      depth += 1
      if (depth > most) throw errors.rest_body_too_deep(most)
    } else if (mark === 125 || mark === 93) depth -= 1
  }
  return values
}

/** A multipart form: its fields in memory, within the limit of what is parsed; its files beside. */
async function takeMultipart(type: string, limits: Limits, intake: Intake): Promise<Taken> {
  const parts = new Parts(limits, intake)
  try {
    const parser = parserOf(type, limits.text)
    const done = parts.listenTo(parser)
    let isEmpty = true
    for await (const piece of intake.pieces(limits.body)) {
      isEmpty = false
      // What is refused is read to its end all the same: a client hears why once it has sent all of it.
      if (parts.refused.aborted) continue
      await Promise.race([new Promise((taken) => parser.write(piece, taken)), done])
      await parts.written()
    }
    if (isEmpty) return { parse: () => ({}) }
    if (!parts.refused.aborted) parser.end()
    await done
    await parts.written()
    parts.refused.throwIfAborted()
  } catch (error) {
    await parts.release()
    const unreadable = { error: asUnreadable(error) }
    return { parse: () => unreadable }
  }
  return { parse: () => parts.body(), release: () => parts.release() }
}

type Parser = InstanceType<typeof Busboy>

/** The parts of a multipart form, as its parser finds them. */
class Parts {
  readonly #limits: Limits
  readonly #intake: Intake
  readonly #bad = new AbortController()
  readonly #pairs: Pair[] = []
  readonly #files: (Pick<UploadedFile, 'name' | 'filename' | 'type'> & { spool: Spool })[] = []
  #writing: Promise<void>[] = []
  #size = 0
  /** What fields take, of which the budget does not know yet. */
  #weight = 0

  constructor(limits: Limits, intake: Intake) {
    this.#limits = limits
    this.#intake = intake
  }

  /** Aborted once the form is refused, with the reason. */
  get refused(): AbortSignal {
    return this.#bad.signal
  }

  /** Takes in what the parser finds. Resolves once it is through, or the form is refused. */
  listenTo(parser: Parser): Promise<unknown> {
    const fail = (cause: Error) => {
      this.#refuse(cause instanceof RestError ? cause : errors.rest_invalid_body(cause.message, { cause }))
    }
    const done = new Promise((resolve) => {
      parser.once('finish', resolve)
      this.refused.addEventListener('abort', resolve)
    })
    parser.on('error', fail)
    parser.on(
      'field',
      guarded(fail, (name, value, nameCut, valueCut) => this.#field(name, value, nameCut || valueCut)),
    )
    parser.on(
      'file',
      guarded(fail, (name, stream, filename, _encoding, mime) => {
        stream.on('error', fail)
        const spool = this.#file(name, filename, mime)
        stream.on(
          'data',
          guarded(fail, (piece: Buffer) => this.#write(spool, piece)),
        )
      }),
    )
    for (const limit of ['partsLimit', 'fieldsLimit', 'filesLimit'] as const)
      parser.on(limit, () => fail(errors.rest_invalid_body('it has too many parts')))
    return done
  }

  /** Resolves once there is room for more. @throws rest_too_many_bodies */
  async written(): Promise<void> {
    await Promise.all(this.#writing.splice(0))
    const weight = this.#weight
    this.#weight = 0
    await this.#intake.weigh(weight)
  }

  body(): Body {
    const files = this.#files.map(({ spool, ...file }) => ({ ...file, size: spool.size, read: () => spool.read() }))
    return { form: paramsOf(this.#pairs), files }
  }

  async release(): Promise<void> {
    await Promise.all(this.#files.map(({ spool }) => spool.close()))
  }

  #write(spool: Spool, piece: Buffer): void {
    const writing = spool.write(piece)
    // What fails is told by `written`.
    writing.catch(() => {})
    this.#writing.push(writing)
  }

  #refuse(why: RestError): void {
    this.#bad.abort(why)
  }

  #field(name: unknown, value: string, isCut: boolean): void {
    const clean = nameOf(name)
    this.#size += clean.length + Buffer.byteLength(value)
    this.#weight += value.length + FIELD_WEIGHT
    if (isCut || this.#size > this.#limits.text) this.#refuse(errors.rest_body_too_large(this.#limits.text))
    else this.#pairs.push([clean, cleanText(value)])
  }

  #file(name: unknown, filename: string | undefined, type: string): Spool {
    const spool = new Spool(this.#intake.inMemory)
    this.#files.push({ name: nameOf(name), filename: cleanText(filename ?? ''), type: cleanText(type), spool })
    return spool
  }
}

/** @throws rest_invalid_body where a part does not say what it is called */
function nameOf(name: unknown): string {
  if (typeof name !== 'string') throw errors.rest_invalid_body('a part has no name')
  return cleanName(name)
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

import { createRequire } from 'node:module'
import type * as Multipart from '@fastify/busboy'
import {
  cleanName,
  cleanText,
  guarded,
  paramsOf,
  RestError,
  type Limits,
  type Pair,
  type RequestBody,
  type UploadedFile,
} from '../../../kernel/index.ts'
import { FIELD_WEIGHT } from './body-budget.ts'
import type { IncomingBody } from './incoming-body.ts'
import { Spool } from './spool.ts'
import { errors } from './errors.ts'

const require = createRequire(import.meta.url)

/**
 * Receives a multipart form: fields in memory, within the limit for text, and files in spools. Returns null for an
 * empty body.
 * @throws RestError why the form is refused
 */
export async function readMultipart(type: string, limits: Limits, source: IncomingBody): Promise<Parts | null> {
  const parts = new Parts(limits, source)
  try {
    const parser = parserOf(type, limits.text)
    const done = parts.listenTo(parser)
    let isEmpty = true
    for await (const piece of source.pieces(limits.bodyLimit)) {
      isEmpty = false
      // A refused form is still read to its end: clients read the response only after they have sent everything.
      if (parts.refused.aborted) continue
      parts.receive(piece)
      await Promise.race([new Promise((written) => parser.write(piece, written)), done])
      await parts.written()
    }
    if (isEmpty) return null
    if (!parts.refused.aborted) parser.end()
    await done
    await parts.written()
    parts.refused.throwIfAborted()
    return parts
  } catch (error) {
    await parts.release()
    throw error
  }
}

/** A file that can be read in pieces. */
interface PiecewiseFile extends UploadedFile {
  pieces(): AsyncIterable<Buffer>
}

/** Returns the bytes of a sent file in pieces, so that a large file is not read into memory. */
export async function* piecesOf(file: UploadedFile | PiecewiseFile): AsyncGenerator<Buffer> {
  if ('pieces' in file) yield* file.pieces()
  else yield await file.read()
}

type Parser = InstanceType<typeof Multipart.Busboy>

/** The parts of a multipart form, collected from the events of its parser. */
class Parts {
  readonly #limits: Limits
  readonly #source: IncomingBody
  readonly #bad = new AbortController()
  readonly #pairs: Pair[] = []
  readonly #files: (Pick<UploadedFile, 'name' | 'filename' | 'type'> & { spool: Spool })[] = []
  #writing: Promise<void>[] = []
  #size = 0
  #hasReplacement = false
  /** Last bytes of the piece before. */
  #tail: Buffer = Buffer.alloc(0)
  /** Estimated bytes of fields that are not yet charged to the budget. */
  #weight = 0

  constructor(limits: Limits, source: IncomingBody) {
    this.#limits = limits
    this.#source = source
  }

  /** Notes whether the form contains U+FFFD. The parser also writes it in place of invalid bytes. */
  receive(piece: Buffer): void {
    this.#hasReplacement ||=
      piece.includes(REPLACEMENT) || Buffer.concat([this.#tail, piece.subarray(0, 2)]).includes(REPLACEMENT)
    this.#tail = Buffer.from(Buffer.concat([this.#tail, piece.subarray(-2)]).subarray(-2))
  }

  /** Cleans a text or a name. @throws rest_invalid_utf8 */
  #clean(text: string, clean: (text: string) => string): string {
    const isValid = text.isWellFormed() && (this.#hasReplacement || !text.includes('\uFFFD'))
    if (!isValid) throw errors.rest_invalid_utf8()
    return clean(text)
  }

  /** @throws rest_invalid_body if a part has no name */
  #nameOf(name: unknown): string {
    if (typeof name !== 'string') throw errors.rest_invalid_body('a part has no name')
    return this.#clean(name, cleanName)
  }

  /** Aborted with the reason when the form is refused. */
  get refused(): AbortSignal {
    return this.#bad.signal
  }

  /** Collects the parts that the parser emits. Resolves when the parser has finished or the form is refused. */
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

  /** Waits until the pending writes are done and the budget has room for the fields. @throws rest_too_many_bodies */
  async written(): Promise<void> {
    await Promise.all(this.#writing.splice(0))
    const weight = this.#weight
    this.#weight = 0
    await this.#source.reserve(weight)
  }

  body(): RequestBody {
    const files = this.#files.map(({ spool, ...file }): PiecewiseFile => ({
      ...file,
      size: spool.size,
      read: () => spool.read(),
      pieces: () => spool.pieces(),
    }))
    return { form: paramsOf(this.#pairs), files }
  }

  async release(): Promise<void> {
    await Promise.all(this.#files.map(({ spool }) => spool.close()))
  }

  #write(spool: Spool, piece: Buffer): void {
    const writing = spool.write(piece)
    // `written` reports the failure.
    writing.catch(() => {})
    this.#writing.push(writing)
  }

  #refuse(error: RestError): void {
    this.#bad.abort(error)
  }

  #field(name: unknown, value: string, isCut: boolean): void {
    const clean = this.#nameOf(name)
    this.#size += clean.length + Buffer.byteLength(value)
    this.#weight += value.length + FIELD_WEIGHT
    if (isCut || this.#size > this.#limits.text) this.#refuse(errors.rest_body_too_large(this.#limits.text))
    else this.#pairs.push([clean, this.#clean(value, cleanText)])
  }

  #file(name: unknown, filename: string | undefined, type: string): Spool {
    const [field, file, mime] = [this.#nameOf(name), this.#clean(filename ?? '', cleanText), cleanText(type)]
    const spool = new Spool(this.#source.inMemory)
    this.#files.push({ name: field, filename: file, type: mime, spool })
    return spool
  }
}

/** U+FFFD in UTF-8. */
const REPLACEMENT = Buffer.from('\uFFFD')

/** @throws rest_invalid_body if the type has no boundary */
function parserOf(type: string, fieldSize: number): Parser {
  // Loaded when the first form arrives.
  const { Busboy } = require('@fastify/busboy') as typeof Multipart
  try {
    return new Busboy({
      headers: { 'content-type': type },
      limits: { fieldSize, fields: 1000, files: 100, parts: 1100 },
    })
  } catch (cause) {
    throw errors.rest_invalid_body((cause as Error).message, { cause })
  }
}

import type { Limits } from '../config.ts'
import { errors } from '../errors.ts'
import type { Steps } from '../time-slices.ts'
import { currentWork, type Work } from '../work.ts'

/** Characters of texts that an answer is made of at once; one of more is long. */
export const LONG = 500_000

/**
 * What long answers hold in memory, from when what they are made of has been read until they are sent. There is room for
 * so many characters of one answer, and of all that are under way; short ones always have room.
 */
export class AnswerBudget {
  readonly #longest: number
  readonly #most: number
  #sum = 0

  constructor({ answer, answers }: Pick<Limits, 'answer' | 'answers'>) {
    this.#longest = answer
    this.#most = answers
  }

  /** Whether what is answered now is long. */
  get isLong(): boolean {
    const work = currentWork()?.outermost
    return work !== undefined && work.held > 0
  }

  /**
   * Takes room for characters of what is answered now. The first long answer always has room.
   * @throws rest_unavailable
   */
  take(characters: number): void {
    const work = currentWork()?.outermost
    if (work === undefined || work.held === OVER) return
    work.throwIfAborted()
    if (this.#sum > work.held && this.#sum + characters > this.#most) throw errors.rest_unavailable()
    work.held += characters
    this.#sum += characters
  }

  /** Gives all room of a work back: its answer is sent, or nobody waits for it. */
  give(work: Work): void {
    if (work.held === OVER) return
    this.#sum -= work.held
    work.held = OVER
  }

  /** @throws rest_answer_too_large for an answer of more characters than one may have */
  check(characters: number): void {
    if (characters > this.#longest) throw errors.rest_answer_too_large(this.#longest)
  }
}

/** Held for work that is over. */
const OVER = -1
/** How deep values are looked into. */
const DEEPEST = 8

/** What texts of people are called wherever they may be long. */
interface LongTexts {
  readonly content?: unknown
  readonly excerpt?: unknown
  readonly title?: unknown
  readonly description?: unknown
}

/**
 * How many characters the long texts of items have that were read. It is asked for every list, most of which are short:
 * to look at each value of each item would take as long as to read them.
 */
export function charactersOf(items: readonly unknown[]): number {
  let sum = 0
  for (const item of items as readonly (LongTexts | null)[]) {
    if (item !== null && typeof item === 'object')
      sum += lengthOf(item.content) + lengthOf(item.excerpt) + lengthOf(item.title) + lengthOf(item.description)
  }
  return sum
}

const lengthOf = (text: unknown) => (typeof text === 'string' ? text.length : 0)

/** How many characters of text there are in a value, as far as values of answers are nested. */
export function charactersIn(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null || depth === DEEPEST) return 0
  let sum = 0
  // Rows and answers are plain objects, and there are many of them.
  for (const name in value) sum += charactersIn((value as Record<string, unknown>)[name], depth + 1)
  return sum
}

/** Characters that are made into bytes together. */
const PIECE = 65_536

/**
 * A value as JSON, in steps.
 * @returns the bytes, in pieces
 */
export function* encodeSteps(value: unknown): Steps<Buffer[]> {
  const pieces: Buffer[] = []
  let text = ''
  for (const part of partsOf(value, 0)) {
    text += part
    if (text.length < PIECE) continue
    pieces.push(Buffer.from(text))
    text = ''
    yield
  }
  if (text !== '') pieces.push(Buffer.from(text))
  return pieces
}

/** The text of a value, part by part. */
function* partsOf(value: unknown, depth: number): Generator<string> {
  if (typeof value !== 'object' || value === null || depth === DEEPEST || isWrittenByItself(value)) {
    yield JSON.stringify(value) ?? 'null'
    return
  }
  let mark = ''
  if (Array.isArray(value)) {
    yield '['
    for (const item of value) {
      yield mark
      mark = ','
      yield* partsOf(item, depth + 1)
    }
    yield ']'
    return
  }
  yield '{'
  for (const [name, inner] of Object.entries(value)) {
    if (inner === undefined || typeof inner === 'function' || typeof inner === 'symbol') continue
    yield `${mark}${JSON.stringify(name)}:`
    mark = ','
    yield* partsOf(inner, depth + 1)
  }
  yield '}'
}

function isWrittenByItself(value: object): boolean {
  if ('toJSON' in value) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype !== Object.prototype && prototype !== null && !Array.isArray(value)
}

import {
  BusyError,
  currentWork,
  defineErrors,
  errors,
  type Awaitable,
  type Limits,
  type ResponseBudget,
  type Work,
} from '../../kernel/index.ts'
import { inSlices } from '../library/long-work/index.ts'
import { encodeSteps, MAX_VALUE_DEPTH } from './encode-steps.ts'

const ownErrors = defineErrors({
  rest_answer_too_large: [
    400,
    (limit: number) =>
      `The response would be longer than the ${limit} characters allowed here: ask for fewer items with per_page, or for fewer fields with _fields.`,
  ],
})

/** Characters of text that a response is made of at once; one of more is long. */
export const LONG_RESPONSE_LENGTH = 500_000

/** Counts the characters of long responses in progress. Short ones always have room. */
export class CharacterBudget implements ResponseBudget {
  readonly #longest: number
  readonly #most: number
  #sum = 0

  constructor({ answer, answers }: Pick<Limits, 'answer' | 'answers'>) {
    this.#longest = answer
    this.#most = answers
  }

  isLong(work: Work): boolean {
    return work.root.held > 0
  }

  /** The first long response always has room. */
  take(characters: number): void {
    const work = currentWork()?.root
    if (work === undefined || work.held === OVER_LENGTH) return
    work.throwIfAborted()
    if (this.#sum > work.held && this.#sum + characters > this.#most) {
      const cause = new BusyError(`long responses in progress hold ${this.#sum} of ${this.#most} characters`)
      throw errors.rest_unavailable({ cause })
    }
    work.held += characters
    this.#sum += characters
  }

  release(work: Work): void {
    if (work.held === OVER_LENGTH) return
    this.#sum -= work.held
    work.held = OVER_LENGTH
  }

  check(characters: number): void {
    if (characters > this.#longest) throw ownErrors.rest_answer_too_large(this.#longest)
  }

  encode(data: unknown): Awaitable<readonly Buffer[]> {
    return inSlices(encodeSteps(data))
  }
}

/** What a request that is over holds. */
const OVER_LENGTH = -1

/** The fields of rows and items that may be long. */
const LONG_TEXTS = ['content', 'excerpt', 'title', 'description'] as const
type LongTexts = Readonly<Partial<Record<(typeof LONG_TEXTS)[number], unknown>>>

/**
 * How many characters the long fields of items have. Asked for every list, most of which are short: to look at each value
 * of each item would take as long as to read them.
 */
export function charactersOf(items: readonly unknown[]): number {
  let sum = 0
  for (const item of items as readonly (LongTexts | null)[]) {
    if (item === null || typeof item !== 'object') continue
    for (const name of LONG_TEXTS) {
      const text = item[name]
      if (typeof text === 'string') sum += text.length
    }
  }
  return sum
}

/** How many characters of text there are in a value, as deep as responses are nested. */
export function charactersIn(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null || depth === MAX_VALUE_DEPTH) return 0
  let sum = 0
  // Rows and items are plain objects, and there are many of them.
  for (const name in value) sum += charactersIn((value as Record<string, unknown>)[name], depth + 1)
  return sum
}

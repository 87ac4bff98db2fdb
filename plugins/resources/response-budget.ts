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
      `The response would be longer than the allowed ${limit} characters. Request fewer items with per_page, or fewer fields with _fields.`,
  ],
})

/** Characters of text above which a response counts as long. */
export const LONG_RESPONSE_LENGTH = 500_000

/** Limits the characters of long responses in progress. Short ones are not counted. */
export class CharacterBudget implements ResponseBudget {
  readonly #maxLength: number
  readonly #maxTotal: number
  #sum = 0

  constructor({ response, responses }: Pick<Limits, 'response' | 'responses'>) {
    this.#maxLength = response
    this.#maxTotal = responses
  }

  isLong(work: Work): boolean {
    return work.root.held > 0
  }

  /** The first long response always fits. */
  take(characters: number): void {
    const work = currentWork()?.root
    if (work === undefined || work.held === ENDED_STATE) return
    work.throwIfAborted()
    if (this.#sum > work.held && this.#sum + characters > this.#maxTotal) {
      const cause = new BusyError(`long responses in progress hold ${this.#sum} of ${this.#maxTotal} characters`)
      throw errors.rest_unavailable({ cause })
    }
    work.held += characters
    this.#sum += characters
  }

  release(work: Work): void {
    if (work.held === ENDED_STATE) return
    this.#sum -= work.held
    work.held = ENDED_STATE
  }

  check(characters: number): void {
    if (characters > this.#maxLength) throw ownErrors.rest_answer_too_large(this.#maxLength)
  }

  encode(data: unknown): Awaitable<readonly Buffer[]> {
    return inSlices(encodeSteps(data))
  }
}

/** Marks a request that has ended. */
const ENDED_STATE = -1

/** Fields of rows and items that can be long. */
const LONG_TEXTS = ['content', 'excerpt', 'title', 'description'] as const
type LongTexts = Readonly<Partial<Record<(typeof LONG_TEXTS)[number], unknown>>>

/**
 * Counts the characters in the long fields of items. Runs for every list, most of which are short: inspecting all
 * values would take as long as reading them.
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

/** Counts the characters of all texts in a value, to the depth of responses. */
export function charactersIn(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null || depth === MAX_VALUE_DEPTH) return 0
  let sum = 0
  // `for in` is fastest for the many plain objects here.
  for (const name in value) sum += charactersIn((value as Record<string, unknown>)[name], depth + 1)
  return sum
}

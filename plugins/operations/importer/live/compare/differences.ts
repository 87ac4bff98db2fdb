import type { ReportReason } from '../../phrases.ts'
import type { LiveDifference } from '../types.ts'

/** Examples of a group of differences. */
const MAX_EXAMPLES = 3
const MAX_EXAMPLE_LENGTH = 100

/** Groups differences by route, field and reason. */
export class Differences {
  readonly #groups = new Map<string, LiveDifference>()

  /**
   * Adds a difference.
   * @param reason why both sites differ; null for an unexplained difference
   * @param unexplained the text of an unexplained difference
   */
  add(
    route: string,
    field: string,
    reason: ReportReason | null,
    example: string,
    unexplained: ReportReason = 'the values differ',
  ): void {
    const text = reason ?? unexplained
    const key = JSON.stringify([route, field, text])
    const group = this.#groups.get(key) ?? {
      route,
      field,
      reason: text,
      explained: reason !== null,
      count: 0,
      examples: [],
    }
    group.count += 1
    if (group.examples.length < MAX_EXAMPLES) {
      group.examples.push(example.slice(0, MAX_EXAMPLE_LENGTH).replace(/\s+/g, ' '))
    }
    this.#groups.set(key, group)
  }

  /** Unexplained groups first. */
  all(): LiveDifference[] {
    return [...this.#groups.values()].sort((one, other) => Number(one.explained) - Number(other.explained))
  }
}

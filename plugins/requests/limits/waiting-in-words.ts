import type { Waiting } from '../../../kernel/index.ts'

/** The taps that something waits for, in words; the one that the others wait for is the last. */
export function waitingInWords(waiting: readonly Waiting[]): string {
  const last = waiting.at(-1)
  if (last === undefined) return 'something has not ended'
  const others = waiting.length === 1 ? '' : `, and ${waiting.length - 1} more`
  return `the tap ${last.tap} of the plugin ${last.plugin} on ${last.hook} has not ended${others}`
}

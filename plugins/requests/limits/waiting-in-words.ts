import type { Waiting } from '../../../kernel/index.ts'

/** Describes the taps that an operation waits for: the innermost one and the number of others. */
export function waitingInWords(waiting: readonly Waiting[]): string {
  const last = waiting.at(-1)
  if (last === undefined) return 'an unknown operation has not ended'
  const others = waiting.length === 1 ? '' : `, and ${waiting.length - 1} more`
  return `the tap ${last.tap} of the plugin ${last.plugin} on ${last.hook} has not ended${others}`
}

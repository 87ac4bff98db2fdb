import { inspect } from 'node:util'

/** What was thrown, as a message: that of an error, and whatever else it is. */
export function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `it threw ${inspect(thrown)}`
  return String(thrown.message) || thrown.name
}

import { inspect } from 'node:util'

/** Returns the message of a thrown error, or a description of any other thrown value. */
export function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `it threw ${inspect(thrown)}`
  return String(thrown.message) || thrown.name
}

import { isThenable } from '../../../kernel/index.ts'
import { errors } from './errors.ts'

/** Levels of nesting that are searched, so that deeply nested values cannot exhaust the stack. */
const MAX_DEPTH = 100

/**
 * Finds a promise in a value that will be serialized to JSON as `{}`, usually because of a missing `await`. Objects
 * with `toJSON` are not searched.
 * @returns its path, such as `prices[2].gross`, or null
 */
export function findPromise(value: unknown): string | null {
  return search(value, '', new Set(), MAX_DEPTH)
}

/**
 * Refuses a value that contains a promise, see `findPromise`.
 * @param place description of the value in a sentence: `the field price of post`
 * @returns the value
 * @throws PROMISE_IN_RESPONSE
 */
export function refusePromise<T>(value: T, plugin: string, place: string): T {
  const path = findPromise(value)
  if (path === null) return value
  throw Object.assign(errors.PROMISE_IN_RESPONSE(plugin, place, path), { plugin })
}

/** Text of a promise in a template literal. */
const PROMISE_TEXT = '[object Promise]'

/**
 * Refuses HTML that contains the text of a promise, usually because of a missing `await` in a template literal.
 * @param inputs input values that can legitimately contain that text
 * @returns the HTML
 * @throws PROMISE_IN_RESPONSE
 */
export function refusePromiseText(html: string, inputs: readonly unknown[], plugin: string, place: string): string {
  // Plugins written in JavaScript can return any value.
  if (typeof html !== 'string' || !html.includes(PROMISE_TEXT)) return html
  if (JSON.stringify(inputs).includes(PROMISE_TEXT)) return html
  throw Object.assign(errors.PROMISE_IN_HTML(plugin, place), { plugin })
}

function search(value: unknown, path: string, seen: Set<object>, levels: number): string | null {
  if (typeof value !== 'object' || value === null || levels === 0) return null
  if (isThenable(value)) {
    // A later rejection must not be unhandled.
    value.then(undefined, () => {})
    return path
  }
  if (seen.has(value) || typeof (value as { toJSON?: unknown }).toJSON === 'function') return null
  seen.add(value)
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const found = isContainer(item) ? search(item, `${path}[${index}]`, seen, levels - 1) : null
      if (found !== null) return found
    }
    return null
  }
  for (const name of Object.keys(value)) {
    const item = (value as Record<string, unknown>)[name]
    const found = isContainer(item) ? search(item, path === '' ? name : `${path}.${name}`, seen, levels - 1) : null
    if (found !== null) return found
  }
  return null
}

/** Returns whether a value can contain others. Avoids building paths for the many that cannot. */
const isContainer = (value: unknown) => typeof value === 'object' && value !== null

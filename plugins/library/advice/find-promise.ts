import { isThenable } from '../../../kernel/index.ts'
import { errors } from './errors.ts'

/** Levels of a value that are searched: one that is nested far deeper must not exhaust the stack. */
const MAX_DEPTH = 100

/**
 * Finds a promise in a value that becomes JSON, which writes a promise as `{}`: mostly an `await` was forgotten.
 * Objects that write themselves (`toJSON`) are not looked into.
 * @returns its path, such as `prices[2].gross`; null if there is none
 */
export function findPromise(value: unknown): string | null {
  return search(value, '', new Set(), MAX_DEPTH)
}

/**
 * Refuses a value with a promise in it, see `findPromise`.
 * @param where the value is shown, as a part of a sentence: `the field price of post`
 * @returns the value
 * @throws PROMISE_IN_RESPONSE
 */
export function refusePromise<T>(value: T, plugin: string, where: string): T {
  const path = findPromise(value)
  if (path === null) return value
  throw Object.assign(errors.PROMISE_IN_RESPONSE(plugin, where, path), { plugin })
}

/** What a promise is in a template of text. */
const PROMISE_TEXT = '[object Promise]'

/**
 * Refuses HTML with a promise in it, for which an `await` was forgotten in a template.
 * @param given values that may be part of the HTML, and may have those words
 * @returns the HTML
 * @throws PROMISE_IN_RESPONSE
 */
export function refusePromiseText(html: string, given: readonly unknown[], plugin: string, where: string): string {
  // Plugins in JavaScript may return something else.
  if (typeof html !== 'string' || !html.includes(PROMISE_TEXT)) return html
  if (JSON.stringify(given).includes(PROMISE_TEXT)) return html
  throw Object.assign(errors.PROMISE_IN_HTML(plugin, where), { plugin })
}

function search(value: unknown, path: string, seen: Set<object>, levels: number): string | null {
  if (typeof value !== 'object' || value === null || levels === 0) return null
  if (isThenable(value)) {
    // It may fail later, and no code waits for it.
    value.then(undefined, () => {})
    return path
  }
  if (seen.has(value) || typeof (value as { toJSON?: unknown }).toJSON === 'function') return null
  seen.add(value)
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const found = isPart(item) ? search(item, `${path}[${index}]`, seen, levels - 1) : null
      if (found !== null) return found
    }
    return null
  }
  for (const name of Object.keys(value)) {
    const item = (value as Record<string, unknown>)[name]
    const found = isPart(item) ? search(item, path === '' ? name : `${path}.${name}`, seen, levels - 1) : null
    if (found !== null) return found
  }
  return null
}

/** Whether a value may hold others: paths of the many that do not are never made. */
const isPart = (value: unknown) => typeof value === 'object' && value !== null

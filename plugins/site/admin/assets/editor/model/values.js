// Values of block attributes, which can be of any type.

/**
 * Returns a string or a number as text, and '' for everything else.
 * @param {unknown} value
 */
export function plain(value) {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/**
 * Returns the value at a path in nested objects.
 * @param {unknown} value
 * @param {...string} path
 * @returns {unknown}
 */
export function valueAt(value, ...path) {
  /** @type {unknown} */
  let found = value
  for (const name of path) {
    if (typeof found !== 'object' || found === null) return undefined
    found = /** @type {Record<string, unknown>} */ (found)[name]
  }
  return found
}

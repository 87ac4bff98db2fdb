/**
 * Returns a function that translates texts, from the `data-words` of the element.
 * @param {HTMLElement} element
 * @returns {(name: string, values?: Record<string, string | number>) => string}
 */
export function wordsOf(element) {
  /** @type {Record<string, string>} */
  const words = JSON.parse(element.dataset['words'] ?? '{}')
  return (name, values = {}) =>
    (words[name] ?? name).replace(/\{(\w+)\}/g, (whole, key) => String(values[key] ?? whole))
}

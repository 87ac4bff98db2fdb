/**
 * Announces a text to screen readers.
 * @param {string} text
 */
export function announce(text) {
  const live = document.querySelector('#live')
  if (live !== null) live.textContent = text
}

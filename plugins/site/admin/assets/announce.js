/**
 * Tells users of screen readers what has happened.
 * @param {string} text
 */
export function announce(text) {
  const live = document.querySelector('#live')
  if (live !== null) live.textContent = text
}

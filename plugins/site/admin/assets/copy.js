// Buttons that copy a text.
import { announce } from './announce.js'

for (const button of document.querySelectorAll('[data-copy]')) {
  if (!(button instanceof HTMLButtonElement) || navigator.clipboard === undefined) continue
  button.hidden = false
  const copy = async () => {
    await navigator.clipboard.writeText(button.dataset['copy'] ?? '')
    announce(button.dataset['done'] ?? '')
    button.textContent = button.dataset['done'] ?? ''
  }
  button.addEventListener('click', () => void copy())
}

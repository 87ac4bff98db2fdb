// Scripts of all admin pages. Without scripts, all pages work with links and forms.
import { announce } from './announce.js'

document.documentElement.classList.add('scripted')

const toggle = document.querySelector('.menu-toggle')
toggle?.addEventListener('click', () => {
  const open = document.querySelector('#menu')?.classList.toggle('open') ?? false
  toggle.setAttribute('aria-expanded', String(open))
})

// Lists: a checkbox that selects all rows, and the number of selected rows.
for (const form of document.querySelectorAll('form.bulk')) {
  /** @type {HTMLInputElement[]} */
  const boxes = [...form.querySelectorAll('input[name="ids[]"]')].filter((box) => box instanceof HTMLInputElement)
  const all = form.querySelector('[data-choose-all]')
  const chosen = form.querySelector('.chosen')
  const show = () => {
    const number = boxes.filter(({ checked }) => checked).length
    if (chosen !== null) chosen.textContent = number === 0 ? '' : `${number} / ${boxes.length}`
    if (all instanceof HTMLInputElement) all.checked = number === boxes.length
  }
  form.addEventListener('change', show)
  if (all instanceof HTMLInputElement) {
    all.hidden = false
    all.addEventListener('change', () => {
      for (const box of boxes) box.checked = all.checked
      show()
    })
  }
}

// Buttons that ask for confirmation.
document.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest('[data-confirm]') : null
  if (button instanceof HTMLElement && !window.confirm(button.dataset['confirm'])) event.preventDefault()
})

// Warns before the page is left with unsaved changes.
const guarded = document.querySelector('form[data-guard]')
if (guarded instanceof HTMLFormElement) {
  let changed = false
  guarded.addEventListener('input', () => void (changed = true))
  guarded.addEventListener('submit', () => void (changed = false))
  window.addEventListener('beforeunload', (event) => {
    if (changed) event.preventDefault()
  })
}

const notice = document.querySelector('#notices .notice')
if (notice !== null) announce(notice.textContent ?? '')

// Scripts of all admin pages. Without scripts, all pages work with links and forms.
import { announce } from './announce.js'

document.documentElement.classList.add('scripted')

// Buttons that open a dialog, and the keyboard shortcuts of all pages.
document.addEventListener('click', (event) => {
  const opener = event.target instanceof Element ? event.target.closest('[data-dialog], .search-opener') : null
  if (!(opener instanceof HTMLElement) || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  if (opener.classList.contains('search-opener')) openPalette()
  else openDialog(opener.dataset['dialog'] ?? '')
})
document.addEventListener('keydown', (event) => {
  const { target, key } = event
  if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && key.toLowerCase() === 'k') {
    // The editor has its own meaning for this key: it adds a link.
    if (target instanceof HTMLElement && target.isContentEditable) return
    event.preventDefault()
    openPalette()
    return
  }
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(target)) return
  if (key === '?') openDialog('keys')
  else if (key === '/') {
    const search = document.querySelector('main input[type="search"]')
    if (!(search instanceof HTMLInputElement)) return
    event.preventDefault()
    search.focus()
  }
})

/** @param {EventTarget | null} target */
function isTyping(target) {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.matches('textarea, select, input:not([type=checkbox], [type=radio], [type=button], [type=submit])') ||
      target.closest('dialog[open]') !== null)
  )
}

/** @param {string} id */
function openDialog(id) {
  const dialog = document.querySelector(`#${id}`)
  if (dialog instanceof HTMLDialogElement && !dialog.open) dialog.showModal()
}

function openPalette() {
  openDialog('palette')
  void import('./palette.js')
}

// Lists: a checkbox that selects all rows, and the number of selected rows.
document.addEventListener('change', ({ target }) => {
  const form = target instanceof HTMLInputElement ? target.closest('form.bulk') : null
  if (form === null || !(target instanceof HTMLInputElement)) return
  const boxes = [...form.querySelectorAll('input[name="ids[]"]')].filter((box) => box instanceof HTMLInputElement)
  const all = form.querySelector('[data-choose-all]')
  if (target === all) for (const box of boxes) box.checked = target.checked
  const number = boxes.filter(({ checked }) => checked).length
  const chosen = form.querySelector('.chosen')
  if (chosen !== null) chosen.textContent = number === 0 ? '' : `${number} / ${boxes.length}`
  if (all instanceof HTMLInputElement) all.checked = number === boxes.length
})
function showScripted() {
  for (const all of document.querySelectorAll('[data-choose-all]')) all.removeAttribute('hidden')
}
showScripted()
document.addEventListener('partial-update', showScripted)

// Closes the menus of a list when the user clicks elsewhere or presses Escape.
document.addEventListener('click', ({ target }) => {
  for (const open of document.querySelectorAll('details.pop[open]'))
    if (!(target instanceof Node) || !open.contains(target)) open.removeAttribute('open')
})
document.addEventListener('keydown', ({ key, target }) => {
  const open = key === 'Escape' && target instanceof Element ? target.closest('details.pop[open]') : null
  open?.removeAttribute('open')
  const summary = open?.querySelector('summary')
  if (summary instanceof HTMLElement) summary.focus()
})

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

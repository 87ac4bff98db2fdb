// Lists: row actions without loading a page, and keyboard navigation. Without this script the buttons submit a form.
import { announce } from './announce.js'
import { ApiError, request } from './api.js'
import { refresh } from './partial.js'

/**
 * The data of a row action, from the page.
 * @typedef {{ method: string, path: string, body?: Record<string, unknown>, done: string, undo?: Record<string,
 * unknown> }} Quick
 */

document.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest('[data-quick]') : null
  // `defaultPrevented`: the user has canceled the confirmation.
  if (!(button instanceof HTMLButtonElement) || event.defaultPrevented) return
  event.preventDefault()
  void act(button)
})

/** @param {HTMLButtonElement} button */
async function act(button) {
  /** @type {Quick} */
  const quick = JSON.parse(button.dataset['quick'] ?? '{}')
  const row = button.closest('tr')
  if (row === null || button.disabled) return
  button.disabled = true
  try {
    await request(quick.path, { method: quick.method, json: quick.body ?? {} })
  } catch (error) {
    button.disabled = false
    showNotice('error', messageOf(error))
    return
  }
  // Moves the focus to the next row, the previous row, or the main content.
  const next = row.nextElementSibling ?? row.previousElementSibling
  const target = next?.querySelector('th a, th button, input, a, button') ?? document.querySelector('main')
  row.remove()
  if (target instanceof HTMLElement) target.focus()
  // The numbers of the filters and of the menu change, too.
  await refresh()
  showNotice('done', quick.done, quick.undo === undefined ? null : () => void undo(quick))
}

/** @param {Quick} quick */
async function undo({ path, undo: json }) {
  try {
    await request(path, { method: 'POST', json })
  } catch (error) {
    showNotice('error', messageOf(error))
    return
  }
  await refresh()
}

/**
 * Shows a notice.
 * @param {'done' | 'error'} kind
 * @param {string} text
 * @param {(() => void) | null} [onUndo]
 */
function showNotice(kind, text, onUndo = null) {
  const notice = document.createElement('div')
  notice.className = `notice ${kind}`
  notice.append(text)
  if (onUndo !== null) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'plain'
    button.textContent = document.querySelector('[data-undo-label]')?.getAttribute('data-undo-label') ?? ''
    button.addEventListener('click', onUndo, { once: true })
    notice.append(' ', button)
  }
  document.querySelector('#notices')?.replaceChildren(notice)
  announce(text)
}

/** @param {unknown} error */
function messageOf(error) {
  if (error instanceof ApiError) return error.message
  return document.querySelector('[data-offline-label]')?.getAttribute('data-offline-label') ?? String(error)
}

// In a list, j and k move to the next and previous row, and x selects the row.
document.addEventListener('keydown', (event) => {
  const { target, key } = event
  if (!(target instanceof Element) || event.ctrlKey || event.metaKey || event.altKey) return
  const row = target.closest('table.list tbody tr')
  // In text fields these keys type letters.
  if (row === null || target.matches('textarea, select, input:not([type=checkbox])')) return
  if (key === 'x') {
    const box = row.querySelector('input[name="ids[]"]')
    if (box instanceof HTMLInputElement) box.click()
    return
  }
  const next = key === 'j' ? row.nextElementSibling : key === 'k' ? row.previousElementSibling : null
  const focus = next?.querySelector('input[name="ids[]"], th a, a, button')
  if (focus instanceof HTMLElement) focus.focus()
})

// The command palette: finds pages of the admin, content to create, and content of the site.
import { announce } from './announce.js'

/** @typedef {{ label: string, hint: string, href: string, icon: string }} Found */

/** Milliseconds without typing before the server is asked. */
const SEARCH_DELAY_MS = 150

const SVG = 'http://www.w3.org/2000/svg'
const dialog = /** @type {HTMLDialogElement} */ (document.querySelector('#palette'))
const input = /** @type {HTMLInputElement} */ (dialog.querySelector('input'))
const list = /** @type {HTMLElement} */ (dialog.querySelector('[role="listbox"]'))
const none = /** @type {HTMLElement} */ (dialog.querySelector('[data-none]'))
const icons = (document.querySelector('.icon use')?.getAttribute('href') ?? '').split('#', 1)[0]
let wait = 0
let stop = new AbortController()

input.addEventListener('input', () => {
  clearTimeout(wait)
  wait = window.setTimeout(() => void search(), SEARCH_DELAY_MS)
})
dialog.addEventListener('click', (event) => {
  // A click on the backdrop has the dialog itself as its target.
  if (event.target === dialog) dialog.close()
})
input.addEventListener('keydown', (event) => {
  const options = [...list.children]
  const at = options.findIndex((option) => option.getAttribute('aria-selected') === 'true')
  if (event.key === 'ArrowDown') select(options, (at + 1) % options.length)
  else if (event.key === 'ArrowUp') select(options, at <= 0 ? options.length - 1 : at - 1)
  else if (event.key === 'Enter' && options[at] instanceof HTMLElement) options[at].click()
  else return
  event.preventDefault()
})
await search()

async function search() {
  stop.abort()
  stop = new AbortController()
  const url = new URL(dialog.dataset['url'] ?? '', location.href)
  url.searchParams.set('q', input.value.trim())
  url.searchParams.set('format', 'json')
  try {
    const response = await fetch(url, { credentials: 'same-origin', signal: stop.signal })
    if (!response.ok) throw new Error(`The server responded with ${response.status}.`)
    show(/** @type {Found[]} */ (await response.json()))
  } catch (error) {
    // A later search has replaced this one. Other failures show the page of the search, which says what is wrong.
    if (!stop.signal.aborted) show([])
    if (!(error instanceof DOMException)) console.error(error)
  }
}

/** @param {Found[]} found */
function show(found) {
  const options = found.map(({ label, hint, href, icon }, index) => {
    const option = document.createElement('a')
    option.className = 'found'
    option.id = `found-${index}`
    option.href = href
    option.tabIndex = -1
    option.setAttribute('role', 'option')
    const image = document.createElementNS(SVG, 'svg')
    image.setAttribute('class', 'icon')
    image.setAttribute('aria-hidden', 'true')
    const use = document.createElementNS(SVG, 'use')
    use.setAttribute('href', `${icons}#${icon}`)
    image.append(use)
    option.append(image, textIn('label', label), textIn('hint', hint))
    return option
  })
  list.replaceChildren(...options)
  none.hidden = found.length > 0
  if (found.length === 0) announce(none.textContent ?? '')
  select(options, 0)
}

/**
 * @param {string} name
 * @param {string} text
 */
function textIn(name, text) {
  const span = document.createElement('span')
  span.className = name
  span.textContent = text
  return span
}

/**
 * @param {Element[]} options
 * @param {number} chosen
 */
function select(options, chosen) {
  for (const [index, option] of options.entries()) option.setAttribute('aria-selected', String(index === chosen))
  const option = options[chosen]
  if (option === undefined) input.removeAttribute('aria-activedescendant')
  else input.setAttribute('aria-activedescendant', option.id)
  option?.scrollIntoView({ block: 'nearest' })
}

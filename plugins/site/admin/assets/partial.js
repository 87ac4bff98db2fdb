// Updates a list in place: links and forms marked with `data-partial` replace the main content instead of the page.
import { Idiomorph } from 'idiomorph'
import { announce } from './announce.js'

const parser = new DOMParser()
/** Passes pages of this server to the parser, where the browser requires trusted types. */
const policy = /** @type {any} */ (window).trustedTypes?.createPolicy('svc-admin', {
  createHTML: (/** @type {string} */ html) => html,
})
let stop = new AbortController()

document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('[data-partial] a[href]') : null
  if (!(link instanceof HTMLAnchorElement) || event.defaultPrevented || event.button !== 0) return
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || link.target !== '') return
  const url = new URL(link.href)
  // A link in a list can lead to another page, such as an edited post.
  if (url.origin !== location.origin || url.pathname !== location.pathname) return
  event.preventDefault()
  void update(url, {})
})
document.addEventListener('submit', (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement) || !form.matches('[data-partial]') || event.defaultPrevented) return
  event.preventDefault()
  const data = new FormData(form, event.submitter)
  const url = new URL(form.action)
  if (form.method === 'get') {
    const fields = [...data].filter(([, value]) => value !== '')
    url.search = new URLSearchParams(/** @type {[string, string][]} */ (fields)).toString()
    void update(url, {})
  } else {
    const isOpen = form.querySelector('details')?.open === true
    void update(url, { method: 'POST', body: new URLSearchParams(/** @type {any} */ (data)) }).then(() => {
      if (document.querySelector('#notices .error') !== null) refill(form, data, isOpen)
    })
  }
})
window.addEventListener('popstate', () => void refresh())

/** Loads the page again, and replaces what has changed. */
export function refresh() {
  return update(new URL(location.href), {}, false)
}

/**
 * Loads a page and replaces the main content and the menu. Opens the page itself if it is not a page of the admin.
 * @param {URL} url
 * @param {RequestInit} options
 * @param {boolean} [isNew] whether to add the page to the history
 */
async function update(url, options, isNew = true) {
  stop.abort()
  stop = new AbortController()
  const { signal } = stop
  document.querySelector('main')?.setAttribute('aria-busy', 'true')
  try {
    const response = await fetch(url, { credentials: 'same-origin', signal, ...options })
    const html = await response.text()
    // The scripts and styles of another page are not loaded here.
    if (new URL(response.url).pathname !== location.pathname) return location.assign(response.url)
    const next = parser.parseFromString(policy?.createHTML(html) ?? html, 'text/html')
    const main = next.querySelector('main')
    if (main === null) throw new Error(`The response to ${url.href} is not a page of the admin.`)
    replace('main', main)
    replace('#menu', next.querySelector('#menu'))
    document.title = next.title
    if (isNew && response.url !== location.href) history.pushState(null, '', response.url)
    announce(document.querySelector('#notices .notice, .paging span, main .empty p')?.textContent?.trim() ?? '')
    document.dispatchEvent(new CustomEvent('partial-update'))
  } catch (error) {
    if (signal.aborted) return
    console.error(error)
    // Without a connection the browser shows its page for that.
    if (options.method === undefined) location.href = url.href
  } finally {
    if (!signal.aborted) document.querySelector('main')?.removeAttribute('aria-busy')
  }
}

/**
 * Gives the fields of a form their former values, so that the user can correct them.
 * @param {HTMLFormElement} form
 * @param {FormData} data
 * @param {boolean} isOpen whether the fields in `<details>` were shown
 */
function refill(form, data, isOpen) {
  for (const field of form.elements) {
    if (field instanceof HTMLInputElement && field.type === 'checkbox') {
      field.checked = data.getAll(field.name).includes(field.value)
    } else if (field instanceof HTMLSelectElement || (field instanceof HTMLInputElement && field.type === 'text')) {
      const former = data.get(field.name)
      if (typeof former === 'string') field.value = former
    }
  }
  const details = form.querySelector('details')
  if (details !== null) details.open = isOpen
}

/**
 * Changes an element until it equals another one, and keeps the focus.
 * @param {string} selector
 * @param {Element | null} next
 */
function replace(selector, next) {
  const current = document.querySelector(selector)
  if (current === null || next === null) return
  // Elements with `data-keep` show the state of a script, such as uploads in progress.
  const beforeNodeMorphed = (/** @type {Node} */ node) => !(node instanceof Element && node.hasAttribute('data-keep'))
  void Idiomorph.morph(current, next, { ignoreActiveValue: true, callbacks: { beforeNodeMorphed } })
}

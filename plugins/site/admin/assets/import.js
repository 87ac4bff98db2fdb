// The import page: shows the progress of the upload and of the import, and checks live sites.
import { announce } from './announce.js'

/** Milliseconds between two requests for the progress. */
const POLL_INTERVAL_MS = 1000
/** Percent between two announcements, so that screen readers are not interrupted each second. */
const ANNOUNCEMENT_STEP_PERCENT = 25

const running = document.querySelector('[data-import]')
if (running instanceof HTMLElement) watch(running)

const form = document.querySelector('[data-import-form]')
if (form instanceof HTMLFormElement) {
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void sendIfShown(form)
  })
}

const live = document.querySelector('[data-live]')
if (live instanceof HTMLElement) checkInPlace(live)

/**
 * Checks a live site without leaving the page, so that the user need not enter the application password again.
 * @param {HTMLElement} section
 */
function checkInPlace(section) {
  const asked = section.querySelector('[data-live-form]')
  if (!(asked instanceof HTMLFormElement)) return
  asked.addEventListener('submit', (event) => {
    // The other button starts the import.
    if (event.submitter?.getAttribute('value') === 'live') return
    event.preventDefault()
    check(section, asked)
  })
}

/**
 * Submits the form of a live site, and shows the result in its place.
 * @param {HTMLElement} section
 * @param {HTMLFormElement} asked
 */
function check(section, asked) {
  const password = passwordIn(section)?.value ?? ''
  const button = asked.querySelector('button')
  const checking = asked.querySelector('[data-checking]')
  const request = new XMLHttpRequest()
  request.open('POST', asked.action)
  // The browser parses the page, because the policy of the page does not let scripts parse HTML.
  request.responseType = 'document'
  const failed = () => {
    if (button !== null) button.disabled = false
    HTMLFormElement.prototype.submit.call(asked)
  }
  request.addEventListener('error', failed)
  request.addEventListener('load', () => {
    const fresh = request.responseXML?.querySelector('[data-live]')
    // Another page, such as the one that asks for the password of the account.
    if (!(fresh instanceof HTMLElement)) return failed()
    const shown = document.adoptNode(fresh)
    section.replaceWith(shown)
    const field = passwordIn(shown)
    if (field !== null) field.value = password
    checkInPlace(shown)
    const place = shown.querySelector('[data-probe], .field-error')
    if (place instanceof HTMLElement) {
      place.tabIndex = -1
      place.focus()
    }
  })
  request.send(new FormData(asked))
  if (button !== null) button.disabled = true
  if (checking instanceof HTMLElement) checking.hidden = false
  announce(checking?.textContent?.trim() ?? '')
}

/**
 * @param {HTMLElement} section
 * @returns {HTMLInputElement | null}
 */
function passwordIn(section) {
  return section.querySelector('input[type="password"]')
}

/**
 * Shows the progress of the import until it ends.
 * @param {HTMLElement} section
 */
function watch(section) {
  const bar = section.querySelector('progress')
  const text = section.querySelector('[data-import-text]')
  let announcedPercent = 0
  const poll = async () => {
    const state = await stateAt(section.dataset['import'] ?? '')
    // The import has replaced the administrator: the user has to log in as the imported one.
    if (state === 'logged out') return location.reload()
    // On an almost empty site the import locks the database, so the server cannot respond.
    const shown = state?.text ?? section.dataset['busy'] ?? ''
    if (text !== null && text.textContent !== shown) text.textContent = shown
    if (state !== null && state.status !== 'running') return location.reload()
    if (state !== null && bar !== null) bar.value = state.percent
    if (state !== null && state.percent >= announcedPercent + ANNOUNCEMENT_STEP_PERCENT) {
      announcedPercent = state.percent
      announce(shown)
    }
    setTimeout(() => void poll(), POLL_INTERVAL_MS)
  }
  setTimeout(() => void poll(), POLL_INTERVAL_MS)
}

/**
 * @param {string} url
 * @returns {Promise<{ status: string, percent: number, text: string } | 'logged out' | null>} null if the server
 * does not respond
 */
async function stateAt(url) {
  const response = await fetch(url, { credentials: 'same-origin', redirect: 'manual' }).catch(() => null)
  if (response?.type === 'opaqueredirect') return 'logged out'
  return response?.ok === true ? response.json() : null
}

/**
 * Submits the form if the page would still show it. Reloads the page if the user has to confirm their password or log
 * in first, or if an import runs, because the upload would be refused.
 * @param {HTMLFormElement} sent
 */
async function sendIfShown(sent) {
  const button = sent.querySelector('button')
  if (button !== null) button.disabled = true
  const response = await fetch(sent.action, { credentials: 'same-origin' }).catch(() => null)
  const page = response?.ok === true ? await response.text().catch(() => null) : null
  if (page !== null && !page.includes('data-import-form')) location.reload()
  else send(sent)
}

/**
 * Submits the form and shows the progress of the upload.
 * @param {HTMLFormElement} sent
 */
function send(sent) {
  const bar = sent.querySelector('progress')
  const button = sent.querySelector('button')
  const request = new XMLHttpRequest()
  request.open('POST', sent.action)
  // The browser parses the error page, because the policy of the page does not let scripts parse HTML.
  request.addEventListener('readystatechange', () => {
    if (request.readyState === XMLHttpRequest.HEADERS_RECEIVED && request.status !== 200)
      request.responseType = 'document'
  })
  request.upload.addEventListener('progress', ({ loaded, total }) => {
    if (bar !== null && total > 0) bar.value = (loaded / total) * 100
  })
  const refused = () => {
    const answer = request.responseType === 'document' ? request.responseXML : null
    // The confirmation expired during the upload: the page asks for the password.
    if (answer?.querySelector('[autocomplete="current-password"]')) return location.reload()
    const errorText = answer?.querySelector('.notice.error, .field-error')?.textContent
    const notice = document.createElement('p')
    notice.className = 'notice error'
    notice.setAttribute('role', 'alert')
    notice.textContent = errorText || `${request.status} ${request.statusText}`
    document.querySelector('#notices')?.replaceChildren(notice)
    if (bar !== null) bar.hidden = true
    if (button !== null) button.disabled = false
  }
  request.addEventListener('error', refused)
  request.addEventListener('load', () => {
    if (request.status === 200) location.assign(request.responseURL)
    else refused()
  })
  request.send(new FormData(sent))
  if (bar !== null) bar.hidden = false
  announce(sent.dataset['sending'] ?? '')
}

// The page of imports: shows how much of the files is sent, and how far the import is.
import { announce } from './announce.js'

/** Milliseconds between two looks at the import. */
const EVERY = 1000
/** Percent between two announcements: each second would talk over everything else. */
const STEP = 25

const running = document.querySelector('[data-import]')
if (running instanceof HTMLElement) watch(running)

const form = document.querySelector('[data-import-form]')
if (form instanceof HTMLFormElement) {
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void sendIfShown(form)
  })
}

/**
 * Shows how far the import is, until it has ended.
 * @param {HTMLElement} section
 */
function watch(section) {
  const bar = section.querySelector('progress')
  const text = section.querySelector('[data-import-text]')
  let told = 0
  const look = async () => {
    const state = await stateAt(section.dataset['import'] ?? '')
    // The import has brought an administrator of its own: the user has to log in as that one.
    if (state === 'logged out') return location.reload()
    // On a site that is nearly empty an import has the database for itself: nobody gets an answer then.
    const shown = state?.text ?? section.dataset['busy'] ?? ''
    if (text !== null && text.textContent !== shown) text.textContent = shown
    if (state !== null && state.status !== 'running') return location.reload()
    if (state !== null && bar !== null) bar.value = state.percent
    if (state !== null && state.percent >= told + STEP) {
      told = state.percent
      announce(shown)
    }
    setTimeout(() => void look(), EVERY)
  }
  setTimeout(() => void look(), EVERY)
}

/**
 * @param {string} url
 * @returns {Promise<{ status: string, percent: number, text: string } | 'logged out' | null>} null where the server has no
 *   answer for now
 */
async function stateAt(url) {
  const response = await fetch(url, { credentials: 'same-origin', redirect: 'manual' }).catch(() => null)
  if (response?.type === 'opaqueredirect') return 'logged out'
  return response?.ok === true ? response.json() : null
}

/**
 * Sends the form if the page would still have it. Loads the page again if the user has to confirm their password or log in
 * first, or if an import runs: the files would be sent in vain.
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
 * Sends the form, and says how much of it is sent.
 * @param {HTMLFormElement} sent
 */
function send(sent) {
  const bar = sent.querySelector('progress')
  const button = sent.querySelector('button')
  const request = new XMLHttpRequest()
  request.open('POST', sent.action)
  // The browser parses a refusal itself: the policy of the page lets no script parse HTML.
  request.addEventListener('readystatechange', () => {
    if (request.readyState === XMLHttpRequest.HEADERS_RECEIVED && request.status !== 200)
      request.responseType = 'document'
  })
  request.upload.addEventListener('progress', ({ loaded, total }) => {
    if (bar !== null && total > 0) bar.value = (loaded / total) * 100
  })
  const refused = () => {
    const answer = request.responseType === 'document' ? request.responseXML : null
    // The confirmation ran out while the files were sent: the page asks for the password.
    if (answer?.querySelector('[autocomplete="current-password"]')) return location.reload()
    const said = answer?.querySelector('.notice.error, .field-error')?.textContent
    const notice = document.createElement('p')
    notice.className = 'notice error'
    notice.setAttribute('role', 'alert')
    notice.textContent = said || `${request.status} ${request.statusText}`
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

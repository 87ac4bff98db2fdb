// The plain editor: live preview, autosave, local backup, lock, keyboard shortcuts. Without scripts, buttons provide
// all of it.
import { announce } from './announce.js'
import { renew, routeOf } from './api.js'
import { searchChoices } from './choices.js'
import { insertPictures } from './pictures.js'
import { showPreview } from './preview.js'
import { wordsOf } from './words.js'

/** Milliseconds between two autosaves. */
const AUTOSAVE_INTERVAL_MS = 60_000
/** Milliseconds between two refreshes of the lock. */
const HEARTBEAT_INTERVAL_MS = 10_000
/** Milliseconds without typing before the text is stored in this browser. */
const BACKUP_DELAY_MS = 800
/** Days for which this browser stores a text. */
const BACKUP_LIFETIME_DAYS = 14

const form = document.querySelector('#writing')
if (form instanceof HTMLFormElement) start(form)

/** @param {HTMLFormElement} form */
function start(form) {
  const { dataset } = form
  const words = wordsOf(form)
  const id = dataset['id'] ?? ''
  const state = form.querySelector('[data-state]')
  const content = form.querySelector('[data-content]')
  const key = `svc-writing:${dataset['user']}:${dataset['type']}:${id || 'new'}`
  /** Whether there are changes that were not autosaved, and changes that were not stored with the form. */
  let [changed, unsaved] = [false, false]
  let readOnly = dataset['locked'] === '1'
  let isOver = false
  let isSaving = false
  /** Whether the form is being submitted. */
  let isSending = false

  /** @param {string} text */
  const showState = (text) => {
    if (state !== null && state.textContent !== text) state.textContent = text
  }
  const time = () => new Date().toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })

  /** @param {string} name */
  const field = (name) => {
    const found = form.elements.namedItem(name)
    return found instanceof HTMLInputElement || found instanceof HTMLTextAreaElement ? found : null
  }

  // Local backup.
  const texts = () => ({
    title: field('title')?.value ?? '',
    content: field('content')?.value ?? '',
    excerpt: field('excerpt')?.value ?? '',
    mode: field('mode')?.value ?? '',
  })
  const storeBackup = () => {
    try {
      localStorage.setItem(key, JSON.stringify({ at: Date.now(), modified: dataset['modified'], texts: texts() }))
      return true
    } catch {
      return false
    }
  }
  const discardBackup = () => {
    try {
      localStorage.removeItem(key)
    } catch {
      // The storage is full or disabled.
    }
  }
  offerBackup()

  function offerBackup() {
    /** @type {{ at: number, texts: Record<string, string> } | null} */
    let backup = null
    try {
      backup = JSON.parse(localStorage.getItem(key) ?? 'null')
    } catch {
      return
    }
    if (backup === null) return
    const now = texts()
    const isSame =
      backup.texts['title'] === now.title &&
      backup.texts['content'] === now.content &&
      backup.texts['excerpt'] === now.excerpt
    if (isSame || Date.now() - backup.at > BACKUP_LIFETIME_DAYS * 86_400_000) return discardBackup()
    const text = words('copy', { time: new Date(backup.at).toLocaleString() })
    const notice = addNotice(text, 'warning')
    const show = button(words('restore'), () => {
      for (const [name, value] of Object.entries(backup.texts)) {
        const one = field(name)
        if (one !== null) one.value = value
      }
      notice.remove()
      touched()
      announce(words('restored'))
      showState(words('restored'))
      field('content')?.focus()
    })
    const drop = button(words('forget'), () => {
      discardBackup()
      notice.remove()
    })
    notice.append(' ', show, ' ', drop)
  }

  /**
   * @param {string} text
   * @param {string} kind
   */
  function addNotice(text, kind) {
    const notice = document.createElement('div')
    notice.className = `notice ${kind}`
    notice.setAttribute('role', 'alert')
    notice.textContent = text
    document.querySelector('#notices')?.append(notice)
    return notice
  }

  // Autosave.
  let backupTimer = 0
  function touched() {
    changed = true
    unsaved = true
    clearTimeout(backupTimer)
    backupTimer = window.setTimeout(() => {
      if (storeBackup() && id === '') showState(words('savedLocally', { time: time() }))
    }, BACKUP_DELAY_MS)
  }
  form.addEventListener('input', touched)

  async function autosave(leaving = false) {
    if (!changed || readOnly || isSaving || id === '') return
    isSaving = true
    changed = false
    storeBackup()
    if (!leaving) showState(words('saving'))
    const data = new FormData(form)
    data.set('do', 'autosave')
    // Browsers limit the body of a request that outlives the page to 64 KiB.
    const keepalive = leaving && texts().content.length < 15_000
    try {
      const response = await fetch(form.action, { method: 'POST', body: data, redirect: 'manual', keepalive })
      if (response.status === 401 || response.status === 403) await sessionIsOver()
      else if (response.status === 409) {
        changed = true
        showState(words('conflict'))
        announce(words('conflict'))
      } else {
        // A proxy can respond with an HTML page.
        const { tag, message } = await response.json().catch(() => ({}))
        if (!response.ok) throw new Error(message ?? '')
        const own = field('tag')
        if (own !== null) own.value = tag
        unsaved = changed
        if (!changed) discardBackup()
        showState(words('saved', { time: time() }))
        if (isOver) sessionIsBack()
      }
    } catch (error) {
      changed = true
      showState(
        error instanceof Error && error.message !== '' && !(error instanceof TypeError)
          ? error.message
          : words('offline'),
      )
    } finally {
      isSaving = false
    }
  }
  setInterval(() => void autosave(), AUTOSAVE_INTERVAL_MS)
  window.addEventListener('online', () => void autosave())
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') void autosave(true)
  })

  /** @type {HTMLElement | null} */
  let over = null
  async function sessionIsOver() {
    changed = true
    // Retries with a new nonce if there is a session: only the nonce has expired, or the user has logged in again.
    if (await freshNonces()) return void setTimeout(() => void autosave(), 0)
    showState(words('session'))
    if (isOver) return
    isOver = true
    over = addNotice(words('session'), 'error')
    const link = document.createElement('a')
    link.href = dataset['login'] ?? ''
    link.target = '_blank'
    link.textContent = words('login')
    over.append(' ', link)
  }
  function sessionIsBack() {
    isOver = false
    over?.remove()
  }
  async function freshNonces() {
    try {
      const url = new URL(form.action)
      url.searchParams.set('part', 'nonce')
      const response = await fetch(url, { redirect: 'manual' })
      if (!response.ok) return false
      const own = field(dataset['nonceField'] ?? '')
      if (own === null) return false
      const { form: nonce } = await response.json()
      const isNew = own.value !== nonce || isOver
      own.value = nonce
      return (await renew()) && isNew
    } catch {
      return false
    }
  }

  // The lock.
  const heartbeat = dataset['heartbeat'] ?? ''
  const word = dataset['word'] ?? ''
  async function beat() {
    if (readOnly || heartbeat === '' || id === '') return
    const { nonce } = routeOf('')
    const data = new URLSearchParams({ action: 'heartbeat', _nonce: nonce })
    data.set(`data[${word}-refresh-post-lock][post_id]`, id)
    try {
      const response = await fetch(heartbeat, { method: 'POST', body: data })
      const answer = await response.json()
      if (answer[`${word}-auth-check`] === false) return void (await sessionIsOver())
      if (answer.nonces_expired) return void (await freshNonces())
      if (isOver && (await freshNonces())) {
        sessionIsBack()
        void autosave()
      }
      const lost = answer[`${word}-refresh-post-lock`]?.lock_error
      if (lost !== undefined) loseLock(lost.name)
      else if (changed && !isSaving && state?.textContent === words('offline')) void autosave()
    } catch {
      if (changed) showState(words('offline'))
    }
  }
  /** @param {string} name */
  function loseLock(name) {
    // Another refresh that was in flight has already reported the lost lock.
    if (readOnly) return
    storeBackup()
    readOnly = true
    unsaved = false
    const set = form.querySelector('fieldset')
    if (set !== null) set.disabled = true
    const notice = addNotice(words('lost', { name }), 'error')
    const link = document.createElement('a')
    link.href = form.action
    link.textContent = words('again')
    notice.append(' ', link)
    notice.tabIndex = -1
    notice.focus()
  }
  if (heartbeat !== '') {
    setInterval(() => void beat(), HEARTBEAT_INTERVAL_MS)
    // After 0.5 s, so that the previous page of this browser can release the lock first.
    setTimeout(() => void beat(), 500)
    window.addEventListener('pagehide', () => {
      if (readOnly || isSending || id === '') return
      const { nonce } = routeOf('')
      const data = new URLSearchParams({ action: `${word}-remove-post-lock`, post_ID: id })
      data.set(dataset['nonceField'] ?? '', nonce)
      navigator.sendBeacon(heartbeat, data)
    })
  }

  // Warning before leaving the page.
  form.addEventListener('submit', (event) => {
    const { submitter } = event
    const isStored = !(submitter instanceof HTMLButtonElement) || submitter.value !== 'preview'
    if (isStored) {
      storeBackup()
      isSending = true
    }
  })
  window.addEventListener('beforeunload', (event) => {
    if (unsaved && !isSending) event.preventDefault()
  })
  // Stored texts need no local backup.
  if (document.querySelector('#notices .notice.done') !== null) {
    discardBackup()
    if (id !== '') {
      try {
        localStorage.removeItem(`svc-writing:${dataset['user']}:${dataset['type']}:new`)
      } catch {
        // The storage is disabled.
      }
    }
  }
  showPreview(form, () => readOnly)
  insertPictures(form, () => readOnly)
  searchChoices(form, words)

  // Keyboard shortcuts.
  document.addEventListener('keydown', (event) => {
    const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey
    const letter = event.key.toLowerCase()
    if (isCommand && letter === 's') {
      event.preventDefault()
      const save = form.querySelector('[data-save]')
      if (save instanceof HTMLButtonElement && !readOnly) form.requestSubmit(save)
      return
    }
    if (event.target !== content || !(content instanceof HTMLTextAreaElement)) return
    if (event.key === 'Escape') {
      const save = form.querySelector('[data-save]')
      if (save instanceof HTMLElement) save.focus()
      return
    }
    if (!isCommand || field('mode')?.value !== 'markdown') return
    const mark =
      letter === 'b' ? ['**', '**'] : letter === 'i' ? ['*', '*'] : letter === 'k' ? ['[', '](https://)'] : null
    if (mark === null) return
    event.preventDefault()
    const [before = '', after = ''] = mark
    const { selectionStart: from, selectionEnd: to } = content
    content.setRangeText(before + content.value.slice(from, to) + after, from, to, 'end')
    const end = to + before.length
    if (letter === 'k') content.setSelectionRange(end + 2, end + after.length - 1)
    else content.setSelectionRange(from + before.length, end)
    content.dispatchEvent(new Event('input', { bubbles: true }))
  })

  /** @param {string} text @param {() => void} act */
  function button(text, act) {
    const element = document.createElement('button')
    element.type = 'button'
    element.textContent = text
    element.addEventListener('click', act)
    return element
  }
}

// Autosave, the lock of the post, and the session of the user.
import { announce } from './announce.js'
import { renew, routeOf } from './api.js'
import { timeNow } from './writing-backup.js'

/** Milliseconds without a change before the texts are saved. */
const AUTOSAVE_DELAY_MS = 3_000
/** Milliseconds between two attempts to save while changes are pending. */
const AUTOSAVE_INTERVAL_MS = 60_000
/** Milliseconds between two refreshes of the lock. */
const HEARTBEAT_INTERVAL_MS = 10_000
/** Characters of a content that is sent when the page is left: browsers limit such requests to 64 KiB. */
const MAX_KEPT_ALIVE_CHARACTERS = 15_000

export class Session {
  #timer = 0
  #isOver = false
  #isSaving = false
  /** @type {HTMLElement | null} */
  #over = null

  /** @param {import('./writing.js').WritingPage} page @param {import('./writing-backup.js').Backup} backup */
  constructor(page, backup) {
    this.page = page
    this.backup = backup
  }

  start() {
    const { page } = this
    page.onChange(() => {
      clearTimeout(this.#timer)
      this.#timer = window.setTimeout(() => void this.save(), AUTOSAVE_DELAY_MS)
    })
    setInterval(() => void this.save(), AUTOSAVE_INTERVAL_MS)
    window.addEventListener('online', () => void this.save())
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'hidden') void this.save(true)
    })
    if (this.#heartbeatUrl === '') return
    setInterval(() => void this.#beat(), HEARTBEAT_INTERVAL_MS)
    // After 0.5 s, so that the previous page of this browser can release the lock first.
    setTimeout(() => void this.#beat(), 500)
    window.addEventListener('pagehide', () => this.#releaseLock())
  }

  async save(leaving = false) {
    const { page, backup } = this
    if (!page.changed || page.readOnly || this.#isSaving || page.isSending) return
    // An empty new post is not worth a draft.
    const isNew = page.id === ''
    page.flush()
    if (isNew && (leaving || !['title', 'content', 'excerpt'].some((name) => page.field(name)?.value.trim()))) return
    this.#isSaving = true
    page.changed = false
    const hadOtherChanges = page.hasOtherChanges
    backup.store()
    if (!leaving) page.showState(page.words('saving'))
    const data = new FormData(page.form)
    data.set('do', 'autosave')
    data.delete('file')
    const keepalive = leaving && backup.size < MAX_KEPT_ALIVE_CHARACTERS
    try {
      const response = await fetch(page.form.action, { method: 'POST', body: data, redirect: 'manual', keepalive })
      if (response.status === 401 || response.status === 403) await this.#end()
      else if (response.status === 409) {
        page.changed = true
        page.showState(page.words('conflict'))
        announce(page.words('conflict'))
      } else await this.#saved(response, isNew, hadOtherChanges)
    } catch (error) {
      page.changed = true
      const message = error instanceof Error && !(error instanceof TypeError) ? error.message : ''
      page.showState(message || page.words('offline'))
    } finally {
      this.#isSaving = false
    }
  }

  /** @param {Response} response @param {boolean} isNew @param {boolean} hadOtherChanges */
  async #saved(response, isNew, hadOtherChanges) {
    const { page, backup } = this
    // A proxy can respond with an HTML page.
    const { tag, message, id, url } = await response.json().catch(() => ({}))
    if (!response.ok) throw new Error(message ?? '')
    const own = page.field('tag')
    if (own !== null) own.value = tag
    if (isNew) {
      backup.discard('new')
      const { form } = page
      form.dataset['id'] = String(id)
      form.action = url
      // A reload, or the button for going back, opens the stored draft.
      history.replaceState(null, '', url)
      for (const one of form.querySelectorAll('[data-of-stored]')) {
        if (one instanceof HTMLElement) one.hidden = false
        if (one instanceof HTMLAnchorElement) one.href = url + (one.dataset['ofStored'] ?? '')
      }
      void this.#beat()
    }
    // The first save stores all fields; later ones the texts.
    if (isNew && hadOtherChanges) page.hasOtherChanges = false
    page.unsaved = page.changed || page.hasOtherChanges
    if (!page.changed) backup.discard()
    page.showState(page.words('saved', { time: timeNow() }))
    if (this.#isOver) this.#isBack()
  }

  async #end() {
    const { page } = this
    page.changed = true
    // Retries with a new nonce if there is a session: only the nonce has expired, or the user has logged in again.
    if (await this.#renewNonces()) return void setTimeout(() => void this.save(), 0)
    page.showState(page.words('session'))
    if (this.#isOver) return
    this.#isOver = true
    this.#over = page.addNotice(page.words('session'), 'error')
    const link = document.createElement('a')
    link.href = page.form.dataset['login'] ?? ''
    link.target = '_blank'
    link.textContent = page.words('login')
    this.#over.append(' ', link)
  }

  #isBack() {
    this.#isOver = false
    this.#over?.remove()
  }

  async #renewNonces() {
    const { page } = this
    try {
      const url = new URL(page.form.action)
      url.searchParams.set('part', 'nonce')
      const response = await fetch(url, { redirect: 'manual' })
      if (!response.ok) return false
      const own = page.field(page.form.dataset['nonceField'] ?? '')
      if (own === null) return false
      const { form: nonce } = await response.json()
      const isNew = own.value !== nonce || this.#isOver
      own.value = nonce
      return (await renew()) && isNew
    } catch {
      return false
    }
  }

  get #heartbeatUrl() {
    return this.page.form.dataset['heartbeat'] ?? ''
  }

  get #word() {
    return this.page.form.dataset['word'] ?? ''
  }

  /** Refreshes the lock. */
  async #beat() {
    const { page } = this
    if (page.readOnly || page.id === '' || this.#heartbeatUrl === '') return
    const { nonce } = routeOf('')
    const data = new URLSearchParams({ action: 'heartbeat', _nonce: nonce })
    data.set(`data[${this.#word}-refresh-post-lock][post_id]`, page.id)
    try {
      const response = await fetch(this.#heartbeatUrl, { method: 'POST', body: data })
      const answer = await response.json()
      if (answer[`${this.#word}-auth-check`] === false) return void (await this.#end())
      if (answer.nonces_expired) return void (await this.#renewNonces())
      if (this.#isOver && (await this.#renewNonces())) {
        this.#isBack()
        void this.save()
      }
      const lost = answer[`${this.#word}-refresh-post-lock`]?.lock_error
      if (lost !== undefined) this.#loseLock(lost.name)
      else if (page.changed && page.state?.textContent === page.words('offline')) void this.save()
    } catch {
      if (page.changed) page.showState(page.words('offline'))
    }
  }

  /** @param {string} name */
  #loseLock(name) {
    const { page } = this
    // Another refresh that was in flight has already reported the lost lock.
    if (page.readOnly) return
    this.backup.store()
    page.readOnly = true
    page.unsaved = false
    const set = page.form.querySelector('fieldset')
    if (set !== null) set.disabled = true
    page.form.dispatchEvent(new CustomEvent('lock-lost'))
    const notice = page.addNotice(page.words('lost', { name }), 'error')
    const link = document.createElement('a')
    link.href = page.form.action
    link.textContent = page.words('again')
    notice.append(' ', link)
    notice.tabIndex = -1
    notice.focus()
  }

  #releaseLock() {
    const { page } = this
    if (page.readOnly || page.isSending || page.id === '') return
    const { nonce } = routeOf('')
    const data = new URLSearchParams({ action: `${this.#word}-remove-post-lock`, post_ID: page.id })
    data.set(page.form.dataset['nonceField'] ?? '', nonce)
    navigator.sendBeacon(this.#heartbeatUrl, data)
  }
}

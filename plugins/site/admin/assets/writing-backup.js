// A copy of the texts in this browser, for as long as the server does not have them.
import { announce } from './announce.js'

/** Milliseconds without typing before the text is stored in this browser. */
const BACKUP_DELAY_MS = 800
/** Days for which this browser stores a text. */
const BACKUP_LIFETIME_DAYS = 14
/** Fields of a copy. */
const BACKED_UP = ['title', 'content', 'footnotes', 'excerpt', 'mode']

export class Backup {
  #timer = 0
  /** Called after the texts were restored. */
  onRestore = () => {}

  /** @param {import('./writing.js').WritingPage} page */
  constructor(page) {
    this.page = page
    page.onChange(() => {
      clearTimeout(this.#timer)
      this.#timer = window.setTimeout(() => {
        if (this.store() && page.id === '') page.showState(page.words('savedLocally', { time: timeNow() }))
      }, BACKUP_DELAY_MS)
    })
    // Stored texts need no local backup.
    if (document.querySelector('#notices .notice.done') === null) return
    this.discard()
    if (page.id !== '') this.discard('new')
  }

  /** @param {string} [id] */
  #key(id = this.page.id || 'new') {
    const { dataset } = this.page.form
    return `svc-writing:${dataset['user']}:${dataset['type']}:${id}`
  }

  #texts() {
    const { page } = this
    page.flush()
    const value = (/** @type {string} */ name) => page.field(name)?.value ?? ''
    return Object.fromEntries(BACKED_UP.map((name) => [name, value(name)]))
  }

  /** Number of characters of the content. */
  get size() {
    return this.#texts()['content']?.length ?? 0
  }

  store() {
    const modified = this.page.form.dataset['modified']
    try {
      localStorage.setItem(this.#key(), JSON.stringify({ at: Date.now(), modified, texts: this.#texts() }))
      return true
    } catch {
      return false
    }
  }

  /** @param {string} [id] */
  discard(id) {
    clearTimeout(this.#timer)
    try {
      localStorage.removeItem(this.#key(id))
    } catch {
      // The storage is full or disabled.
    }
  }

  /** Offers to restore the texts of an earlier visit. */
  offer() {
    const { page } = this
    const { words } = page
    /** @type {{ at: number, texts: Record<string, string> } | null} */
    let backup = null
    try {
      backup = JSON.parse(localStorage.getItem(this.#key()) ?? 'null')
    } catch {
      return
    }
    if (backup === null) return
    const { at, texts } = backup
    const now = this.#texts()
    const isSame = BACKED_UP.every((name) => name === 'mode' || (texts[name] ?? '') === now[name])
    if (isSame || Date.now() - at > BACKUP_LIFETIME_DAYS * 86_400_000) return this.discard()
    const notice = page.addNotice(words('copy', { time: new Date(at).toLocaleString() }), 'warning')
    const show = button(words('restore'), () => {
      for (const [name, value] of Object.entries(texts)) {
        const one = page.field(name)
        if (one !== null) one.value = value
      }
      notice.remove()
      page.touched()
      announce(words('restored'))
      page.showState(words('restored'))
      this.onRestore()
    })
    const drop = button(words('forget'), () => {
      this.discard()
      notice.remove()
    })
    notice.append(' ', show, ' ', drop)
  }
}

export const timeNow = () => new Date().toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })

/** @param {string} text @param {() => void} act */
function button(text, act) {
  const element = document.createElement('button')
  element.type = 'button'
  element.textContent = text
  element.addEventListener('click', act)
  return element
}

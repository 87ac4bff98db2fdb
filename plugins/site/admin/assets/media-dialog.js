// The dialog that selects a file of the media library. Loaded on first use.
import { announce } from './announce.js'
import { request } from './api.js'
import { acceptFiles, Uploads } from './media-upload.js'
import { thumbnailOf } from './thumbnails.js'
import { wordsOf } from './words.js'

/** @typedef {import('./media-upload.js').Attachment} Attachment */

/** Files per page. */
const PER_PAGE = 24
/** Milliseconds without typing before a search starts. */
const SEARCH_DELAY_MS = 250

export class Picker {
  /** @type {Attachment[]} */
  #items = []
  /** Files uploaded since the dialog was opened. @type {Attachment[]} */
  #uploaded = []
  /** @type {Attachment | null} */
  #chosen = null
  /** @type {string | null} */
  #next = null
  #type = ''
  /** Whether users select several files; these are the selected ones. */
  #isMany = false
  /** @type {Attachment[]} */
  #marked = []
  #requestCount = 0
  /** @type {((attachments: Attachment[] | null) => void) | null} */
  #answer = null

  /** @param {HTMLDialogElement} dialog */
  constructor(dialog) {
    this.dialog = dialog
    this.words = wordsOf(dialog)
    this.search = part(dialog, 'search', HTMLInputElement)
    this.grid = part(dialog, 'grid', HTMLUListElement)
    this.more = part(dialog, 'more', HTMLButtonElement)
    this.use = part(dialog, 'use', HTMLButtonElement)
    this.alt = part(dialog, 'alt', HTMLInputElement)
    this.state = part(dialog, 'state', HTMLElement)
    this.#listen()
  }

  /** @param {{ type?: string, selected?: number, isMany?: boolean }} options */
  async open({ type = 'image', selected = 0, isMany = false }) {
    this.#type = type
    this.#isMany = isMany
    this.#marked = []
    this.grid.setAttribute('aria-multiselectable', String(isMany))
    // Files may have changed since the dialog was last open.
    this.#items = []
    this.#uploaded = []
    this.grid.replaceChildren()
    this.#choose(null)
    this.search.value = ''
    this.dialog.showModal()
    this.search.focus()
    const answer = new Promise((resolve) => (this.#answer = resolve))
    await this.#load(false)
    const item = this.#items.find(({ id }) => id === selected)
    if (item !== undefined && this.#chosen === null) this.#choose(item)
    return /** @type {Promise<Attachment[] | null>} */ (answer)
  }

  #listen() {
    const { dialog } = this
    dialog.addEventListener('close', () => this.#finish(null))
    part(dialog, 'cancel', HTMLButtonElement).addEventListener('click', () => dialog.close())
    this.use.addEventListener('click', () => void this.#confirm())
    this.more.addEventListener('click', () => void this.#load(true))
    let timer = 0
    this.search.addEventListener('input', () => {
      clearTimeout(timer)
      timer = window.setTimeout(() => void this.#load(false), SEARCH_DELAY_MS)
    })
    this.search.addEventListener('keydown', (event) => {
      // The dialog can be inside a form.
      if (event.key === 'Enter') event.preventDefault()
    })
    this.grid.addEventListener('click', (event) => {
      const item = this.#itemAt(event.target)
      if (item !== null) this.#toggle(item)
    })
    this.grid.addEventListener('dblclick', () => void this.#confirm())
    this.grid.addEventListener('keydown', (event) => this.#key(event))
    const place = dialog.querySelector('[data-uploads]')
    if (!(place instanceof HTMLElement)) return
    const uploads = new Uploads(place, (attachment, row) => {
      row.remove()
      this.#uploaded.unshift(attachment)
      this.#items.unshift(attachment)
      this.grid.prepend(this.#option(attachment))
      this.#toggle(attachment)
      this.#focus(0)
    })
    const field = part(dialog, 'file', HTMLInputElement)
    field.addEventListener('change', () => {
      uploads.add(field.files ?? [])
      field.value = ''
    })
    acceptFiles(dialog, (files) => uploads.add(files))
  }

  /** @param {boolean} more whether to append the files to the current list */
  async #load(more) {
    this.#requestCount += 1
    const requestNumber = this.#requestCount
    const query = new URLSearchParams({ context: 'edit', per_page: String(PER_PAGE) })
    query.set('_fields', 'id,title,alt_text,source_url,mime_type,media_type,media_details')
    query.set('cursor', more ? (this.#next ?? 'first') : 'first')
    if (this.#type !== '') query.set('media_type', this.#type)
    const search = this.search.value.trim()
    if (search !== '') query.set('search', search)
    this.grid.setAttribute('aria-busy', 'true')
    try {
      const { data, headers } = await request(`media?${query}`)
      if (requestNumber !== this.#requestCount) return
      /** @type {Attachment[]} */
      const items = data
      const from = more ? this.#items.length : 0
      // The response can lack files that were uploaded while it was created.
      const previousItems = more ? this.#items : search === '' ? this.#uploaded : []
      const added = items.filter(({ id }) => !previousItems.some((item) => item.id === id))
      this.#items = [...previousItems, ...added]
      const focused = document.activeElement
      const options = new Map(this.#options().map((option) => [Number(option.dataset['id']), option]))
      this.grid.replaceChildren(...this.#items.map((item) => options.get(item.id) ?? this.#option(item)))
      if (focused instanceof HTMLElement && this.grid.contains(focused)) focused.focus()
      const next = /<([^>]+)>;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1]
      this.#next = next === undefined ? null : new URL(next).searchParams.get('cursor')
      this.more.hidden = this.#next === null
      if (!more && this.#chosen !== null && !this.#items.some(({ id }) => id === this.#chosen?.id)) this.#choose(null)
      this.#roving(from)
      if (more) this.#focus(from)
      this.#showStatus(
        this.#items.length === 0 ? this.words('none') : this.words('found', { count: this.#items.length }),
      )
    } catch (error) {
      if (requestNumber === this.#requestCount) this.#showStatus(error instanceof Error ? error.message : String(error))
    } finally {
      if (requestNumber === this.#requestCount) this.grid.removeAttribute('aria-busy')
    }
  }

  /** @param {Attachment} attachment */
  #option(attachment) {
    const option = document.createElement('li')
    const title = attachment.title.raw || attachment.source_url.slice(attachment.source_url.lastIndexOf('/') + 1)
    option.role = 'option'
    option.dataset['id'] = String(attachment.id)
    option.setAttribute('aria-selected', String(this.#isSelected(attachment.id)))
    option.tabIndex = -1
    const url = thumbnailOf(attachment)
    if (url !== '') {
      const image = document.createElement('img')
      image.src = url
      image.alt = ''
      image.loading = 'lazy'
      option.append(image)
    }
    const name = document.createElement('span')
    name.textContent = title
    option.append(name)
    return option
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const options = this.#options()
    const at = options.findIndex((option) => option === document.activeElement)
    if (at < 0) return
    const columns = Math.max(1, options.filter((option) => option.offsetTop === options[0]?.offsetTop).length)
    const moves = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }
    const to =
      event.key === 'Home' ? 0 : event.key === 'End' ? options.length - 1 : at + (Reflect.get(moves, event.key) ?? 0)
    if (event.key === ' ' || event.key === 'Enter') {
      event.preventDefault()
      const item = this.#itemAt(options[at] ?? null)
      if (item !== null && (event.key === ' ' || !this.#isMany || !this.#isSelected(item.id))) this.#toggle(item)
      if (event.key === 'Enter') void this.#confirm()
    } else if (to !== at || event.key === 'Home' || event.key === 'End') {
      event.preventDefault()
      this.#focus(Math.min(Math.max(to, 0), options.length - 1))
    }
  }

  #options() {
    return [...this.grid.children].filter((one) => one instanceof HTMLElement)
  }

  /** @param {number} at index of the option in the tab order */
  #roving(at) {
    for (const [index, option] of this.#options().entries()) option.tabIndex = index === at ? 0 : -1
  }

  /** @param {number} at */
  #focus(at) {
    this.#roving(at)
    this.#options()[at]?.focus()
  }

  /** @param {EventTarget | null} target */
  #itemAt(target) {
    const option = target instanceof Element ? target.closest('[data-id]') : null
    const id = option instanceof HTMLElement ? Number(option.dataset['id']) : 0
    return this.#items.find((item) => item.id === id) ?? null
  }

  /** Selects a file; of several selected files, a second click removes it. @param {Attachment} item */
  #toggle(item) {
    const isMarked = this.#isMany && this.#marked.some(({ id }) => id === item.id)
    this.#marked = isMarked ? this.#marked.filter(({ id }) => id !== item.id) : [...this.#marked, item]
    this.#choose(isMarked ? (this.#marked.at(-1) ?? null) : item)
  }

  /** @param {number} id */
  #isSelected(id) {
    return id === this.#chosen?.id || (this.#isMany && this.#marked.some((one) => one.id === id))
  }

  /** @param {Attachment | null} item */
  #choose(item) {
    this.#chosen = item
    for (const [index, option] of this.#options().entries()) {
      const isChosen = item !== null && Number(option.dataset['id']) === item.id
      option.setAttribute('aria-selected', String(this.#isSelected(Number(option.dataset['id']))))
      if (isChosen) this.#roving(index)
    }
    this.use.disabled = item === null
    this.alt.disabled = item === null || !item.mime_type.startsWith('image/')
    this.alt.value = item?.alt_text ?? ''
  }

  /** Returns the selected file, and stores its alternative text if it was changed. */
  async #confirm() {
    const chosen = this.#chosen
    if (chosen === null) return
    const alt = this.alt.value.trim()
    let attachment = chosen
    if (!this.alt.disabled && alt !== chosen.alt_text) {
      try {
        attachment = (await request(`media/${chosen.id}?context=edit`, { method: 'POST', json: { alt_text: alt } }))
          .data
      } catch (error) {
        this.#showStatus(error instanceof Error ? error.message : String(error))
        return
      }
    }
    const marked = this.#marked.map((one) => (one.id === attachment.id ? attachment : one))
    this.#finish(this.#isMany && marked.length > 0 ? marked : [attachment])
    this.dialog.close()
  }

  /** @param {Attachment[] | null} attachments */
  #finish(attachments) {
    this.#answer?.(attachments)
    this.#answer = null
  }

  /** @param {string} text */
  #showStatus(text) {
    this.state.textContent = text
    announce(text)
  }
}

/**
 * Returns a part of an element that the server has rendered.
 * @template {HTMLElement} T
 * @param {HTMLElement} element
 * @param {string} name
 * @param {new () => T} type
 * @returns {T}
 */
function part(element, name, type) {
  const found = element.querySelector(`[data-part="${name}"]`)
  if (!(found instanceof type)) throw new Error(`The media picker has no ${name}.`)
  return found
}

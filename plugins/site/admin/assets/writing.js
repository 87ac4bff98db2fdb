// The editor of posts: the rich editor or the source, autosave, local backup, lock, keyboard shortcuts. Without scripts,
// users edit the source, and buttons provide the rest.
import { searchChoices } from './choices.js'
import { load } from './load.js'
import { Backup } from './writing-backup.js'
import { Modes } from './writing-modes.js'
import { Session } from './writing-session.js'
import { wordsOf } from './words.js'

/** The form of a post, for the parts of the editor. */
export class WritingPage {
  readOnly = false
  /** Whether there are changes that were not autosaved, and changes that were not stored with the form. */
  changed = false
  unsaved = false
  /** Whether there are changes of fields that autosaves do not contain. */
  hasOtherChanges = false
  /** Whether the form is being submitted. */
  isSending = false
  /** Writes the document of the rich editor to the source. */
  flush = () => {}
  /** @type {(() => void)[]} */
  #listeners = []

  /** @param {HTMLFormElement} form */
  constructor(form) {
    this.form = form
    this.words = wordsOf(form)
    this.state = form.querySelector('[data-state]')
    this.readOnly = form.dataset['locked'] === '1'
  }

  /** ID of the post; '' for a new one. */
  get id() {
    return this.form.dataset['id'] ?? ''
  }

  /** @param {string} name */
  field(name) {
    const found = this.form.elements.namedItem(name)
    return found instanceof HTMLInputElement || found instanceof HTMLTextAreaElement ? found : null
  }

  /** @param {string} text */
  showState(text) {
    if (this.state !== null && this.state.textContent !== text) this.state.textContent = text
  }

  /** @param {string} text @param {string} kind */
  addNotice(text, kind) {
    const notice = document.createElement('div')
    notice.className = `notice ${kind}`
    notice.setAttribute('role', 'alert')
    notice.textContent = text
    document.querySelector('#notices')?.append(notice)
    return notice
  }

  /** @param {() => void} listener called after each change of the form */
  onChange(listener) {
    this.#listeners.push(listener)
  }

  /** @param {EventTarget | null} [target] the changed field; null for the text */
  touched(target = null) {
    const isText = target === null || TEXTS.includes(Reflect.get(target, 'name'))
    if (!isText) this.hasOtherChanges = true
    this.changed = true
    this.unsaved = true
    for (const listener of this.#listeners) listener()
  }
}

/** Fields of autosaves. */
const TEXTS = ['title', 'content', 'excerpt', 'mode']

const form = document.querySelector('#writing')
if (form instanceof HTMLFormElement) start(new WritingPage(form))

/** @param {WritingPage} page */
function start(page) {
  const { form, words } = page
  form.addEventListener('input', ({ target }) => page.touched(target))
  const backup = new Backup(page)
  const session = new Session(page, backup)
  const modes = new Modes(page)
  backup.onRestore = () => modes.restored()
  backup.offer()

  form.addEventListener('formdata', ({ formData }) => {
    page.flush()
    const content = page.field('content')
    if (content !== null && !content.disabled) formData.set('content', content.value)
  })
  form.addEventListener('submit', (event) => {
    const { submitter } = event
    const isStored = !(submitter instanceof HTMLButtonElement) || submitter.value !== 'preview'
    if (!isStored) return
    page.flush()
    backup.store()
    page.isSending = true
  })
  window.addEventListener('beforeunload', (event) => {
    if (page.unsaved && !page.isSending) event.preventDefault()
  })
  session.start()
  searchChoices(form, words)
  presets(form)
  void modes.start()

  const title = page.field('title')
  if (title !== null && page.id === '' && title.value === '' && !page.readOnly) title.focus()
  title?.addEventListener('keydown', (event) => {
    if (event instanceof KeyboardEvent && event.key === 'Enter' && !event.isComposing) {
      event.preventDefault()
      modes.focus()
    }
  })
  document.addEventListener('keydown', (event) => {
    const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey
    if (!isCommand || event.key.toLowerCase() !== 's') return
    event.preventDefault()
    const save = form.querySelector('[data-save]')
    if (save instanceof HTMLButtonElement && !page.readOnly) form.requestSubmit(save)
  })
  const sidebar = form.querySelector('.writing-sidebar')
  const toggle = form.querySelector('[data-settings]')
  if (sidebar === null || !(toggle instanceof HTMLButtonElement)) return
  toggle.hidden = false
  toggle.addEventListener('click', () => {
    const isShown = getComputedStyle(sidebar).display !== 'none'
    form.dataset['settings'] = isShown ? 'hidden' : 'shown'
    toggle.setAttribute('aria-expanded', String(!isShown))
    if (!isShown && sidebar instanceof HTMLElement) sidebar.focus()
  })
}

/** Buttons that set the date of a post, and the label of the button that publishes. @param {HTMLFormElement} form */
function presets(form) {
  const date = form.elements.namedItem('date')
  const publish = form.querySelector('[data-schedule]')
  if (date instanceof HTMLInputElement && publish instanceof HTMLElement)
    date.addEventListener('input', () => {
      const { now = '', schedule = '', publish: label = '' } = publish.dataset
      publish.textContent = date.value > now ? schedule : label
    })
  for (const button of form.querySelectorAll('[data-date]')) {
    if (!(button instanceof HTMLButtonElement) || !(date instanceof HTMLInputElement)) continue
    button.hidden = false
    button.addEventListener('click', () => {
      date.value = button.dataset['date'] ?? ''
      date.dispatchEvent(new Event('input', { bubbles: true }))
    })
  }
}

const focal = document.querySelector('[data-focal]')
const [across, down] = ['x', 'y'].map((name) => document.querySelector(`#field-image_focal_${name}`))
if (focal instanceof HTMLElement && across instanceof HTMLInputElement && down instanceof HTMLInputElement) {
  focal.hidden = false
  focal.tabIndex = 0
  void load(() => import('./focal-point.js')).then((part) => part?.setFocalPointOn(focal, across, down))
}
// The fields about the image belong to the stored one until the post is saved.
document.addEventListener('media-chosen', ({ target }) => {
  const fields = target instanceof Element ? target.closest('.box')?.querySelector('[data-of-image]') : null
  if (fields instanceof HTMLElement) fields.hidden = true
})

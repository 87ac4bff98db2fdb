// The editors of the content: blocks, HTML and Markdown. The textarea is the submitted field of all three.
import { load } from './load.js'

/** @typedef {import('./writing.js').WritingPage} WritingPage */
/** @typedef {import('./editor/editor.js').RichEditor} RichEditor */

/** The server has refused a conversion; the message is for the user. */
class Refusal extends Error {}

/**
 * Converts the blocks of the form to Markdown on the server.
 * @param {HTMLFormElement} form
 * @returns {Promise<string>}
 */
async function markdownOfBlocks(form) {
  const data = new FormData(form)
  data.set('do', 'as-markdown')
  data.delete('file')
  const response = await fetch(form.action, { method: 'POST', body: data, redirect: 'manual' })
  const answer = await response.json()
  if (response.status === 422) throw new Refusal(answer.message)
  if (!response.ok) throw new Error(String(response.status))
  return answer.content
}

export class Modes {
  /** @type {RichEditor | null} */
  #rich = null
  #hasSource = false

  /** @param {WritingPage} page */
  constructor(page) {
    this.page = page
    this.content = page.field('content')
    this.mode = page.field('mode')
    this.box = page.form.querySelector('.content')
    this.isRich = page.form.dataset['rich'] === '1' && this.content !== null
    this.buttons = /** @type {HTMLButtonElement[]} */ ([...page.form.querySelectorAll('[data-mode]')])
  }

  async start() {
    const { page, content, mode } = this
    if (!(content instanceof HTMLTextAreaElement) || mode === null) return
    for (const button of this.buttons) {
      button.hidden = false
      button.addEventListener('click', () => void this.#switch(button.dataset['mode'] ?? ''))
    }
    for (const one of page.form.querySelectorAll('[data-without-script]')) one.remove()
    this.#checkPublishing()
    if (page.form.dataset['rich'] === '1') await this.#switch('rich')
    else this.#show()
  }

  /** Moves the focus to the text. */
  focus() {
    if (this.isRich) this.#rich?.focusStart()
    else this.content?.focus()
  }

  /** Shows restored texts. */
  restored() {
    if (!this.isRich) {
      this.#show()
      return this.content?.focus()
    }
    if (this.mode?.value === 'markdown') void this.#switch('markdown')
    else
      this.#rich?.load().catch(() => {
        this.isRich = false
        this.#show()
      })
  }

  /** @param {string} to `rich`, `html` or `markdown` */
  async #switch(to) {
    const { page, content, mode } = this
    if (!(content instanceof HTMLTextAreaElement) || mode === null) return
    if (this.#rich?.media?.isUploading === true) await this.#uploaded(this.#rich.media)
    page.flush()
    try {
      if (mode.value === 'markdown' && to !== 'markdown') {
        if (content.value.trim() !== '') {
          const { blocksOfMarkdown } = await import('./editor/paste.js')
          content.value = await blocksOfMarkdown(page.form, content.value)
          page.touched()
        }
        mode.value = 'html'
      } else if (to === 'markdown' && mode.value === 'html') {
        if (content.value.trim() !== '') content.value = await markdownOfBlocks(page.form)
        mode.value = 'markdown'
      }
      if (to === 'rich') await this.#openRich(content)
    } catch (error) {
      const refused = error instanceof Refusal ? error.message : ''
      if (refused === '') console.error(error)
      page.showState(refused || page.words('richFailed'))
      to = this.isRich ? 'rich' : mode.value
    }
    this.isRich = to === 'rich' && mode.value === 'html'
    this.#show()
  }

  /** @param {HTMLTextAreaElement} content */
  async #openRich(content) {
    const { page } = this
    if (this.#rich !== null) return this.#rich.load()
    const { RichEditor } = await import('./editor/editor.js')
    const rich = new RichEditor(page.form, content, {
      words: page.words,
      onChange: () => {
        page.touched()
      },
      isReadOnly: () => page.readOnly,
    })
    this.box?.before(rich.root)
    await rich.open()
    this.#rich = rich
    page.flush = () => {
      if (this.isRich) rich.flush()
    }
    page.form.addEventListener('lock-lost', () => rich.tiptap.setEditable(false))
    const waitForUploads = (/** @type {SubmitEvent} */ event) => {
      const { submitter } = event
      if (rich.media?.isUploading !== true) return
      event.preventDefault()
      event.stopImmediatePropagation()
      void this.#uploaded(rich.media).then(() => page.form.requestSubmit(submitter))
    }
    page.form.addEventListener('submit', waitForUploads, { capture: true })
  }

  /** @param {import('./editor/media.js').MediaInserter} media */
  async #uploaded(media) {
    this.page.showState(this.page.words('waitsForUploads'))
    await media.settled()
    this.page.showState('')
  }

  #show() {
    const { mode } = this
    const shown = this.isRich ? 'rich' : (mode?.value ?? 'html')
    for (const button of this.buttons) {
      button.setAttribute('aria-pressed', String(button.dataset['mode'] === shown))
    }
    if (this.box instanceof HTMLElement) this.box.hidden = this.isRich
    const preview = this.page.form.querySelector('button[value="preview"]')
    if (preview instanceof HTMLButtonElement) preview.formTarget = this.isRich ? '_blank' : 'preview'
    if (!this.isRich && !this.#hasSource) void this.#addSourceTools()
    this.#rich?.show(this.isRich)
    const label = this.page.form.querySelector('label[for="field-content"]')
    if (label !== null) label.textContent = this.page.words(shown === 'markdown' ? 'contentMarkdown' : 'contentHtml')
    const hint = this.page.form.querySelector('#field-content-hint')
    if (hint !== null) hint.textContent = this.page.words(shown === 'markdown' ? 'markdownHint' : 'htmlHint')
  }

  /** Adds what only the source has: shortcuts, the button for images, and the preview beside the text. */
  async #addSourceTools() {
    const { page, content } = this
    this.#hasSource = true
    const part = await load(() => import('./source.js'))
    if (part === null || !(content instanceof HTMLTextAreaElement)) return
    part.markdownKeys(page.form, content)
    part.insertPictures(page.form, () => page.readOnly)
    part.showPreview(
      page.form,
      () => page.readOnly,
      () => this.isRich,
    )
  }

  /** Shows the checklist before a post is published. */
  #checkPublishing() {
    const { page } = this
    let isConfirmed = false
    /** @param {SubmitEvent} event */
    const check = (event) => {
      const { submitter } = event
      if (isConfirmed || !(submitter instanceof HTMLButtonElement) || submitter.value !== 'publish') return
      event.preventDefault()
      event.stopImmediatePropagation()
      page.flush()
      void import('./editor/checklist.js')
        .then(({ confirmPublishing }) => confirmPublishing(page.form, this.isRich ? this.#rich : null, page.words))
        // Without the list, the post is published.
        .catch(() => true)
        .then((isWanted) => {
          if (!isWanted) return submitter.focus()
          isConfirmed = true
          page.form.requestSubmit(submitter)
        })
    }
    // Before the listeners that expect that the form is sent.
    page.form.addEventListener('submit', check, { capture: true })
  }
}

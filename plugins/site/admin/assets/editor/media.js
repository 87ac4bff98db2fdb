// Images and files: from the media library, dropped, or pasted. Loaded on first use.
import { Plugin, PluginKey } from '@tiptap/pm/state'
import { Decoration, DecorationSet } from '@tiptap/pm/view'
import { announce } from '../announce.js'
import { ApiError, request } from '../api.js'
import { pickMedia, pickSeveralMedia } from '../media-picker.js'
import { upload } from '../media-upload.js'
import { thumbnailOf } from '../thumbnails.js'
import { changeAttributes } from './block-list.js'
import { element, labeled, openDialog, textButton } from './parts.js'
import { embedOf } from './embeds.js'

/** @typedef {import('./editor.js').RichEditor} RichEditor */
/** @typedef {import('../media-upload.js').Attachment} Attachment */
/** @typedef {import('@tiptap/core').JSONContent} JSONContent */

/** @type {PluginKey<DecorationSet>} */
const uploads = new PluginKey('uploads')

/** @param {Attachment} attachment @returns {JSONContent} */
export function imageBlock({ id, alt_text: alt, source_url: source, media_details: { sizes } }) {
  const large = sizes?.['large']?.source_url
  const attributes = {
    id,
    url: large ?? source,
    alt,
    sizeSlug: large === undefined ? 'full' : 'large',
    linkDestination: 'none',
  }
  return { type: 'image', attrs: { attributes } }
}

/** Blocks by the first part of the type of a file. @type {Readonly<Record<string, (file: Attachment) => JSONContent>>} */
const BLOCKS = {
  image: imageBlock,
  audio: ({ id, source_url: src }) => ({ type: 'audio', attrs: { attributes: { id, src } } }),
  video: ({ id, source_url: src }) => ({ type: 'video', attrs: { attributes: { id, src } } }),
}

/** @param {Attachment} file @returns {JSONContent} */
function fileBlock(file) {
  const { id, source_url: href, title } = file
  const fileName = title.raw || href.slice(href.lastIndexOf('/') + 1)
  return { type: 'file', attrs: { attributes: { id, href, textLinkHref: href, fileName, showDownloadButton: true } } }
}

export class MediaInserter {
  /** Uploads in progress, each until its images are described. @type {Set<Promise<void>>} */
  #pending = new Set()

  /** @param {RichEditor} rich */
  constructor(rich) {
    this.rich = rich
    rich.tiptap.registerPlugin(uploadPlugin())
    window.addEventListener('beforeunload', (event) => {
      if (this.isUploading) event.preventDefault()
    })
  }

  get isUploading() {
    return this.#pending.size > 0
  }

  /** Waits until all uploads have ended and their images are described. */
  async settled() {
    while (this.isUploading) await Promise.all(this.#pending)
  }

  /**
   * Returns the nodes of a block that needs a file or an address; null if the page has no media library, and an empty
   * list if the user has canceled.
   * @param {import('./model/index.js').InsertableBlock} block
   * @returns {Promise<JSONContent[] | null>}
   */
  async create(block) {
    if (block.name === 'core/embed') return this.#embed(block)
    if (block.name === 'core/gallery') return this.#gallery(block)
    const kind = /^core\/(image|audio|video|file)$/.exec(block.name)?.[1]
    if (kind === undefined || document.querySelector('#media-picker') === null) return null
    const file = await pickMedia({ type: kind === 'file' ? '' : kind })
    if (file === null) return []
    return [(BLOCKS[kind] ?? fileBlock)(file)]
  }

  /** @param {import('./model/index.js').InsertableBlock} block */
  async #gallery(block) {
    if (document.querySelector('#media-picker') === null) return null
    const files = await pickSeveralMedia({ type: 'image' })
    if (files === null) return []
    const created = block.create()
    return [{ ...created, content: files.map(imageBlock) }]
  }

  /** @param {import('./model/index.js').InsertableBlock} block */
  async #embed(block) {
    const { words, data } = this.rich
    const url = element('input', { type: 'url', required: true, placeholder: 'https://' })
    const answer = await openDialog(words('embed'), (close) => {
      const form = element('form', { method: 'dialog' }, labeled(words('embedUrl'), url))
      form.append(
        element(
          'p',
          { class: 'actions' },
          element('button', { class: 'primary', value: 'use' }, words('insert')),
          textButton(words('cancel'), close),
        ),
      )
      return [form]
    })
    if (answer !== 'use') return []
    const known = embedOf(url.value, data.mark)
    return [known ?? { ...block.create(), attrs: { attributes: { url: url.value } } }]
  }

  /**
   * Uploads files and inserts a block for each.
   * @param {File[]} files
   * @param {number} [pos] position in the document; the selection by default
   */
  addFiles(files, pos = this.rich.view.state.selection.from) {
    const { doc } = this.rich.view.state
    const position = doc.resolve(Math.min(pos, doc.content.size))
    const at = position.depth === 0 ? position.pos : position.after(1)
    const pending = this.#addAll(files, at).finally(() => this.#pending.delete(pending))
    this.#pending.add(pending)
  }

  /** @param {File[]} files @param {number} at */
  async #addAll(files, at) {
    /** @type {Promise<Attachment | null>} */
    let previous = Promise.resolve(null)
    const uploaded = files.map((file) => (previous = this.#upload(file, at, previous)))
    const stored = await Promise.all(uploaded)
    const images = stored.flatMap((one) => (one?.mime_type.startsWith('image/') ? [one] : []))
    if (images.length > 0) await this.#askAlternatives(images)
  }

  /** @param {File} file @param {number} at @param {Promise<unknown>} previous upload, whose block is above @returns {Promise<Attachment | null>} */
  async #upload(file, at, previous) {
    const { rich } = this
    const { view, words } = rich
    const key = {}
    const stop = new AbortController()
    const bar = element('progress', { max: 1, value: 0, 'aria-label': words('uploading', { name: file.name }) })
    const state = element('span', {}, file.name)
    const cancel = textButton(words('cancel'), () => stop.abort())
    const widget = element('div', { class: 'editor-upload', contenteditable: 'false' }, state, bar, cancel)
    const remove = () => view.dispatch(view.state.tr.setMeta(uploads, { remove: key }).setMeta('addToHistory', false))
    view.dispatch(view.state.tr.setMeta(uploads, { add: { at, widget, key } }).setMeta('addToHistory', false))
    try {
      this.#check(file)
      const stored = await upload(file, { signal: stop.signal, onProgress: (part) => (bar.value = part) })
      await previous
      const place = this.#placeOf(key)
      remove()
      const kind = stored.mime_type.slice(0, stored.mime_type.indexOf('/'))
      const node = rich.tiptap.schema.nodeFromJSON((BLOCKS[kind] ?? fileBlock)(stored))
      if (place !== null) rich.apply(insertAt(view.state.tr, place, node))
      announce(words('uploaded', { name: file.name }))
      return stored
    } catch (error) {
      if (stop.signal.aborted) {
        remove()
        view.focus()
        return null
      }
      bar.remove()
      cancel.replaceWith(textButton(words('close'), remove))
      widget.classList.add('failed')
      const isUnreached = error instanceof ApiError && error.status === 0
      const why = isUnreached ? words('unreached') : error instanceof Error ? error.message : ''
      state.textContent = words('uploadFailed', { name: file.name, why })
      announce(state.textContent)
      return null
    }
  }

  /** @param {File} file @throws {Error} if the server would refuse the file */
  #check({ size }) {
    const { words, data } = this.rich
    if (!data.canUpload) throw new Error(words('noUpload'))
    const most = Math.floor(data.maxUploadBytes / 1_000_000)
    if (size > data.maxUploadBytes) throw new Error(words('tooLarge', { most }))
  }

  /** @param {object} key @returns {number | null} */
  #placeOf(key) {
    const [found] =
      uploads.getState(this.rich.view.state)?.find(undefined, undefined, (spec) => spec['uploadOf'] === key) ?? []
    return found === undefined ? null : found.from
  }

  /** Asks for the alternative texts of new images. @param {Attachment[]} images */
  async #askAlternatives(images) {
    const { rich } = this
    const { words } = rich
    const fields = images.map((image) => ({
      image,
      input: element('input', { type: 'text', value: image.alt_text, maxlength: 300 }),
    }))
    const answer = await openDialog(words('altTitle'), (close) => {
      const form = element('form', { method: 'dialog' }, element('p', { class: 'hint' }, words('altHint')))
      for (const { image, input } of fields)
        form.append(
          element(
            'div',
            { class: 'editor-alt' },
            element('img', { src: thumbnailOf(image), alt: '' }),
            labeled(words('alt'), input),
          ),
        )
      form.append(
        element(
          'p',
          { class: 'actions' },
          element('button', { class: 'primary', value: 'save' }, words('save')),
          textButton(words('skip'), close),
        ),
      )
      return [form]
    })
    if (answer === 'save') for (const { image, input } of fields) this.#storeAlternative(image.id, input.value.trim())
    rich.view.focus()
  }

  /** @param {number} id @param {string} alt */
  #storeAlternative(id, alt) {
    const { rich } = this
    if (alt === '') return
    const { state } = rich.view
    state.doc.descendants((node, pos) => {
      const attributes = node.attrs['attributes']
      if (node.type.name === 'image' && attributes?.id === id && attributes.alt !== alt)
        rich.apply(changeAttributes(rich.view.state, pos, { alt }))
    })
    void request(`media/${id}`, { method: 'POST', json: { alt_text: alt } }).catch(() => {})
  }
}

/** @param {import('@tiptap/pm/state').Transaction} tr @param {number} at @param {import('@tiptap/pm/model').Node} node */
function insertAt(tr, at, node) {
  const before = tr.doc.resolve(at).nodeBefore
  // An image takes the place of the empty paragraph in which it was pasted.
  if (before?.type.name === 'paragraph' && before.content.size === 0)
    return tr.replaceWith(at - before.nodeSize, at, node)
  return tr.insert(at, node)
}

/** Shows uploads in the document, and moves them with the text. */
function uploadPlugin() {
  return new Plugin({
    key: uploads,
    state: {
      init: () => DecorationSet.empty,
      apply(tr, set) {
        const { add, remove } = tr.getMeta(uploads) ?? {}
        const mapped = set.map(tr.mapping, tr.doc)
        if (add !== undefined)
          return mapped.add(tr.doc, [Decoration.widget(add.at, add.widget, { uploadOf: add.key, side: 1 })])
        if (remove !== undefined)
          return mapped.remove(mapped.find(undefined, undefined, (spec) => spec['uploadOf'] === remove))
        return mapped
      },
    },
    props: { decorations: (state) => uploads.getState(state) },
  })
}

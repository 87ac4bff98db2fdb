// Images and files: from the media library, dropped, or pasted.
import { Plugin, PluginKey } from '@tiptap/pm/state'
import { Decoration, DecorationSet } from '@tiptap/pm/view'
import { announce } from '../announce.js'
import { request } from '../api.js'
import { pickMedia, pickSeveralMedia } from '../media-picker.js'
import { thumbnailOf, upload } from '../media-upload.js'
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
  /** @param {RichEditor} rich */
  constructor(rich) {
    this.rich = rich
  }

  /**
   * Returns the nodes of a block that needs a file or an address; null for other blocks, and an empty list if the user
   * has canceled.
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
    const { rich } = this
    if (!rich.data.canUpload) return false
    const { doc } = rich.view.state
    const position = doc.resolve(Math.min(pos, doc.content.size))
    const at = position.depth === 0 ? position.pos : position.after(1)
    void Promise.all(files.map((file) => this.#upload(file, at))).then((stored) => {
      const images = stored.flatMap((one) => (one?.mime_type.startsWith('image/') ? [one] : []))
      if (images.length > 0) void this.#askAlternatives(images)
    })
    return true
  }

  /** @param {File} file @param {number} at @returns {Promise<Attachment | null>} */
  async #upload(file, at) {
    const { rich } = this
    const { view, words } = rich
    const key = {}
    const bar = element('progress', { max: 1, value: 0, 'aria-label': words('uploading', { name: file.name }) })
    const state = element('span', {}, file.name)
    const widget = element('div', { class: 'editor-upload', contenteditable: 'false' }, state, bar)
    view.dispatch(view.state.tr.setMeta(uploads, { add: { at, widget, key } }).setMeta('addToHistory', false))
    try {
      const stored = await upload(file, { onProgress: (part) => (bar.value = part) })
      const place = this.#placeOf(key)
      const kind = stored.mime_type.slice(0, stored.mime_type.indexOf('/'))
      const node = rich.tiptap.schema.nodeFromJSON((BLOCKS[kind] ?? fileBlock)(stored))
      const tr = view.state.tr.setMeta(uploads, { remove: key })
      rich.apply(place === null ? tr : insertAt(tr, place, node))
      announce(words('uploaded', { name: file.name }))
      return stored
    } catch (error) {
      bar.remove()
      widget.classList.add('failed')
      state.textContent = words('uploadFailed', { name: file.name, why: error instanceof Error ? error.message : '' })
      widget.append(
        textButton(words('close'), () =>
          view.dispatch(view.state.tr.setMeta(uploads, { remove: key }).setMeta('addToHistory', false)),
        ),
      )
      announce(state.textContent)
      return null
    }
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
export function uploadPlugin() {
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

// The settings of the selected block.
import { TextSelection } from '@tiptap/pm/state'
import { request } from '../api.js'
import { load } from '../load.js'
import { blocksAround, blockAt, changeAttributes, isBlock } from './block-list.js'
import { COLORED, SETTINGS, settingsOfSchemas, WITHOUT_ANCHOR } from './block-settings.js'
import { choiceInput, element, labeled, textButton } from './parts.js'
import { sizeUrl } from './image-sizes.js'
import { readDocument } from './model/index.js'

/** @typedef {import('./editor.js').RichEditor} RichEditor */
/** @typedef {import('./block-list.js').FoundBlock} FoundBlock */
/** @typedef {import('./block-settings.js').Setting & { text?: string }} Setting */

/** Settings of unknown blocks by name. @type {Map<string, Promise<Setting[]>>} */
const schemas = new Map()

export class BlockForm {
  /** @param {RichEditor} rich */
  constructor(rich) {
    this.rich = rich
  }

  /** @param {FoundBlock} block @returns {Node[]} */
  build(block) {
    const { rich } = this
    const { words } = rich
    const { node, pos } = block
    const name = rich.nameOf(node)
    const heading = element('h2', {}, rich.titleOf({ name }))
    const parents = blocksAround(rich.view.state.doc.resolve(pos)).filter((one) => one.pos !== pos)
    const path = parents.map((one) =>
      textButton(rich.titleOf({ name: rich.nameOf(one.node) }), () => rich.selectBlock(one.pos), 'plain'),
    )
    /** @type {Node[]} */
    const parts = [...(path.length > 0 ? [element('p', { class: 'editor-path' }, ...path)] : []), heading]
    const fields = (SETTINGS[node.type.name] ?? []).map((setting) => this.#field(setting, block))
    parts.push(...fields)
    if (node.type.name === 'tableBlock') parts.push(this.#table())
    parts.push(...partButton(rich, block))
    if (node.type.name === 'unknownBlock') parts.push(this.#unknown(block))
    if (node.type.name === 'classic') parts.push(...this.#classic(block))
    if (COLORED.has(node.type.name)) parts.push(this.#colors(block))
    if (isBlock(node) && node.type.name !== 'unknownBlock') parts.push(this.#advanced(block))
    for (const { title, show } of rich.panels) {
      const content = show(block, rich)
      if (content !== null) parts.push(this.#group(title, content))
    }
    if (fields.length === 0 && parts.length === 1) parts.push(element('p', { class: 'hint' }, words('noSettings')))
    return parts
  }

  /** @param {string} title @param {...Node} content */
  #group(title, ...content) {
    return element(
      'details',
      { class: 'box', open: true },
      element('summary', {}, element('h3', {}, title)),
      ...content,
    )
  }

  /** @param {number} pos @param {Record<string, unknown>} changes */
  #change(pos, changes) {
    const { rich } = this
    if (blockAt(rich.view.state, pos) !== null) rich.apply(changeAttributes(rich.view.state, pos, changes))
  }

  /** @param {Setting} setting @param {FoundBlock} block */
  #field(setting, { node, pos }) {
    const { rich } = this
    const { words } = rich
    const { name, kind, choices = [], initial, text, hint } = setting
    const value = node.attrs['attributes'][name] ?? initial
    /** @param {unknown} next */
    const store = (next) => {
      if (node.type.name === 'image' && name === 'sizeSlug')
        void sizeUrl(node.attrs['attributes'].id, String(next)).then((url) =>
          this.#change(pos, { sizeSlug: next, ...(url === null ? {} : { url }) }),
        )
      else if (name === 'linkTarget')
        this.#change(pos, {
          linkTarget: next === true ? '_blank' : undefined,
          rel: next === true ? 'noreferrer noopener' : undefined,
        })
      else this.#change(pos, { [name]: next === '' || next === initial ? undefined : next })
    }
    const label = text ?? words(setting.label)
    /** @type {HTMLElement} */
    let input
    if (kind === 'flag') {
      const box = element('input', { type: 'checkbox', checked: value === true || value === '_blank' })
      box.addEventListener('change', () => store(box.checked))
      input = box
    } else if (kind === 'choice') {
      const all = choices.map((one) => ({ value: String(one), label: rich.choiceText(setting.label, one) }))
      input = choiceInput(all, String(value ?? ''), (chosen) =>
        store(typeof initial === 'number' ? Number(chosen) : chosen),
      )
    } else {
      const field = kind === 'lines' ? element('textarea', { rows: 3 }) : element('input', { type: kind })
      field.value = String(value ?? '')
      field.addEventListener('change', () =>
        store(kind === 'number' ? (field.value === '' ? undefined : Number(field.value)) : field.value),
      )
      input = field
    }
    input.dataset['setting'] = name
    const field = labeled(label, input)
    if (hint !== undefined) {
      const note = element('p', { class: 'hint', id: `${input.id}-hint` }, words(hint))
      input.setAttribute('aria-describedby', note.id)
      field.append(note)
    }
    return field
  }

  /** The commands for rows and columns. */
  #table() {
    const place = element('div')
    void load(() => import('./table-tools.js')).then((part) =>
      place.append(...(part === null ? [] : [part.tableTools(this.rich)])),
    )
    return place
  }

  /** @param {FoundBlock} block */
  #colors({ node, pos }) {
    const { words, data } = this.rich
    const attributes = node.attrs['attributes']
    const choices = [
      { value: '', label: words('initialColor') },
      ...data.colors.map(({ name, slug }) => ({ value: slug, label: name })),
    ]
    const select = (/** @type {'textColor' | 'backgroundColor'} */ name) =>
      labeled(
        words(name),
        choiceInput(choices, String(attributes[name] ?? ''), (value) =>
          this.#change(pos, { [name]: value || undefined }),
        ),
      )
    return this.#group(words('colors'), select('textColor'), select('backgroundColor'))
  }

  /** @param {FoundBlock} block */
  #advanced({ node, pos }) {
    const { words } = this.rich
    const field = (/** @type {'anchor' | 'className'} */ name, /** @type {string} */ label) => {
      const input = element('input', { type: 'text' })
      input.value = String(node.attrs['attributes'][name] ?? '')
      input.addEventListener('change', () => this.#change(pos, { [name]: input.value.trim() || undefined }))
      return labeled(words(label), input)
    }
    const anchor = WITHOUT_ANCHOR.has(node.type.name) ? [] : [field('anchor', 'anchor')]
    const group = this.#group(words('advanced'), ...anchor, field('className', 'className'))
    group.open = false
    return group
  }

  /** A form for the attributes of an unknown block. @param {FoundBlock} block */
  #unknown(block) {
    const { words } = this.rich
    const name = String(block.node.attrs['name'])
    const place = element('div', {})
    if (block.node.attrs['isSound'] !== true) return element('p', { class: 'hint' }, words('notSound'))
    const known =
      schemas.get(name) ??
      request(`block-types/${name}?_fields=attributes`).then(
        ({ data }) => settingsOfSchemas(data.attributes ?? {}),
        () => [],
      )
    schemas.set(name, known)
    void known.then((settings) => {
      const fields = settings.map((setting) => this.#field(setting, block))
      place.append(...(fields.length > 0 ? fields : [element('p', { class: 'hint' }, words('noSettings'))]))
    })
    return place
  }

  /** Classic content is edited as HTML, or converted to blocks. @param {FoundBlock} block */
  #classic({ node, pos }) {
    const { rich } = this
    const text = element('textarea', { rows: 12, class: 'code' })
    text.value = rich.sourceOf(node)
    text.addEventListener('change', () => {
      const { state } = rich.view
      const now = state.doc.nodeAt(pos)
      const read = readDocument(text.value, state.schema, rich.options)
      if (now !== null) rich.apply(state.tr.replaceWith(pos, pos + now.nodeSize, read.content))
    })
    return [labeled(rich.words('html'), text), textButton(rich.words('convert'), () => void rich.convert(pos))]
  }
}

/** A button for the missing caption or source of a block. @param {RichEditor} rich @param {FoundBlock} block */
function partButton(rich, { node, pos }) {
  const name = node.type.name === 'quote' ? 'citation' : 'caption'
  const type = rich.tiptap.schema.nodes[name]
  const isMissing = ['quote', 'tableBlock', 'gallery'].includes(node.type.name) && node.lastChild?.type !== type
  if (!isMissing || type === undefined) return []
  const add = () => {
    const { tr } = rich.view.state
    const end = pos + node.nodeSize - 1
    tr.insert(end, type.create())
    rich.apply(tr.setSelection(TextSelection.create(tr.doc, end + 1)).scrollIntoView())
    rich.view.focus()
  }
  const label = rich.words(name === 'citation' ? 'addCitation' : 'addCaption')
  return [element('p', { class: 'actions' }, textButton(label, add))]
}

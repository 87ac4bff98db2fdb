// The menu of blocks: opened with "/" in the text, or with the button next to a block.
import { Extension } from '@tiptap/core'
import { Plugin } from '@tiptap/pm/state'
import { insertBlocks } from './block-list.js'
import { element, icon, place } from './parts.js'

/** @typedef {import('./model/index.js').InsertableBlock} InsertableBlock */
/** @typedef {import('./editor.js').RichEditor} RichEditor */

/** Text before the cursor that opens the menu. */
const SLASH = /(?:^|\s)\/([\p{L}\p{N} ]{0,30})$/u

/** Icons of the sprite for names of the model that it lacks. */
const ICONS = /** @type {Record<string, string>} */ ({
  'core/paragraph': 'pilcrow',
  'core/heading': 'heading',
  'core/list': 'list',
  'core/quote': 'quote',
  'core/code': 'square-code',
  'core/preformatted': 'code',
  'core/table': 'table',
  'core/image': 'image',
  'core/gallery': 'images',
  'core/embed': 'globe',
  'core/file': 'paperclip',
  'core/audio': 'music',
  'core/video': 'video',
  'core/separator': 'minus',
  'core/buttons': 'square-play',
  'core/columns': 'columns-2',
  'core/group': 'folder',
  'core/details': 'chevron-right',
  'core/html': 'code',
  'core/shortcode': 'code',
  'core/more': 'ellipsis-vertical',
  'core/spacer': 'arrow-down',
  'core/block': 'layout-template',
  'core/footnotes': 'list-ordered',
})

/** @param {InsertableBlock} block */
const iconOf = ({ name, title, icon: own }) =>
  name === 'core/list' && /number|order/i.test(title) ? 'list-ordered' : (ICONS[name] ?? own)

export class BlockMenu {
  /** @type {InsertableBlock[]} */
  #found = []
  #at = 0
  /** Removes the typed text, and returns to the text. @type {() => void} */
  #leave = () => {}

  /** @param {RichEditor} rich */
  constructor(rich) {
    this.rich = rich
    this.list = element('div', {
      class: 'editor-choices',
      role: 'listbox',
      // Scrolled with the keyboard, too.
      tabindex: '0',
      id: 'editor-blocks',
      'aria-label': rich.words('blocks'),
    })
    this.search = element('input', {
      type: 'search',
      'aria-label': rich.words('searchBlocks'),
      placeholder: rich.words('search'),
      'aria-controls': 'editor-blocks',
      autocomplete: 'off',
    })
    this.root = element('div', { class: 'editor-menu', hidden: true }, this.search, this.list)
    rich.root.append(this.root)
    this.search.addEventListener('input', (event) => {
      event.stopPropagation()
      this.filter(this.search.value)
    })
    this.root.addEventListener('keydown', (event) => {
      if (this.key(event)) event.preventDefault()
    })
    this.root.addEventListener('focusout', ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node) || !this.root.contains(relatedTarget)) this.close()
    })
    this.list.addEventListener('mousedown', (event) => event.preventDefault())
    this.list.addEventListener('click', ({ target }) => {
      const option = target instanceof Element ? target.closest('[role="option"]') : null
      if (option instanceof HTMLElement) this.#choose(Number(option.dataset['index']))
    })
  }

  get isOpen() {
    return !this.root.hidden
  }

  /**
   * @param {{ top: number, bottom: number, left: number }} target rectangle in the window
   * @param {{ hasSearch: boolean, leave?: () => void }} options
   */
  open(target, { hasSearch, leave = () => {} }) {
    this.#leave = leave
    this.root.hidden = false
    this.search.hidden = !hasSearch
    this.search.value = ''
    this.filter('')
    place(this.root, target, 'below')
    if (hasSearch) this.search.focus()
    else this.rich.view.dom.setAttribute('aria-controls', 'editor-blocks')
  }

  close() {
    if (this.root.hidden) return
    this.root.hidden = true
    this.rich.view.dom.removeAttribute('aria-activedescendant')
    this.rich.view.dom.removeAttribute('aria-controls')
  }

  /** @param {string} text */
  filter(text) {
    const wanted = text.trim().toLocaleLowerCase()
    const matches = (/** @type {InsertableBlock} */ { name, title, keywords }) =>
      [title, name.replace(/^core\//, ''), ...keywords].map((one) => one.toLocaleLowerCase())
    this.#found = this.rich.blocks.filter((block) => matches(block).some((one) => one.includes(wanted)))
    // Blocks whose title starts with the text first.
    const rank = (/** @type {InsertableBlock} */ { title }) => (title.toLocaleLowerCase().startsWith(wanted) ? 0 : 1)
    this.#found.sort((one, other) => rank(one) - rank(other))
    this.list.replaceChildren(
      ...this.#found.map((block, index) =>
        element(
          'div',
          { role: 'option', id: `editor-block-${index}`, 'data-index': index, 'aria-selected': 'false' },
          icon(iconOf(block)),
          element('span', {}, block.title),
        ),
      ),
    )
    if (this.#found.length === 0) this.list.append(element('p', { class: 'hint' }, this.rich.words('none')))
    this.#show(0)
    return this.#found.length
  }

  /** Handles a key; returns whether the menu has used it. @param {KeyboardEvent} event */
  key(event) {
    const { length } = this.#found
    if (event.key === 'ArrowDown') this.#show((this.#at + 1) % Math.max(length, 1))
    else if (event.key === 'ArrowUp') this.#show((this.#at - 1 + length) % Math.max(length, 1))
    else if (event.key === 'Enter' && length > 0) this.#choose(this.#at)
    else if (event.key === 'Escape') {
      this.close()
      this.rich.view.focus()
    } else return false
    return true
  }

  /** @param {number} index */
  #show(index) {
    this.#at = index
    for (const [at, option] of [...this.list.children].entries()) {
      option.setAttribute('aria-selected', String(at === index))
      if (at === index) option.scrollIntoView({ block: 'nearest' })
    }
    for (const owner of [this.search, this.rich.editor?.view.dom])
      if (this.#found.length > 0) owner?.setAttribute('aria-activedescendant', `editor-block-${index}`)
      else owner?.removeAttribute('aria-activedescendant')
  }

  /** @param {number} index */
  #choose(index) {
    const block = this.#found[index]
    if (block === undefined) return
    this.#leave()
    this.close()
    this.rich.view.focus()
    void this.insert(block)
  }

  /** @param {InsertableBlock} block */
  async insert(block) {
    const { rich } = this
    const { schema } = rich.tiptap
    const nodes = await rich.nodesOf(block)
    rich.apply(
      insertBlocks(
        rich.view.state,
        nodes.map((node) => schema.nodeFromJSON(node)),
      ),
    )
    rich.view.focus()
  }
}

/** Opens the menu for "/" at the start of a word in a paragraph. @param {RichEditor} rich */
export function slashMenu(rich) {
  /** Position of a slash whose menu was closed with Escape. */
  let dismissed = -1
  /** @param {import('@tiptap/pm/state').EditorState} state */
  const slashOf = ({ selection }) => {
    const { $from } = selection
    if (!selection.empty || $from.parent.type.name !== 'paragraph') return null
    const before = $from.parent.textBetween(0, $from.parentOffset, undefined, '\ufffc')
    const text = SLASH.exec(before)?.[1]
    return text === undefined ? null : { text, from: $from.pos - text.length - 1, to: $from.pos }
  }
  return Extension.create({
    name: 'slashMenu',
    priority: 1000,
    addProseMirrorPlugins: () => [
      new Plugin({
        view: () => ({
          update(view, before) {
            const { menu } = rich
            if (menu === undefined || view.state.doc.eq(before.doc)) return
            const slash = view.hasFocus() ? slashOf(view.state) : null
            if (slash === null || slash.from === dismissed) {
              if (menu.isOpen && menu.search.hidden) menu.close()
              if (slash === null) dismissed = -1
              return
            }
            if (!menu.isOpen) {
              const leave = () => {
                const now = slashOf(view.state)
                if (now !== null) view.dispatch(view.state.tr.delete(now.from, now.to))
              }
              menu.open(view.coordsAtPos(slash.from), { hasSearch: false, leave })
            }
            if (menu.filter(slash.text) === 0 && slash.text.includes(' ')) menu.close()
          },
        }),
        props: {
          handleKeyDown(view, event) {
            const { menu } = rich
            if (menu === undefined || !menu.isOpen || !menu.search.hidden) return false
            if (event.key === 'Escape') dismissed = slashOf(view.state)?.from ?? -1
            const isUsed = menu.key(event)
            if (isUsed) event.preventDefault()
            return isUsed
          },
          handleClick() {
            if (rich.menu?.search.hidden === true) rich.menu.close()
            return false
          },
        },
      }),
    ],
  })
}

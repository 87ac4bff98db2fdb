// The tabs Post and Block next to the text. The settings of the selected block are loaded when the tab is opened.
import { load } from '../load.js'
import { currentBlock } from './block-list.js'
import { element, textButton } from './parts.js'

/** @typedef {import('./editor.js').RichEditor} RichEditor */

export class BlockPanel {
  /** The shown block; the panel is only built again for another one. */
  #shown = ''
  /** @type {import('./block-form.js').BlockForm | null} */
  #form = null

  /** @param {RichEditor} rich */
  constructor(rich) {
    this.rich = rich
    const { words } = rich
    const sidebar = document.querySelector('.writing-sidebar')
    const post = document.querySelector('#writing-post')
    this.root = element('div', {
      id: 'writing-block',
      role: 'tabpanel',
      'aria-labelledby': 'tab-block',
      hidden: true,
      class: 'boxes',
    })
    if (!(post instanceof HTMLElement) || sidebar === null) return
    this.post = post
    post.setAttribute('role', 'tabpanel')
    post.setAttribute('aria-labelledby', 'tab-post')
    const tab = (/** @type {string} */ name, /** @type {string} */ text) => {
      const button = textButton(text, () => this.select(name))
      for (const [key, value] of Object.entries({ id: `tab-${name}`, role: 'tab', 'aria-controls': `writing-${name}` }))
        button.setAttribute(key, value)
      return button
    }
    this.tabs = [tab('post', words('post')), tab('block', words('block'))]
    const list = element(
      'div',
      { role: 'tablist', class: 'writing-tabs', 'aria-label': words('settings') },
      ...this.tabs,
    )
    list.addEventListener('keydown', (event) => {
      if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
      const isPost = this.tabs?.[0]?.getAttribute('aria-selected') === 'true'
      this.select(isPost ? 'block' : 'post')
      this.tabs?.[isPost ? 1 : 0]?.focus()
    })
    sidebar.prepend(list)
    post.after(this.root)
    this.select('post')
    // The settings are not fields of the form.
    this.root.addEventListener('input', (event) => event.stopPropagation())
    rich.tiptap.on('transaction', () => this.update())
    this.update()
  }

  /** Shows or hides the tabs. @param {boolean} isShown */
  show(isShown) {
    const list = this.tabs?.[0]?.parentElement
    if (list) list.hidden = !isShown
    if (!isShown) this.select('post')
  }

  /** @param {string} name `post` or `block` */
  select(name) {
    for (const tab of this.tabs ?? []) {
      const isSelected = tab.id === `tab-${name}`
      tab.setAttribute('aria-selected', String(isSelected))
      tab.tabIndex = isSelected ? 0 : -1
    }
    if (this.post !== undefined) this.post.hidden = name !== 'post'
    this.root.hidden = name !== 'block'
    if (name === 'block') void this.#loadForm()
    this.update()
  }

  async #loadForm() {
    if (this.#form !== null) return
    const part = await load(() => import('./block-form.js'))
    if (part === null) return
    this.#form ??= new part.BlockForm(this.rich)
    this.update()
  }

  update() {
    if (this.#form === null || this.root.hidden || this.root.contains(document.activeElement)) return
    const { state } = this.rich.view
    const block = currentBlock(state)
    const key =
      block === null
        ? ''
        : `${block.pos} ${block.node.type.name} ${block.node.childCount} ${JSON.stringify(block.node.attrs['attributes'])} ${block.node.type.name === 'classic' ? this.rich.sourceOf(block.node) : ''}`
    if (key === this.#shown && this.root.firstChild !== null) return
    this.#shown = key
    this.root.replaceChildren(
      ...(block === null ? [element('p', { class: 'hint' }, this.rich.words('noBlock'))] : this.#form.build(block)),
    )
  }
}

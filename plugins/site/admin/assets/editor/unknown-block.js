// Blocks that are edited as a whole: their name, and a preview that the server renders. Classic content has a frame.
import { Extension } from '@tiptap/core'
import { Plugin } from '@tiptap/pm/state'
import { element, icon, textButton } from './parts.js'

/** @typedef {import('./editor.js').RichEditor} RichEditor */
/** @typedef {import('@tiptap/pm/model').Node} Node */
/** @typedef {import('@tiptap/pm/view').NodeView} NodeView */

/** Maximum height of a preview in pixels; longer ones are scrolled. */
const MAX_PREVIEW_HEIGHT = 600

let frameCount = 0

/** @param {RichEditor} rich */
export const previewExtension = (rich) =>
  Extension.create({
    name: 'previews',
    addProseMirrorPlugins: () => [new Plugin({ props: { nodeViews: previewViews(rich) } })],
  })

/** @param {RichEditor} rich @returns {Record<string, import('@tiptap/pm/view').NodeViewConstructor>} */
function previewViews(rich) {
  return {
    unknownBlock: (node) => new PreviewView(rich, node, (one) => [rich.titleOf({ name: String(one.attrs['name']) })]),
    classic: (_node, _view, getPos) => classicView(rich, getPos),
  }
}

/**
 * The frame around classic content, with the button that converts it.
 * @param {RichEditor} rich
 * @param {() => number | undefined} getPos
 * @returns {NodeView}
 */
function classicView(rich, getPos) {
  const convert = textButton(rich.words('convert'), () => void rich.convert(getPos() ?? 0), 'plain')
  const label = element(
    'div',
    { class: 'editor-block-name', contenteditable: 'false' },
    icon('blocks'),
    rich.words('classic'),
    convert,
  )
  const contentDOM = element('div', { class: 'editor-classic-text' })
  return {
    dom: element('div', { class: 'editor-classic' }, label, contentDOM),
    contentDOM,
    stopEvent: ({ target }) => target === convert,
    ignoreMutation: (mutation) => mutation.type !== 'selection' && label.contains(mutation.target),
  }
}

/** @implements {NodeView} */
class PreviewView {
  /** @type {IntersectionObserver | null} */
  #observer = null
  #source = ''

  /** @param {RichEditor} rich @param {Node} node @param {(node: Node) => (string | HTMLElement)[]} head */
  constructor(rich, node, head) {
    this.rich = rich
    this.node = node
    this.frame = element('div', { class: 'editor-preview' })
    const label = element('div', { class: 'editor-block-name' }, icon('blocks'), ...head(node))
    this.dom = element('div', { class: 'editor-unknown-block', contenteditable: 'false' }, label, this.frame)
    this.#observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting === true) this.#render()
    })
    this.#observer.observe(this.dom)
  }

  /** @param {Node} node */
  update(node) {
    if (node.type !== this.node.type || node.attrs['name'] !== this.node.attrs['name']) return false
    this.node = node
    if (this.frame.firstChild !== null) this.#render()
    return true
  }

  /** @param {Event} event */
  stopEvent(event) {
    return event.target instanceof HTMLButtonElement
  }

  ignoreMutation() {
    return true
  }

  destroy() {
    this.#observer?.disconnect()
  }

  #render() {
    const source = this.rich.sourceOf(this.node)
    if (source === this.#source) return
    this.#source = source
    frameCount += 1
    const frame = element('iframe', {
      name: `block-${frameCount}`,
      title: this.rich.words('preview'),
      sandbox: 'allow-same-origin',
      tabindex: '-1',
    })
    frame.addEventListener('load', () => {
      const { contentDocument: shown } = frame
      if (shown === null || shown.location.href === 'about:blank') return
      frame.style.height = `${Math.min(MAX_PREVIEW_HEIGHT, shown.documentElement.scrollHeight)}px`
    })
    this.frame.replaceChildren(frame)
    const { form } = this.rich
    const nonce = form.dataset['nonceField'] ?? ''
    const own = form.elements.namedItem(nonce)
    const fields = {
      [nonce]: own instanceof HTMLInputElement ? own.value : '',
      do: 'preview',
      mode: 'html',
      title: '',
      content: source,
    }
    const sent = element('form', { method: 'post', action: form.action, target: frame.name, hidden: true })
    for (const [name, value] of Object.entries(fields)) sent.append(element('input', { type: 'hidden', name, value }))
    document.body.append(sent)
    sent.submit()
    sent.remove()
  }
}

// The outline of the text, and the list of shortcuts.
import { TextSelection } from '@tiptap/pm/state'
import { element, openDialog, textButton } from './parts.js'

/** @typedef {import('./editor.js').RichEditor} RichEditor */

/** Shortcuts by the key of their text. @type {readonly [string, string][]} */
const SHORTCUTS = [
  ['slashHelp', '/'],
  ['bold', 'Ctrl+B'],
  ['italic', 'Ctrl+I'],
  ['link', 'Ctrl+K'],
  ['code', 'Ctrl+E'],
  ['strike', 'Ctrl+Shift+S'],
  ['footnote', 'Ctrl+Alt+F'],
  ['moveUp', 'Alt+Shift+↑'],
  ['moveDown', 'Alt+Shift+↓'],
  ['duplicate', 'Ctrl+Shift+D'],
  ['delete', 'Alt+Shift+⌫'],
  ['selectBlock', 'Esc'],
  ['toolbar', 'Alt+F10'],
  ['find', 'Ctrl+F'],
  ['fullScreen', 'Ctrl+Shift+F'],
  ['undo', 'Ctrl+Z'],
  ['redo', 'Ctrl+Shift+Z'],
  ['save', 'Ctrl+S'],
]
/** Typed characters with the key of the text for the result. @type {readonly [string, string][]} */
const TYPING = [
  ['##', 'heading'],
  ['-', 'list'],
  ['1.', 'orderedList'],
  ['>', 'quote'],
  ['```', 'codeBlock'],
  ['---', 'separator'],
  ['**…**', 'bold'],
  ['*…*', 'italic'],
  ['`…`', 'code'],
]

/** @param {RichEditor} rich */
export async function showOutline(rich) {
  const { view, words } = rich
  /** @type {{ text: string, level: number, pos: number }[]} */
  const headings = []
  view.state.doc.descendants((node, pos) => {
    if (node.type.name === 'heading')
      headings.push({ text: node.textContent, level: Number(node.attrs['attributes']?.level ?? 2), pos })
    return !node.isTextblock
  })
  await openDialog(words('outline'), (close) => {
    const list = element('ul', { class: 'editor-outline' })
    for (const [index, { text, level, pos }] of headings.entries()) {
      const button = textButton(
        text || words('emptyHeading'),
        () => {
          close()
          const selection = TextSelection.near(view.state.doc.resolve(pos + 1))
          view.dispatch(view.state.tr.setSelection(selection).scrollIntoView())
          view.focus()
        },
        'plain',
      )
      const before = headings[index - 1]?.level ?? 1
      const skips = level > before + 1 ? [' ', element('span', { class: 'field-error' }, words('skippedLevel'))] : []
      list.append(
        element(
          'li',
          { class: `level-${level}` },
          element('span', { class: 'hint' }, `H${level}`),
          ' ',
          button,
          ...skips,
        ),
      )
    }
    const content = headings.length === 0 ? element('p', {}, words('noHeadings')) : list
    return [content, element('p', { class: 'actions' }, textButton(words('close'), close))]
  })
  view.focus()
}

/** @param {RichEditor} rich */
export async function showHelp(rich) {
  const { words } = rich
  const rows = (/** @type {readonly [string, string][]} */ pairs) =>
    element(
      'dl',
      { class: 'facts' },
      ...pairs.flatMap(([name, keys]) => [element('dt', {}, element('kbd', {}, keys)), element('dd', {}, words(name))]),
    )
  await openDialog(words('help'), (close) => [
    rows(SHORTCUTS.map(([name, keys]) => [name, keys])),
    element('h3', {}, words('typing')),
    rows(TYPING.map(([typed, name]) => [name, typed])),
    element('p', { class: 'actions' }, textButton(words('close'), close)),
  ])
  rich.view.focus()
}

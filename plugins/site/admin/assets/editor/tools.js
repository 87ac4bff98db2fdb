// Tools above the text: undo, outline, find, full screen, help; and the number of words below it.
import { redo, undo } from '@tiptap/pm/history'
import { TextSelection } from '@tiptap/pm/state'
import { FindPanel } from './find.js'
import { element, iconButton, openDialog, textButton } from './parts.js'

/** @typedef {import('./editor.js').RichEditor} RichEditor */

/** Milliseconds without a change before words are counted. */
const COUNT_DELAY_MS = 400
/** Words that people read in a minute. */
const WORDS_PER_MINUTE = 220

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
export function addTools(rich) {
  const { words } = rich
  rich.find = new FindPanel(rich)
  const run = (/** @type {typeof undo} */ command) => () => {
    command(rich.view.state, rich.view.dispatch)
    rich.view.focus()
  }
  const undoButton = iconButton('undo-2', words('undo'), run(undo), 'Ctrl+Z')
  const redoButton = iconButton('redo-2', words('redo'), run(redo), 'Ctrl+Shift+Z')
  const tools = element(
    'div',
    { class: 'editor-tools' },
    undoButton,
    redoButton,
    iconButton('list-tree', words('outline'), () => void showOutline(rich)),
    iconButton('search', words('find'), () => void rich.find?.open(), 'Ctrl+F'),
    iconButton('maximize', words('fullScreen'), () => toggleFullScreen(), 'Ctrl+Shift+F'),
    iconButton('keyboard', words('help'), () => void showHelp(rich)),
  )
  document.querySelector('.writing-bar')?.prepend(tools)
  rich.tools = tools
  const count = element('p', { class: 'editor-count hint' })
  rich.root.append(count)
  const show = () => {
    const text = rich.view.state.doc.textBetween(0, rich.view.state.doc.content.size, ' ', ' ')
    const number = countWords(text)
    count.textContent = words('count', { words: number, minutes: Math.max(1, Math.round(number / WORDS_PER_MINUTE)) })
    count.hidden = number === 0
  }
  const showHistory = () => {
    undoButton.disabled = !undo(rich.view.state)
    redoButton.disabled = !redo(rich.view.state)
  }
  let timer = 0
  rich.tiptap.on('update', () => {
    clearTimeout(timer)
    timer = window.setTimeout(show, COUNT_DELAY_MS)
    showHistory()
  })
  show()
  showHistory()
  document.addEventListener('keydown', (event) => {
    const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey
    if (!isCommand || event.key.toLowerCase() !== 'f' || rich.root.hidden) return
    if (event.shiftKey) toggleFullScreen()
    else if (rich.root.contains(document.activeElement)) rich.find?.open()
    else return
    event.preventDefault()
  })
}

/** Counts words, also in languages without spaces. @param {string} text */
export function countWords(text) {
  let count = 0
  for (const { isWordLike } of new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text))
    if (isWordLike === true) count += 1
  return count
}

function toggleFullScreen() {
  document.documentElement.classList.toggle('writing-full')
}

/** @param {RichEditor} rich */
async function showOutline(rich) {
  const { view, words } = rich
  /** @type {{ text: string, level: number, pos: number }[]} */
  const headings = []
  view.state.doc.descendants((node, pos) => {
    if (node.type.name === 'heading')
      headings.push({ text: node.textContent, level: Number(node.attrs['attributes']?.level ?? 2), pos })
    return !node.isTextblock
  })
  let target = -1
  await openDialog(words('outline'), (close) => {
    const list = element('ul', { class: 'editor-outline' })
    for (const [index, { text, level, pos }] of headings.entries()) {
      const button = textButton(
        text || words('emptyHeading'),
        () => {
          target = pos
          close()
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
  if (target >= 0)
    view.dispatch(view.state.tr.setSelection(TextSelection.near(view.state.doc.resolve(target + 1))).scrollIntoView())
  view.focus()
}

/** @param {RichEditor} rich */
async function showHelp(rich) {
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

// Tools above the text: undo, outline, find, full screen, help; and the number of words below it. Panels are loaded on
// their first use.
import { redo, undo } from '@tiptap/pm/history'
import { load } from '../load.js'
import { element, iconButton } from './parts.js'

/** @typedef {import('./editor.js').RichEditor} RichEditor */

/** Milliseconds without a change before words are counted. */
const COUNT_DELAY_MS = 400
/** Words that people read in a minute. */
const WORDS_PER_MINUTE = 220

/** @param {RichEditor} rich */
export function addTools(rich) {
  const { words } = rich
  /** @type {import('./find.js').FindPanel | null} */
  let panel = null
  const find = async () => {
    const part = await load(() => import('./find.js'))
    if (part !== null) (panel ??= part.addFind(rich)).open()
  }
  const dialogs = () => load(() => import('./tool-dialogs.js'))
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
    iconButton('list-tree', words('outline'), () => void dialogs().then((part) => part?.showOutline(rich))),
    iconButton('search', words('find'), () => void find(), 'Ctrl+F'),
    iconButton('maximize', words('fullScreen'), () => toggleFullScreen(), 'Ctrl+Shift+F'),
    iconButton('keyboard', words('help'), () => void dialogs().then((part) => part?.showHelp(rich))),
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
    else if (rich.root.contains(document.activeElement)) void find()
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

import { html, PageHtml } from '../../../../../kernel/index.ts'
import type { AdminView } from '../../frame/view.ts'

/** A piece of two texts: what both have, or one alone. */
export interface Change {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/** Comparisons for one gap between lines or words that both texts have; in a larger one all counts as changed. */
const MOST = 1_000_000

/** How one text becomes another: lines, and in lines that were changed the words. The work is bounded, whatever the texts. */
export function changesOf(before: string, after: string): Change[] {
  const lines = compared(before.split(/(?<=\n)/), after.split(/(?<=\n)/))
  const changes: Change[] = []
  for (let index = 0; index < lines.length; index += 1) {
    const [line, next] = [lines[index]!, lines[index + 1]]
    if (line.kind === 'removed' && next?.kind === 'added') {
      changes.push(...compared(wordsOf(line.text), wordsOf(next.text)))
      index += 1
    } else changes.push(line)
  }
  return changes
}

/** Two texts as HTML: what is gone and what is new is marked, and said to screen readers. */
export function diffHtml({ t }: AdminView, before: string, after: string): PageHtml {
  if (before === after) return html`<pre class="diff">${after}</pre>`
  const parts = changesOf(before, after).map(({ kind, text }) => {
    if (kind === 'same') return html`${text}`.text
    const [start, end] = kind === 'added' ? [t('added:'), t('end of what was added')] : [t('removed:'), t('end of what was removed')] // prettier-ignore
    const inner = html`<span class="hidden">[${start} </span>${text}<span class="hidden"> ${end}]</span>`
    return (kind === 'added' ? html`<ins>${inner}</ins>` : html`<del>${inner}</del>`).text
  })
  return html`<pre class="diff">${new PageHtml(parts.join(''))}</pre>`
}

function compared(before: readonly string[], after: readonly string[]): Change[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1
  let end = 0
  const most = Math.min(before.length, after.length) - start
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1
  const changes: Change[] = []
  add(changes, 'same', before.slice(0, start))
  gap(changes, before.slice(start, before.length - end), after.slice(start, after.length - end))
  add(changes, 'same', before.slice(before.length - end))
  return changes
}

/** The longest common sequence of two lists of which neither the first nor the last are the same; words count more than spaces. */
function gap(changes: Change[], before: readonly string[], after: readonly string[]): void {
  const [rows, columns] = [before.length, after.length]
  if (rows * columns > MOST || rows === 0 || columns === 0) {
    add(changes, 'removed', before)
    add(changes, 'added', after)
    return
  }
  const width = columns + 1
  const length = new Uint32Array((rows + 1) * width)
  for (let row = rows - 1; row >= 0; row -= 1) {
    for (let column = columns - 1; column >= 0; column -= 1) {
      const at = row * width + column
      length[at] =
        before[row] === after[column]
          ? length[at + width + 1]! + (before[row]!.trim() === '' ? 1 : 3)
          : Math.max(length[at + width]!, length[at + 1]!)
    }
  }
  let [row, column] = [0, 0]
  while (row < rows || column < columns) {
    const at = row * width + column
    if (row < rows && column < columns && before[row] === after[column]) {
      add(changes, 'same', [before[row]!])
      row += 1
      column += 1
    } else if (row < rows && (column === columns || length[at + width]! >= length[at + 1]!)) {
      add(changes, 'removed', [before[row]!])
      row += 1
    } else {
      add(changes, 'added', [after[column]!])
      column += 1
    }
  }
}

/** Adds texts to the list; what was removed from one place stands before what was added there. */
function add(changes: Change[], kind: Change['kind'], texts: readonly string[]): void {
  if (texts.length === 0) return
  const text = texts.join('')
  const last = changes.at(-1)
  if (last?.kind === kind) changes[changes.length - 1] = { kind, text: last.text + text }
  else if (kind === 'removed' && last?.kind === 'added') {
    const before = changes.at(-2)
    if (before?.kind === 'removed') changes[changes.length - 2] = { kind, text: before.text + text }
    else changes.splice(-1, 0, { kind, text })
  } else changes.push({ kind, text })
}

const wordsOf = (text: string) => text.split(/(?<=\s)(?=\S)|(?<=\S)(?=\s)|(?<=[<>])(?=[^<>\s])|(?<=[^<>\s])(?=[<>])/)

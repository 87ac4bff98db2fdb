import { atOnce, type Steps } from '../../library/long-work/index.ts'
import { htmlPieces, PIECES_PER_STEP, type HtmlPiece } from './html.ts'
import { OpenElements } from './open-elements.ts'

/** Block elements: they start on a new line and end a paragraph. */
export const BLOCKS: ReadonlySet<string> = new Set(
  (
    'address area article aside blockquote caption center col colgroup dd details dialog dir div dl dt fieldset ' +
    'figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main map menu nav ol p pre section ' +
    'style summary table tbody td tfoot th thead tr ul'
  ).split(' '),
)
/** Elements whose text is left unchanged, including line breaks. */
const VERBATIM = new Set('pre script style textarea select svg object audio video iframe math'.split(' '))
/** Verbatim elements that contain elements rather than text: line breaks between these are dropped. */
const OF_ELEMENTS = new Set('object audio video select'.split(' '))
/** Elements without an end tag. */
const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '))
/** Containers whose text is always wrapped in paragraphs. */
const OF_PARAGRAPHS = new Set(['', 'blockquote'])
/** Containers that can keep a trailing line break. */
const OF_LINES = new Set('h1 h2 h3 h4 h5 h6 caption legend summary'.split(' '))
/** Containers that cannot contain paragraphs. */
const OF_PHRASES = new Set([...OF_LINES, 'p', 'dt'])

/**
 * Wraps text in paragraphs, as WordPress does: a blank line or two `<br />` end a paragraph, a single line break
 * becomes `<br />`. Block elements stay outside of paragraphs and end their line, preformatted text is unchanged.
 */
export function autop(text: string): string {
  return atOnce(autopSteps(text))
}

/** `autop` as a generator that yields between slices of work. */
export function* autopSteps(text: string): Steps<string> {
  const source = text.replace(/\r\n?/g, '\n')
  return isBlank(source) ? '' : yield* new Paragraphs().read(source)
}

class Paragraphs {
  #out = ''
  /** Whether the output ends with a line break or is empty. */
  #atLineStart = true
  /** The open block elements. */
  readonly #open = new OpenElements()
  /** Inline pieces of the current run, not written yet. */
  #run: HtmlPiece[] = []
  /** Whether the innermost container already contains a block or a paragraph. */
  #hasContent = false
  /** Whether the last output was a block from the source, not a generated paragraph. */
  #afterBlock = false

  /** Adds a piece of a verbatim element to the run, marked so that it is not processed as text. */
  #pushVerbatim(piece: HtmlPiece, verbatim: string): void {
    if (OF_ELEMENTS.has(verbatim) && isBlank(piece.text) && piece.text.includes('\n')) return
    this.#run.push({ ...piece, kind: 'comment' })
  }

  *read(source: string): Steps<string> {
    let verbatim = ''
    let count = 0
    for (const piece of htmlPieces(source)) {
      if ((count += 1) % PIECES_PER_STEP === 0) yield
      if (verbatim !== '') {
        this.#pushVerbatim(piece, verbatim)
        if (piece.kind === 'close' && piece.name === verbatim) {
          if (BLOCKS.has(verbatim)) this.#endVerbatim()
          verbatim = ''
        }
      } else if (piece.kind === 'open' && VERBATIM.has(piece.name) && !piece.text.endsWith('/>')) {
        if (BLOCKS.has(piece.name)) yield* this.#flush(piece.name)
        this.#run.push({ ...piece, kind: 'comment' })
        verbatim = piece.name
      } else if (piece.kind === 'open' && BLOCKS.has(piece.name)) yield* this.#openBlock(piece)
      else if (piece.kind === 'close' && BLOCKS.has(piece.name)) yield* this.#closeBlock(piece)
      else this.#run.push(piece)
    }
    if (verbatim !== '' && BLOCKS.has(verbatim)) this.#endVerbatim()
    yield* this.#flush('end')
    this.#write('</p>'.repeat(this.#open.count('p')))
    this.#newLine()
    return this.#out
  }

  #endVerbatim(): void {
    this.#newLine()
    this.#write(this.#run.map((piece) => piece.text).join(''))
    this.#run = []
    this.#markBlockWritten()
  }

  *#openBlock(piece: HtmlPiece): Steps<void> {
    yield* this.#flush(piece.name)
    if (this.#open.innermost === 'p') {
      this.#write('</p>')
      this.#open.close('p')
    }
    if (piece.name !== 'figcaption') this.#newLine()
    this.#write(piece.text)
    if (VOID.has(piece.name) || piece.text.endsWith('/>')) this.#markBlockWritten()
    else {
      this.#open.open(piece.name)
      this.#hasContent = false
      this.#afterBlock = false
    }
  }

  *#closeBlock(piece: HtmlPiece): Steps<void> {
    yield* this.#flush('')
    const wasOpen = this.#open.close(piece.name)
    // The paragraph was already closed when a block opened inside it.
    if (!wasOpen && piece.name === 'p') return
    if (this.#afterBlock) this.#newLine()
    this.#write(piece.text)
    this.#markBlockWritten()
    if (piece.name === 'figcaption') this.#afterBlock = false
  }

  #markBlockWritten(): void {
    this.#hasContent = true
    this.#afterBlock = true
  }

  #write(html: string): void {
    if (html === '') return
    this.#out += html
    this.#atLineStart = html.endsWith('\n')
  }

  #newLine(): void {
    if (!this.#atLineStart) this.#write('\n')
  }

  /** Writes the current run. @param next name of the block that opens next; `''` if the container ends */
  *#flush(next: string): Steps<void> {
    const run = this.#run
    this.#run = []
    const parts = splitAtBlankLines(run)
    if (parts.length === 0) return
    const container = this.#open.innermost ?? ''
    const leading = this.#hasContent || container === '' ? '' : startSpace(run)
    const ended = next === '' ? endSpace(run) : ''
    const apart = leading.includes('\n') && !isBreak(leading) ? '\n' : ''
    const tail = ended.includes('\n') && !isBreak(ended) ? ended.slice(ended.indexOf('\n')) : ''
    const keepBreak = OF_LINES.has(container)
    const lines: string[] = []
    for (const part of parts) {
      lines.push(yield* linesOf(part, keepBreak))
      if (lines.length % PIECES_PER_STEP === 0) yield
    }
    const last = lines.length - 1
    lines[0] = apart + lines[0]!
    if (tail !== '') lines[last] = endTrimmed(lines[last]!) + tail
    if (container === 'p') {
      this.#write(lines.join('</p>\n<p>'))
      return
    }
    const isSingleLine = !this.#hasContent && last === 0 && !isBreak(leading) && !isBreak(ended)
    const plain = OF_PHRASES.has(container) || (!OF_PARAGRAPHS.has(container) && isSingleLine)
    parts.forEach((part, index) => {
      if (this.#hasContent ? plain || this.#afterBlock || index > 0 : isBreak(leading)) this.#newLine()
      this.#write(plain || isBlockWrapper(part) ? lines[index]! : `<p>${lines[index]!}</p>`)
      this.#hasContent = true
      this.#afterBlock = false
    })
    if (next === '' ? isBreak(ended) && !plain && container !== '' : next !== 'figcaption') this.#newLine()
  }
}

/** Whether white space contains a blank line. */
function isBreak(space: string): boolean {
  return space.indexOf('\n') !== space.lastIndexOf('\n')
}

/** Returns the leading white space of a run. */
function startSpace([first]: readonly HtmlPiece[]): string {
  return first?.kind === 'text' ? (/^[ \t\n\f\v]*/.exec(first.text)?.[0] ?? '') : ''
}

/** Returns the trailing white space of a run. */
function endSpace(run: readonly HtmlPiece[]): string {
  const last = run.at(-1)
  return last?.kind === 'text' ? last.text.slice(endTrimmed(last.text).length) : ''
}

/** Splits a run at blank lines and double breaks, dropping parts that are only white space. */
function splitAtBlankLines(run: readonly HtmlPiece[]): HtmlPiece[][] {
  const parts: HtmlPiece[][] = [[]]
  /** Index of a break in the current part that only white space has followed so far, or -1. */
  let broken = -1
  for (const piece of run) {
    const part = parts.at(-1)!
    if (isLineBreak(piece)) {
      if (broken >= 0) {
        part.length = broken
        parts.push([])
        broken = -1
      } else {
        broken = part.length
        part.push(BREAKS.has(piece.text) ? { ...piece, text: '<br />' } : piece)
      }
      continue
    }
    if (piece.kind !== 'text') {
      part.push(piece)
      broken = -1
      continue
    }
    for (const [index, text] of piece.text.split(/\n(?:[ \t]*\n)+/).entries()) {
      if (index > 0) parts.push([])
      if (text !== '') parts.at(-1)!.push({ ...piece, text })
      if (index > 0 || !isBlank(text)) broken = -1
    }
  }
  return parts.filter((part) => part.some(({ kind, text }) => kind !== 'text' || !isBlank(text)))
}

/** Spellings of `<br />` that are normalized. */
const BREAKS: ReadonlySet<string> = new Set(['<br>', '<br/>'])

function isLineBreak({ kind, name }: HtmlPiece): boolean {
  return kind === 'open' && name === 'br'
}

/**
 * Returns the pieces as HTML with `<br />` at line breaks, unless the line already ends with a break. Drops leading
 * breaks, and trailing ones unless `keepBreak` is set.
 */
function* linesOf(part: readonly HtmlPiece[], keepBreak: boolean): Steps<string> {
  const isFiller = (piece: HtmlPiece) => isLineBreak(piece) || (piece.kind === 'text' && isBlank(piece.text))
  let [from, to] = [0, part.length]
  if (isLineBreak(part.find((piece) => piece.kind !== 'text' || !isBlank(piece.text))!)) {
    while (from < to && isFiller(part[from]!)) from += 1
  }
  if (!keepBreak && isLineBreak(part.findLast((piece) => piece.kind !== 'text' || !isBlank(piece.text))!)) {
    while (to > from && isFiller(part[to - 1]!)) to -= 1
  }
  const html: string[] = []
  for (let index = from; index < to; index++) {
    const { kind, text } = part[index]!
    if (kind !== 'text') {
      html.push(text)
      continue
    }
    let written = index === from ? text.replace(/^\n+/, '') : text
    if (index === to - 1) written = withoutLastBreak(written)
    const [first = '', ...lines] = written.split('\n')
    html.push(first)
    for (const line of lines) {
      if (html.length % PIECES_PER_STEP === 0) yield
      trimEndOf(html)
      html.push(/<br ?\/?>$/.test(html.at(-1)?.slice(-6) ?? '') ? `\n${line}` : `<br />\n${line}`)
    }
  }
  return html.join('')
}

/** Cuts a text at the first line break of its trailing white space. */
function withoutLastBreak(text: string): string {
  const at = text.indexOf('\n', endTrimmed(text).length)
  return at < 0 ? text : text.slice(0, at)
}

/** Trims the end of a text stored in parts; visits only the parts that change. */
function trimEndOf(parts: string[]): void {
  for (let last = parts.pop(); last !== undefined; last = parts.pop()) {
    const trimmed = endTrimmed(last)
    if (trimmed !== '') return void parts.push(trimmed)
  }
}

/** Whether a part contains no text, only tags of inline elements that wrap blocks. */
function isBlockWrapper(part: readonly HtmlPiece[]): boolean {
  return !balanced(part) && part.every(({ kind, text }) => kind !== 'text' || isBlank(text))
}

/** Whether each inline element opened in the part is closed in it. */
function balanced(part: readonly HtmlPiece[]): boolean {
  const open: string[] = []
  for (const { kind, name, text } of part) {
    if (kind === 'open' && !VOID.has(name) && !text.endsWith('/>')) open.push(name)
    else if (kind === 'close' && open.pop() !== name) return false
  }
  return open.length === 0
}

/** Trims trailing ASCII white space. Keeps non-breaking spaces, which writers enter on purpose. */
function endTrimmed(text: string): string {
  let end = text.length
  while (end > 0 && SPACES.has(text[end - 1]!)) end -= 1
  return text.slice(0, end)
}

function isBlank(text: string): boolean {
  return endTrimmed(text) === ''
}

const SPACES: ReadonlySet<string> = new Set(' \t\n\r\f\v')

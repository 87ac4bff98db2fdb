// Also runs in the worker for long texts: do not import modules that load the kernel.
import { blockComments } from './block-markup.ts'
import { blocksOfMarkdown, type KnownBlock } from './markdown.ts'

/** A block of the top level, or the text between two blocks. */
interface Piece {
  readonly source: string
  /** Name of the block: `paragraph`; `''` for text without a block. */
  readonly name: string
  readonly attributes: string
  /** Markup between the comments. */
  readonly html: string
}

/**
 * Converts block markup to Markdown. A block stays as it is if Markdown cannot express all of it: its Markdown, converted
 * to blocks, must be the same block.
 * @returns null if the content has text outside of blocks
 */
export function markdownOfBlocks(content: string, mark: string): string | null {
  const pieces = markdownPieces(content, mark)
  return pieces === null ? null : pieces.map(({ markdown }) => markdown).join('\n\n')
}

/**
 * Converts Markdown to block markup. A block whose Markdown is the same as in the stored content keeps its bytes.
 * @param stored block markup
 */
export function editedBlocks(markdown: string, mark: string, stored: string): string {
  return blocksOfMarkdown(markdown, mark, stored === '' ? [] : (markdownPieces(stored, mark) ?? []))
}

/** Levels of nested lists and quotes; deeper ones stay block markup. */
const MAX_LEVELS = 20

/** Returns the blocks of the top level with their Markdown; null if the content has text outside of blocks. */
export function markdownPieces(content: string, mark: string): KnownBlock[] | null {
  const pieces = piecesOf(content, mark)
  if (pieces.some(({ name }) => name === '')) return null
  let previous = ''
  return pieces.map((piece) => {
    const markdown = markdownOf(piece, mark)
    // Two lists next to each other would be one.
    const isRaw = markdown === null || (piece.name === 'list' && previous === 'list')
    previous = isRaw ? '' : piece.name
    return { source: piece.source, markdown: isRaw ? piece.source : markdown }
  })
}

/** Splits content into blocks of the top level. A block that is not closed is text. */
function piecesOf(content: string, mark: string): Piece[] {
  const pieces: Piece[] = []
  let depth = 0
  let begin = 0
  let open = { at: 0, end: 0, name: '', attributes: '' }
  const addText = (end: number) => {
    const source = content.slice(begin, end)
    if (source.trim() !== '') pieces.push({ source, name: '', attributes: '', html: source })
  }
  for (const comment of blockComments(content, mark)) {
    const { at, end, kind } = comment
    if (kind !== 'close' && depth === 0) {
      addText(at)
      open = comment
    }
    const isWhole = kind === 'close' ? depth === 1 : kind === 'void' && depth === 0
    if (kind === 'open') depth += 1
    if (kind === 'close') depth = Math.max(0, depth - 1)
    if (!isWhole) continue
    const html = kind === 'close' ? content.slice(open.end, at) : ''
    pieces.push({ source: content.slice(open.at, end), name: open.name, attributes: open.attributes, html })
    begin = end
  }
  if (depth > 0) begin = open.at
  addText(content.length)
  return pieces
}

/** Returns the Markdown of a block, or null. The first form that gives the same block is used. */
function markdownOf(piece: Piece, mark: string): string | null {
  for (const hasMarks of [true, false]) {
    const markdown = new Writer(mark, hasMarks).block(piece)
    if (markdown !== null && isSame(blocksOfMarkdown(markdown, mark), piece.source)) return markdown
  }
  return null
}

/** Whether block markup is the same but for the form of its characters. */
const isSame = (a: string, b: string) => plain(a) === plain(b)

function plain(html: string): string {
  return html
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&nbsp;', '\u00a0')
    .replaceAll('&#91;', '[')
    .replaceAll('&#47;', '/')
}

class Writer {
  readonly #mark: string
  readonly #hasMarks: boolean

  constructor(mark: string, hasMarks: boolean) {
    this.#mark = mark
    this.#hasMarks = hasMarks
  }

  block({ name, html, attributes }: Piece, level = 0): string | null {
    const body = html.trim()
    if (level > MAX_LEVELS) return null
    switch (name) {
      case 'paragraph':
        return this.#text(inside(body, /^<p>/, '</p>'))
      case 'heading': {
        const level = /^<h([1-6]) class="[\w-]+">/.exec(body)?.[1]
        const text = level === undefined ? null : this.#text(inside(body, /^<h\d [^>]*>/, `</h${level}>`))
        return text === null || text.includes('\n') ? null : `${'#'.repeat(Number(level))} ${text}`
      }
      case 'separator':
        return '---'
      case 'code':
        return this.#code(body)
      case 'image':
        return this.#image(body)
      case 'list':
        return this.#list(body, attributes, level)
      case 'quote':
        return this.#quote(body, level)
      case 'table':
        return this.#table(body)
      case 'html':
        return body
      default:
        return null
    }
  }

  #text(html: string | null): string | null {
    return html === null ? null : inlineMarkdown(html, this.#hasMarks)
  }

  #code(body: string): string | null {
    const [, language = ''] = /^<pre class="[\w-]+ language-([\w+#.-]{1,40})">/.exec(body) ?? []
    const text = inside(body, /^<pre class="[^"]*"><code>/, '</code></pre>')
    if (text === null || text.includes('<')) return null
    const fence = '`'.repeat(Math.max(3, longestRun(text, '`') + 1))
    return `${fence}${language}\n${decoded(text)}\n${fence}`
  }

  #image(body: string): string | null {
    const found =
      /^<figure class="[\w-]+"><img src="([^"]*)" alt="([^"]*)"\/>(?:<figcaption [^>]*>([^<]*)<\/figcaption>)?<\/figure>$/
    const [, src, alt = '', caption] = found.exec(body) ?? []
    if (src === undefined) return null
    return `![${escaped(decoded(alt))}](${target(decoded(src), caption === undefined ? undefined : decoded(caption))})`
  }

  #list(body: string, attributes: string, level: number): string | null {
    const isOrdered = body.startsWith('<ol')
    const inner = inside(body, /^<[ou]l(?: start="\d{1,9}")? class="[\w-]+">/, isOrdered ? '</ol>' : '</ul>')
    const items = inner === null ? [] : piecesOf(inner, this.#mark)
    let number = Number(/"start":(\d{1,9})/.exec(attributes)?.[1] ?? 1)
    const lines: string[] = []
    for (const item of items) {
      const html = item.name === 'list-item' ? inside(item.html.trim(), /^<li>/, '</li>') : null
      const [first, ...lists] = html === null ? [] : piecesOf(html, this.#mark)
      const text = first === undefined ? (html === '' ? '' : null) : first.name === '' ? this.#text(first.source) : null
      const nested = lists.map((list) => (list.name === 'list' ? this.block(list, level + 1) : null))
      if (text === null || nested.includes(null)) return null
      const sign = isOrdered ? `${number++}. ` : '- '
      lines.push(prefixed([text, ...nested].join('\n'), sign, ' '.repeat(sign.length)))
    }
    return lines.length === 0 ? null : lines.join('\n')
  }

  #quote(body: string, level: number): string | null {
    const inner = inside(body, /^<blockquote class="[\w-]+">/, '</blockquote>')
    const blocks = inner === null ? [] : piecesOf(inner, this.#mark).map((piece) => this.block(piece, level + 1))
    return blocks.length === 0 || blocks.includes(null) ? null : prefixed(blocks.join('\n\n'), '> ', '> ')
  }

  #table(body: string): string | null {
    const inner = inside(
      body,
      /^<figure class="[\w-]+"><table class="has-fixed-layout"><thead>/,
      '</tbody></table></figure>',
    )
    const [head = '', rows, ...others] = inner?.split('</thead><tbody>') ?? []
    if (inner === null || rows === undefined || others.length > 0) return null
    const lines = [head, ...rows.split('</tr>').slice(0, -1)].map((row) =>
      row
        .replace(/^<tr>/, '')
        .replace(/<\/tr>$/, '')
        .split(/<\/t[hd]>/)
        .slice(0, -1),
    )
    const aligns = (lines[0] ?? []).map((cell) => /^<th [^>]*data-align="(left|center|right)"/.exec(cell)?.[1] ?? '')
    const rule = aligns.map((align) => ({ left: ':--', center: ':-:', right: '--:' })[align] ?? '---')
    const cells = lines.map((row) =>
      row.map((cell) => this.#text(cell.replace(/^<t[hd][^>]*>/, ''))?.replaceAll('|', String.raw`\|`) ?? null),
    )
    if (cells.flat().includes(null)) return null
    const [first = [], ...below] = cells
    return [first, rule, ...below].map((row) => `| ${row.join(' | ')} |`).join('\n')
  }
}

/** Returns the HTML between a start and an end tag, or null. */
function inside(html: string, start: RegExp, end: string): string | null {
  const open = start.exec(html)?.[0]
  return open !== undefined && html.endsWith(end) ? html.slice(open.length, -end.length) : null
}

/** Elements with a form in Markdown. */
const MARKS: Readonly<Record<string, string>> = { strong: '**', em: '*', s: '~~' }

/** Returns a text as Markdown; null if a tag in it is not closed. Elements without a form in Markdown stay HTML. */
function inlineMarkdown(html: string, hasMarks: boolean): string | null {
  let markdown = ''
  const open: { name: string; end: string }[] = []
  const parts = html.split(/(<[^<>]*>)/)
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index]!
    if (index % 2 === 0) {
      markdown += escapedHtml(part)
      continue
    }
    const name = /^<\/?([a-z][a-z0-9]*)/i.exec(part)?.[1]?.toLowerCase() ?? ''
    if (part.startsWith('</')) {
      const last = open.pop()
      if (last?.name !== name) return null
      markdown += last.end
      continue
    }
    const isEmpty = ['br', 'img', 'wbr', ''].includes(name)
    const code = hasMarks && part === '<code>' && parts[index + 2] === '</code>' ? parts[index + 1] : undefined
    if (code !== undefined && code.trim() === code && code !== '') {
      const fence = '`'.repeat(longestRun(code, '`') + 1)
      markdown += `${fence}${decoded(code)}${fence}`
      index += 2
      continue
    }
    const form = hasMarks ? formOf(part, name) : null
    markdown += form?.start ?? part
    if (!isEmpty) open.push({ name, end: form?.end ?? `</${name}>` })
  }
  return open.length > 0 ? null : lineStarts(markdown)
}

/** Returns the Markdown in place of the start and end of an element, or null. */
function formOf(tag: string, name: string): { start: string; end: string } | null {
  const mark = tag === `<${name}>` ? MARKS[name] : undefined
  if (mark !== undefined) return { start: mark, end: mark }
  const [, href, title] = /^<a href="([^"]*)"(?: title="([^"]*)")?>$/.exec(tag) ?? []
  if (href === undefined) return null
  return { start: '[', end: `](${target(decoded(href), title === undefined ? undefined : decoded(title))})` }
}

function target(url: string, title: string | undefined): string {
  const shown = /[()\s<>]/.test(url) ? `<${url}>` : url
  return title === undefined ? shown : `${shown} "${title.replaceAll(/[\\"]/g, String.raw`\$&`)}"`
}

/** Escapes characters of an HTML text that Markdown would read; entities stay. */
const escapedHtml = (text: string) => text.replaceAll(/[\\`*_[\]~]/g, String.raw`\$&`)

const escaped = (text: string) => text.replaceAll(/[\\`*_[\]~<>&]/g, String.raw`\$&`)

/** Escapes characters that would start a block at the start of a line. */
function lineStarts(markdown: string): string {
  return markdown
    .split('\n')
    .map((line) => line.replace(/^(?:[#>+=|-]|\d{1,9}(?=[.)]))/, (start) => (/\d/.test(start) ? start : `\\${start}`)))
    .map((line) => line.replace(/^(\d{1,9})([.)])/, String.raw`$1\$2`))
    .join('\n')
}

const decoded = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&nbsp;', '\u00a0')
    .replaceAll('&#91;', '[')
    .replaceAll('&#47;', '/')
    .replaceAll('&amp;', '&')

function longestRun(text: string, character: string): number {
  let longest = 0
  let run = 0
  for (const one of text) {
    run = one === character ? run + 1 : 0
    longest = Math.max(longest, run)
  }
  return longest
}

function prefixed(text: string, first: string, others: string): string {
  return text
    .split('\n')
    .map((line, index) => (index === 0 ? first + line : line === '' ? others.trimEnd() : others + line))
    .join('\n')
}

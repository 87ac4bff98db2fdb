import { parseDocument } from 'htmlparser2'

type Node = ReturnType<typeof parseDocument>['childNodes'][number]
type Element = Extract<Node, { attribs: Record<string, string> }>

/** Levels of nested elements; deeper ones become text. */
const MAX_LEVELS = 100
/** Elements whose content is a paragraph of its own. */
const BLOCK_ELEMENTS: ReadonlySet<string> = new Set(
  'address article aside blockquote center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table ul'.split(
    ' ',
  ),
)
/** Elements that Markdown has no form for; they stay HTML, which Markdown allows. */
const KEPT_ELEMENTS: ReadonlySet<string> = new Set(
  'iframe video audio object embed svg math sub sup kbd mark abbr ins u small details dl form'.split(' '),
)
/** Elements without visible text. */
const DROPPED_ELEMENTS: ReadonlySet<string> = new Set(['script', 'style', 'noscript', 'template'])
const MARKS: Readonly<Record<string, string>> = { strong: '**', b: '**', em: '_', i: '_', del: '~~', s: '~~' }

/**
 * Converts the HTML of a post to Markdown (CommonMark with tables and strikethrough). Comments of blocks are removed,
 * except blocks without HTML, which would otherwise be lost; HTML without a form in Markdown is kept.
 * @param change changes the URLs of links and images
 */
export function htmlToMarkdown(html: string, change: (url: string) => string): string {
  // The parser takes quadratic time for elements that are nested without end.
  if (isTooDeep(html)) return escaped(html.replaceAll(/<[^<>]*>/g, ' ')).trim()
  const { childNodes } = parseDocument(html, { withStartIndices: true, withEndIndices: true })
  return new Converter(html, change)
    .blocks(childNodes, 0)
    .replaceAll(/[ \t]{1,1000}\n/g, (spaces) => (spaces.startsWith('  ') ? '  \n' : '\n'))
    .trim()
}

/** Open elements up to which a text is parsed. */
const MAX_OPEN_ELEMENTS = 1000
/** Elements that are never open, or that the next one of their kind closes. */
const NOT_NESTED: ReadonlySet<string> = new Set(
  'area base br col dd dt embed hr img input li link meta option p param source td th tr track wbr'.split(' '),
)

function isTooDeep(html: string): boolean {
  let open = 0
  for (const [, end, name = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9]{0,20})/gi)) {
    if (NOT_NESTED.has(name.toLowerCase())) continue
    open = Math.max(0, open + (end === '' ? 1 : -1))
    if (open > MAX_OPEN_ELEMENTS) return true
  }
  return false
}

class Converter {
  readonly #html: string
  readonly #change: (url: string) => string

  constructor(html: string, change: (url: string) => string) {
    this.#html = html
    this.#change = change
  }

  /** Converts nodes to blocks, separated by empty lines. Text between block elements becomes paragraphs. */
  blocks(nodes: readonly Node[], level: number): string {
    const blocks: string[] = []
    let inline = ''
    const flush = () => {
      // Classic content separates paragraphs by empty lines.
      for (const paragraph of inline.split(/\n[ \t]{0,100}\n/))
        if (paragraph.trim() !== '') blocks.push(paragraph.trim())
      inline = ''
    }
    for (const node of nodes) {
      if (node.type === 'comment') {
        const isDynamic = node.data.trimEnd().endsWith('/')
        if (isDynamic || /^\s*(?:more|nextpage)/.test(node.data)) {
          flush()
          blocks.push(`<!--${node.data}-->`)
        }
      } else if (isElement(node) && BLOCK_ELEMENTS.has(node.name)) {
        flush()
        const block = this.#block(node, level)
        if (block !== '') blocks.push(block)
      } else inline += this.#inline(node, level)
    }
    flush()
    return blocks.join('\n\n')
  }

  #block(element: Element, level: number): string {
    const { name, childNodes: nodes } = element
    if (level >= MAX_LEVELS) return textOf(element)
    const below = level + 1
    if (KEPT_ELEMENTS.has(name)) return this.#source(element)
    if (/^h[1-6]$/.test(name)) return `${'#'.repeat(Number(name[1]))} ${oneLine(this.#inlines(nodes, below))}`
    switch (name) {
      case 'hr':
        return '---'
      case 'blockquote':
        return prefixed(this.blocks(nodes, below), '> ', '> ')
      case 'pre':
        return fenced(textOf(element), /\blanguage-([\w+#.-]{1,40})/.exec(this.#source(element).slice(0, 500))?.[1])
      case 'ul':
      case 'ol':
        return this.#list(element, below)
      case 'table':
        return this.#table(element, below)
      case 'figcaption':
        return `_${oneLine(this.#inlines(nodes, below))}_`
      default:
        return this.blocks(nodes, below)
    }
  }

  #list(element: Element, level: number): string {
    const isOrdered = element.name === 'ol'
    let number = Number(element.attribs['start'] ?? 1) || 1
    const items = element.childNodes.filter(isElement).map((item) => {
      const mark = isOrdered ? `${number++}. ` : '- '
      const text = this.blocks(item.childNodes, level)
      // A nested list belongs to its item without an empty line between.
      return prefixed(text.replace(/\n\n(?=(?:- |\d+\. ))/g, '\n'), mark, ' '.repeat(mark.length))
    })
    return items.join('\n')
  }

  /** Tables with merged cells or blocks in cells stay HTML. */
  #table(element: Element, level: number): string {
    const rows = descendants(element, 'tr').map((row) => row.childNodes.filter(isElement))
    const cells = rows.flat()
    const isPlain = cells.every(
      ({ attribs, childNodes }) =>
        attribs['colspan'] === undefined &&
        attribs['rowspan'] === undefined &&
        !childNodes.some((node) => isElement(node) && BLOCK_ELEMENTS.has(node.name) && node.name !== 'p'),
    )
    if (!isPlain || rows.length === 0) return this.#source(element)
    const width = Math.max(...rows.map(({ length }) => length))
    const lines = rows.map((row) => {
      const texts = row.map(({ childNodes }) => oneLine(this.blocks(childNodes, level)).replaceAll('|', String.raw`\|`))
      return `| ${[...texts, ...Array<string>(width - texts.length).fill('')].join(' | ')} |`
    })
    const hasHead = rows[0]!.every(({ name }) => name === 'th')
    const rule = `|${' --- |'.repeat(width)}`
    const head = hasHead ? lines.shift()! : `|${'  |'.repeat(width)}`
    return [head, rule, ...lines].join('\n')
  }

  #inlines(nodes: readonly Node[], level: number): string {
    return nodes.map((node) => this.#inline(node, level)).join('')
  }

  #inline(node: Node, level: number): string {
    if (node.type === 'text') return escaped(node.data)
    if (!isElement(node) || DROPPED_ELEMENTS.has(node.name)) return ''
    if (level >= MAX_LEVELS) return textOf(node)
    if (KEPT_ELEMENTS.has(node.name)) return this.#source(node)
    const { name, attribs, childNodes: nodes } = node
    const below = level + 1
    if (name === 'br') return '  \n'
    if (name === 'img') return this.#image(attribs)
    if (name === 'code') return codeOf(textOf(node))
    const inner = BLOCK_ELEMENTS.has(name) ? this.blocks(nodes, below) : this.#inlines(nodes, below)
    const mark = MARKS[name]
    if (mark !== undefined) return marked(inner, mark)
    if (name === 'a' && attribs['href'] !== undefined) return this.#link(inner, attribs)
    return inner
  }

  #image({ src = '', alt = '', title }: Record<string, string | undefined>): string {
    return src === '' ? '' : `![${bracketText(alt)}](${this.#target(src, title)})`
  }

  #link(inner: string, { href = '', title }: Record<string, string | undefined>): string {
    const text = inner.trim()
    return text === '' ? '' : `[${oneLine(text)}](${this.#target(href, title)})`
  }

  #target(url: string, title: string | undefined): string {
    const changed = this.#change(url).replaceAll(/[\s<>]/g, encodeURIComponent)
    const shown = /[()]/.test(changed) ? `<${changed}>` : changed
    return title === undefined || title === '' ? shown : `${shown} ${JSON.stringify(oneLine(title))}`
  }

  /** The HTML of an element as it was written. */
  #source({ startIndex, endIndex }: Element): string {
    return this.#html.slice(startIndex ?? 0, (endIndex ?? 0) + 1).replaceAll(/\n\s{0,1000}\n/g, '\n')
  }
}

function isElement(node: Node): node is Element {
  return 'attribs' in node
}

function descendants(element: Element, name: string): Element[] {
  return element.childNodes
    .filter(isElement)
    .flatMap((child) => (child.name === name ? [child] : child.name === 'table' ? [] : descendants(child, name)))
}

function textOf(node: Node): string {
  const texts: string[] = []
  const waiting: Node[] = [node]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.type === 'text') texts.push(next.data)
    else if (isElement(next)) {
      if (next.name === 'br') texts.push('\n')
      for (const child of next.childNodes.toReversed()) waiting.push(child)
    }
  }
  return texts.join('')
}

/** Escapes characters that Markdown would interpret. */
function escaped(text: string): string {
  return text
    .replaceAll(/[ \t]{1,1000}/g, ' ')
    .replaceAll(/[\\`*_[\]<]/g, String.raw`\$&`)
    .replaceAll(
      /(^|\n)(\s{0,3})([#>+-]|\d{1,9}[.)])(?=\s)/g,
      (_whole, start: string, space: string, mark: string) =>
        `${start}${space}${mark.length === 1 ? `\\${mark}` : `${mark.slice(0, -1)}\\${mark.slice(-1)}`}`,
    )
}

/** Puts marks around a text, with its spaces outside. */
function marked(text: string, mark: string): string {
  const inner = text.trim()
  if (inner === '') return text
  const start = text.length - text.trimStart().length
  return `${text.slice(0, start)}${mark}${inner}${mark}${text.slice(start + inner.length)}`
}

function codeOf(text: string): string {
  const longest = Math.max(0, ...(text.match(/`{1,1000}/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  const space = text.startsWith('`') || text.endsWith('`') ? ' ' : ''
  return `${fence}${space}${text}${space}${fence}`
}

function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...(text.match(/`{3,1000}/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text.replace(/^\n/, '').replace(/\n$/, '')}\n${fence}`
}

function prefixed(text: string, first: string, others: string): string {
  const [start = '', ...rest] = text.split('\n')
  return [first + start, ...rest.map((line) => (line === '' ? others.trimEnd() : others + line))].join('\n')
}

function oneLine(text: string): string {
  return text.replaceAll(/\s{1,1000}/g, ' ').trim()
}

function bracketText(text: string): string {
  return oneLine(text).replaceAll(/[[\]\\]/g, String.raw`\$&`)
}

// Also runs in the worker for long texts: do not import modules that load the kernel.
import MarkdownIt, { type Token } from 'markdown-it'
import { blockMarkup } from './block-markup.ts'

/** Levels of nested lists and quotes; deeper levels become text. */
const MAX_NESTING_DEPTH = 40

const parser = new MarkdownIt({ html: true, linkify: false, typographer: false, maxNesting: MAX_NESTING_DEPTH })

parser.use(blockMarkup)
// The block editor escapes only these characters, and writes this line break.
const escapeText = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\u00a0', '&nbsp;')
parser.renderer.rules['text'] = (tokens, index) => escapeText(tokens[index]!.content)
parser.renderer.rules['code_inline'] = (tokens, index) => `<code>${escapeText(tokens[index]!.content)}</code>`
parser.renderer.rules['hardbreak'] = () => '<br>'

/** One token, or all tokens from the start to the end of an element. */
interface Piece {
  readonly token: Token
  /** Tokens between start and end; empty for a single token. */
  readonly inner: readonly Token[]
  /** All tokens. */
  readonly all: readonly Token[]
}

/** A block and its Markdown. */
export interface KnownBlock {
  readonly source: string
  readonly markdown: string
}

/**
 * Converts Markdown (CommonMark with tables) to block markup; HTML and block markup in the text are preserved. Takes linear
 * time.
 * @param mark prefix of the names in comments and of classes: `<!-- {mark}:paragraph -->`, `{mark}-block-quote`
 * @param known Markdown of existing blocks: a piece with the same Markdown becomes that block, with the same bytes
 */
export function blocksOfMarkdown(source: string, mark: string, known: readonly KnownBlock[] = []): string {
  const text = source.replaceAll(/\r\n?/g, '\n')
  const tokens = parser.parse(text, { mark })
  const writer = new Writer(mark)
  if (known.length === 0) return writer.blocks(tokens)
  const sources = Map.groupBy(known.toReversed(), ({ markdown }) => markdown.trim())
  const lines = text.split('\n')
  const blocks = piecesOf(tokens).map((piece) => {
    const [from, to] = piece.token.map ?? [0, 0]
    return sources.get(lines.slice(from, to).join('\n').trim())?.pop()?.source ?? writer.block(piece)
  })
  return blocks.filter((block) => block !== '').join('\n\n')
}

class Writer {
  readonly #mark: string

  constructor(mark: string) {
    this.#mark = mark
  }

  blocks(tokens: readonly Token[]): string {
    return piecesOf(tokens)
      .map((piece) => this.block(piece))
      .filter((block) => block !== '')
      .join('\n\n')
  }

  block({ token, inner, all }: Piece): string {
    switch (token.type) {
      case 'paragraph_open':
        return this.#paragraph(inner)
      case 'heading_open': {
        const level = Number(token.tag.slice(1))
        const { tag } = token
        const text = `<${tag} class="${this.#mark}-block-heading">${inlineOf(inner)}</${tag}>`
        return this.#written('heading', text, level === 2 ? {} : { level })
      }
      case 'bullet_list_open':
      case 'ordered_list_open':
        return this.#list(token, inner)
      case 'blockquote_open':
        return this.#written(
          'quote',
          `<blockquote class="${this.#mark}-block-quote">${this.blocks(inner)}</blockquote>`,
        )
      case 'fence':
      case 'code_block': {
        const language = /^[\w+#.-]{1,40}/.exec(token.info.trim())?.[0]
        const className = language === undefined ? {} : { className: `language-${language}` }
        const classes = [`${this.#mark}-block-code`, ...Object.values(className)].join(' ')
        const text = escapeText(token.content.replace(/\n$/, ''))
        return this.#written('code', `<pre class="${classes}"><code>${text}</code></pre>`, className)
      }
      case 'hr':
        return this.#written('separator', `<hr class="${this.#mark}-block-separator has-alpha-channel-opacity"/>`)
      case 'table_open':
        return this.#written('table', `<figure class="${this.#mark}-block-table">${tableHtml(all)}</figure>`)
      case 'block_markup':
        return token.content
      case 'html_block': {
        const html = token.content.trim()
        // Block markup in the text is preserved.
        return html.startsWith(`<!-- ${this.#mark}:`) || html.startsWith(`<!-- /${this.#mark}:`)
          ? html
          : this.#written('html', html)
      }
      default:
        return this.#written('html', renderTokens(all).trim())
    }
  }

  #paragraph(inner: readonly Token[]): string {
    const [inline] = inner
    const parts = inline?.children ?? []
    const [only] = parts
    if (parts.length === 1 && only?.type === 'image') {
      const title = only.attrGet('title')
      const caption =
        title === null
          ? ''
          : `<figcaption class="${this.#mark}-element-caption">${escapeHtml(String(title))}</figcaption>`
      const image = `<img src="${escapeHtml(String(only.attrGet('src') ?? ''))}" alt="${escapeHtml(altOf(only))}"/>`
      return this.#written('image', `<figure class="${this.#mark}-block-image">${image}${caption}</figure>`)
    }
    return this.#written('paragraph', `<p>${inlineOf(inner)}</p>`)
  }

  #list({ type, tag, attrs }: Token, inner: readonly Token[]): string {
    const ordered = type === 'ordered_list_open'
    const start = Number(attrs?.find(([name]) => name === 'start')?.[1] ?? 1)
    const items = piecesOf(inner).map((item) => this.#item(item.inner))
    const from = start === 1 ? '' : ` start="${start}"`
    const attributes = ordered ? { ordered, ...(start !== 1 && { start }) } : {}
    return this.#written(
      'list',
      `<${tag}${from} class="${this.#mark}-block-list">${items.join('\n\n')}</${tag}>`,
      attributes,
    )
  }

  /** A list item contains text, then nested lists; other elements become HTML. */
  #item(tokens: readonly Token[]): string {
    const parts: string[] = []
    let isText = false
    for (const piece of piecesOf(tokens)) {
      const { type } = piece.token
      if (type === 'paragraph_open') parts.push(`${isText ? '<br/><br/>' : ''}${inlineOf(piece.inner)}`)
      else if (type.endsWith('_list_open')) parts.push(this.block(piece))
      else parts.push(renderTokens(piece.all).trim())
      isText = type === 'paragraph_open'
    }
    return this.#written('list-item', `<li>${parts.join('')}</li>`)
  }

  #written(name: string, html: string, attributes: Readonly<Record<string, unknown>> = {}): string {
    const json = Object.keys(attributes).length === 0 ? '' : `${JSON.stringify(attributes)} `
    return `<!-- ${this.#mark}:${name} ${json}-->\n${html}\n<!-- /${this.#mark}:${name} -->`
  }
}

/** Splits tokens into the pieces of the top level. */
function piecesOf(tokens: readonly Token[]): Piece[] {
  const pieces: Piece[] = []
  let depth = 0
  let from = 0
  tokens.forEach((token, index) => {
    if (depth === 0) from = index
    depth += token.nesting
    if (depth === 0) {
      const all = tokens.slice(from, index + 1)
      pieces.push({ token: all[0]!, inner: all.slice(1, -1), all })
    }
  })
  return pieces
}

/** Renders the text of a paragraph or a heading as HTML. */
function inlineOf(tokens: readonly Token[]): string {
  return tokens.map((token) => parser.renderer.renderInline(token.children ?? [], parser.options, {})).join('')
}

/** Renders a table as the block editor saves it. */
function tableHtml(tokens: readonly Token[]): string {
  for (const token of tokens) {
    if (token.type === 'table_open') token.attrSet('class', 'has-fixed-layout')
    const align = /^text-align:(left|center|right)$/.exec(String(token.attrGet('style') ?? ''))?.[1]
    if (align !== undefined)
      token.attrs = [
        ['class', `has-text-align-${align}`],
        ['data-align', align],
      ]
  }
  return renderTokens(tokens).replaceAll('\n', '')
}

const altOf = ({ children }: Token) => parser.renderer.renderInlineAsText(children ?? [], parser.options, {})

const renderTokens = (tokens: readonly Token[]) => parser.renderer.render([...tokens], parser.options, {})

const escapeHtml = (text: string) => parser.utils.escapeHtml(text)

import { escapeHtml, type PageHtml } from '../../../kernel/index.ts'
import type { HeadElement } from './hooks.ts'

/** What an HTML document is made of; texts are plain, `body` is HTML. */
export interface DocumentParts {
  readonly language: string
  readonly title: string
  readonly head: readonly HeadElement[]
  readonly bodyClasses: readonly string[]
  readonly body: string
  /** What stands above and below the theme. */
  readonly above: readonly PageHtml[]
  readonly below: readonly PageHtml[]
  /** CSS beside that of the theme. */
  readonly style: string
  /** Class of the element around all blocks, by which global styles know it. */
  readonly rootClass: string
}

/** What no theme need say: texts for screen readers alone, and the link past the header. */
const STYLE =
  '.screen-reader-text{border:0;clip-path:inset(50%);height:1px;margin:-1px;overflow:hidden;padding:0;position:absolute;width:1px;word-wrap:normal}' +
  '.skip-link:focus{background:Canvas;clip-path:none;color:LinkText;height:auto;left:.5rem;margin:0;padding:.75rem 1rem;top:.5rem;width:auto;z-index:100}' +
  'img{height:auto;max-width:100%}' +
  '.comment-form input,.comment-form textarea{box-sizing:border-box;font:inherit;max-width:100%;padding:.25rem .5rem}'

const NAME = /^[a-z][a-z0-9:_-]{0,40}$/i
const MAIN = /<main\b([^<>]*)>/i
const ITS_ID = /\sid=["']?([\w-]+)/i

/** An HTML document, with a link past its header to what it is about. */
export function documentOf(parts: DocumentParts): string {
  const { language, title, head, bodyClasses, body, rootClass, above, below, style } = parts
  const { html, target } = withTarget(body)
  const skip = target === null ? '' : `<a class="skip-link screen-reader-text" href="#${target}">Skip to content</a>\n`
  return `<!doctype html>
<html lang="${escapeHtml(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
${head.map(elementOf).join('')}<style>${STYLE}${style}</style>
</head>
<body class="${escapeHtml(bodyClasses.join(' '))}">
${skip}${above.map(lineOf).join('')}<div class="${rootClass}">
${html}
</div>
${below.map(lineOf).join('')}</body>
</html>
`
}

const lineOf = ({ text }: PageHtml) => `${text}\n`

function elementOf({ element, attributes }: HeadElement): string {
  const own = Object.entries(attributes).filter(([name]) => NAME.test(name) && !/^on/i.test(name))
  const written = own.map(([name, value]) => ` ${name}="${escapeHtml(String(value))}"`).join('')
  return element === 'link' || element === 'meta' ? `<${element}${written}>\n` : ''
}

/** The page with an ID on its main element, to jump to. */
function withTarget(html: string): { html: string; target: string | null } {
  const main = MAIN.exec(html)
  if (main === null) return { html, target: null }
  const own = ITS_ID.exec(main[1]!)
  if (own !== null) return { html, target: own[1]! }
  const at = main.index + '<main'.length
  return { html: `${html.slice(0, at)} id="main-content"${html.slice(at)}`, target: 'main-content' }
}

import { escapeHtml, inlineStyle, type PageHtml } from '../../library/markup/index.ts'
import type { HeadElement } from './hooks.ts'

/** The parts of an HTML document; all texts are plain, `body` is HTML. */
export interface DocumentParts {
  readonly language: string
  readonly title: string
  readonly head: readonly HeadElement[]
  readonly bodyClasses: readonly string[]
  /** Text of the link that skips the header. */
  readonly skip: string
  readonly body: string
  /** HTML above and below the theme. */
  readonly above: readonly PageHtml[]
  readonly below: readonly PageHtml[]
  /** CSS in addition to that of the theme. */
  readonly style: string
  /** Class of the element around all blocks, which global styles select. */
  readonly rootClass: string
}

/** Styles that every theme needs: text for screen readers only, the skip link, images and the comment form. */
const STYLE =
  '.screen-reader-text{border:0;clip-path:inset(50%);height:1px;margin:-1px;overflow:hidden;padding:0;position:absolute;width:1px;word-wrap:normal}' +
  '.skip-link:focus{background:Canvas;clip-path:none;color:LinkText;height:auto;left:.5rem;margin:0;padding:.75rem 1rem;top:.5rem;width:auto;z-index:100}' +
  ':where(img){max-width:100%}:where(img:not(.avatar)){height:auto}' +
  ":where(.comment-form :is(input:not([type='submit']),textarea)){box-sizing:border-box;font:inherit;max-width:100%}"

const NAME = /^[a-z][a-z0-9:_-]{0,40}$/i
const MAIN = /<main\b([^<>]*)>/i
const ID_ATTRIBUTE = /\sid=["']?([\w-]+)/i

/** A rendered HTML document. */
export interface SiteDocument {
  readonly html: string
  /**
   * Sources of the `<style>` elements for a Content-Security-Policy; excludes the styles of the theme and of content.
   */
  readonly styleSources: readonly string[]
}

/** Renders an HTML document with a link that skips its header. */
export function documentOf(parts: DocumentParts): SiteDocument {
  const { language, title, head, bodyClasses, body, rootClass, above, below, style } = parts
  const { html, target } = withTarget(body)
  const skip =
    target === null ? '' : `<a class="skip-link screen-reader-text" href="#${target}">${escapeHtml(parts.skip)}</a>\n`
  const css = head.flatMap((one) => (one.element === 'style' ? [one.css] : []))
  const styles = [...css, STYLE + style].map(inlineStyle)
  const text = `<!doctype html>
<html lang="${escapeHtml(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
${head.map(elementOf).join('')}${styles.map(({ element }) => element).join('\n')}
</head>
<body class="${escapeHtml(bodyClasses.join(' '))}">
${skip}${above.map(lineOf).join('')}<div class="${rootClass}">
${html}
</div>
${below.map(lineOf).join('')}</body>
</html>
`
  return {
    html: text,
    styleSources: [...styles.map(({ source }) => source), ...[...above, ...below].flatMap(sourcesIn)],
  }
}

/**
 * Patterns for the start of a `<style>` tag, the rest of that tag, and its end tag. Quoted values in the tag can
 * contain `>`. No two alternatives of a pattern match the same text, which prevents exponential backtracking.
 */
const STYLE_START = /<style(?=[\t\n\f\r />])/gi
const TAG_REST = /[^>=]*(?:=(?:\s*"[^"]*"|\s*'[^']*'|(?!\s*["']))[^>=]*)*>/y
const STYLE_END = /<\/style(?=[\t\n\f\r />])/gi

/**
 * Returns the CSP sources of styles in HTML that plugins add around the theme. Each pattern continues after the
 * previous match.
 */
function sourcesIn({ text }: PageHtml): string[] {
  const sources: string[] = []
  let at = 0
  const next = (pattern: RegExp) => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found !== null) at = pattern.lastIndex
    return found
  }
  while (next(STYLE_START) !== null && next(TAG_REST) !== null) {
    const start = at
    const end = next(STYLE_END)
    if (end === null) break
    sources.push(inlineStyle(text.slice(start, end.index)).source)
  }
  return sources
}

const lineOf = ({ text }: PageHtml) => `${text}\n`

/** Returns JSON that cannot end the script element that contains it. */
function escapeJson(data: object): string {
  return JSON.stringify(data).replaceAll('<', String.raw`\u003C`)
}

function elementOf(one: HeadElement): string {
  if (one.element === 'style') return ''
  // Browsers do not run data blocks, so the Content-Security-Policy does not have to permit them.
  if (one.element === 'json-ld') return `<script type="application/ld+json">${escapeJson(one.data)}</script>\n`
  const { element, attributes } = one
  const own = Object.entries(attributes).filter(([name]) => NAME.test(name) && !/^on/i.test(name))
  const written = own.map(([name, value]) => ` ${name}="${escapeHtml(String(value))}"`).join('')
  return element === 'link' || element === 'meta' ? `<${element}${written}>\n` : ''
}

/** Returns the page with an ID on its main element, the target of the skip link. */
function withTarget(html: string): { html: string; target: string | null } {
  const main = MAIN.exec(html)
  if (main === null) return { html, target: null }
  const own = ID_ATTRIBUTE.exec(main[1]!)
  if (own !== null) return { html, target: own[1]! }
  const at = main.index + '<main'.length
  return { html: `${html.slice(0, at)} id="main-content"${html.slice(at)}`, target: 'main-content' }
}

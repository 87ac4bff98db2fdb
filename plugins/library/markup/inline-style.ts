import { hash } from 'node:crypto'

/** CSS of a page with its source for the Content-Security-Policy. */
export interface InlineStyle {
  /** The element `<style>`. */
  readonly element: string
  /** Its source for the directive `style-src` of the page's Content-Security-Policy. */
  readonly source: string
}

/** Creates a `<style>` element that a Content-Security-Policy can allow by its hash. */
export function inlineStyle(css: string): InlineStyle {
  // Normalized as by the browser: line breaks are one character, and no text closes the element.
  const text = css.replace(/\r\n?/g, '\n').replace(/<\/(?=style[\t\n\f\r />])/gi, '<\\/')
  return { element: `<style>${text}</style>`, source: `'sha256-${hash('sha256', text, 'base64')}'` }
}

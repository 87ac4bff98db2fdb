import { hash } from 'node:crypto'

/** CSS inside of a page, and what permits it. */
export interface InlineStyle {
  /** The element `<style>`. */
  readonly element: string
  /** Its source for the directive `style-src` of the page's Content-Security-Policy. */
  readonly source: string
}

/** CSS as an element `<style>` that a Content-Security-Policy permits by its hash, and no other element with it. */
export function inlineStyle(css: string): InlineStyle {
  // As the browser reads it: a line ends with one character, and no text ends the element.
  const text = css.replace(/\r\n?/g, '\n').replace(/<\/(?=style[\t\n\f\r />])/gi, '<\\/')
  return { element: `<style>${text}</style>`, source: `'sha256-${hash('sha256', text, 'base64')}'` }
}

import { xmlText } from './php.ts'

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
}

/** Escapes a text for an element or an attribute in double quotes. */
export function escapeXml(text: string): string {
  return xmlText(text).replace(/[&<>"\r]/g, (character) => ESCAPES[character]!)
}

/**
 * Writes a text as a CDATA section, as the format expects. A text with carriage returns is escaped instead, because XML
 * parsers convert them to line feeds in sections, and serialized values contain their lengths.
 */
export function cdata(text: string): string {
  if (text.includes('\r')) return escapeXml(text)
  return `<![CDATA[${xmlText(text).replaceAll(']]>', ']]]]><![CDATA[>')}]]>`
}

/** Writes an element with a section. Line ends become those of XML, in which imports store them. */
export function element(name: string, text: string): string {
  return exactElement(name, text.replace(/\r\n?/g, '\n'))
}

/** Writes an element with a section that keeps carriage returns. */
export function exactElement(name: string, text: string): string {
  return `<${name}>${cdata(text)}</${name}>`
}

/** Writes an element with a number or another text without markup. */
export function plainElement(name: string, text: string | number): string {
  return `<${name}>${escapeXml(String(text))}</${name}>`
}

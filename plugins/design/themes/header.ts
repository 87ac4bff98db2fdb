/** Matches a header line such as `Theme Name: Plain`, with an optional comment star. */
const FIELD = /^[\t /*#@]*([A-Za-z][A-Za-z ]{0,40}):(.*)$/
/** Number of characters at the start of a file that can contain the header. */
const HEADER_REACH_LENGTH = 8_192

/** Returns the header fields at the start of a file, by lower-case name. */
export function headerFields(text: string): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const line of text.slice(0, HEADER_REACH_LENGTH).split(/\r\n|\r|\n/)) {
    const [, name, value] = FIELD.exec(line) ?? []
    const key = name?.trim().toLowerCase()
    if (key === undefined || key === '' || Object.hasOwn(fields, key)) continue
    const shown = value!.split(/\*\/|\?>/, 1)[0]!.trim()
    if (shown !== '') fields[key] = shown
  }
  return fields
}

/** Splits a stylesheet into its header and the rest. */
export function splitStylesheet(css: string): { header: Record<string, string>; rest: string } {
  const start = css.replace(/^\uFEFF?\s*/, '')
  const end = start.startsWith('/*') ? start.indexOf('*/') : -1
  if (end === -1) return { header: {}, rest: css }
  const header = headerFields(start.slice(0, end))
  return 'theme name' in header ? { header, rest: start.slice(end + 2).trimStart() } : { header: {}, rest: css }
}

/**
 * Splits a pattern file into header and markup. The header is an HTML comment, or a PHP comment; PHP code is never run.
 * @returns null if the file has no header, or its markup contains code
 */
export function splitPattern(text: string): { header: Record<string, string>; content: string } | null {
  const start = text.replace(/^\uFEFF?\s*/, '')
  const [open, close] = start.startsWith('<?php') ? ['<?php', '?>'] : ['<!--', '-->']
  if (!start.startsWith(open)) return null
  const end = start.indexOf(close, open.length)
  if (end === -1) return null
  const head = start.slice(open.length, end)
  // Code next to the comment could affect the markup, but is not run.
  if (open === '<?php' && !isComment(head)) return null
  const content = start.slice(end + close.length).replace(/^\r?\n/, '')
  return content.includes('<?') ? null : { header: headerFields(head), content }
}

/** Whether code consists of a single comment. */
function isComment(code: string): boolean {
  const text = code.trim()
  return text.startsWith('/*') && text.indexOf('*/') === text.length - 2
}

/** A line of a header: `Theme Name: Plain`, perhaps after the star of a comment. */
const FIELD = /^[\t /*#@]*([A-Za-z][A-Za-z ]{0,40}):(.*)$/
/** Characters in which a header stands, from the beginning of a file. */
const HEADER_REACH_LENGTH = 8_192

/** The fields of the comment that a file begins with, by their names in small letters. */
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

/** A stylesheet as its header and the rest. */
export function splitStylesheet(css: string): { header: Record<string, string>; rest: string } {
  const start = css.replace(/^\uFEFF?\s*/, '')
  const end = start.startsWith('/*') ? start.indexOf('*/') : -1
  if (end === -1) return { header: {}, rest: css }
  const header = headerFields(start.slice(0, end))
  return 'theme name' in header ? { header, rest: start.slice(end + 2).trimStart() } : { header: {}, rest: css }
}

/**
 * A pattern as its header and its markup. Files come in two forms: a comment of HTML before the markup, or a comment in a
 * piece of program code, which is never run.
 * @returns null where the file has no header, or its markup holds program code
 */
export function splitPattern(text: string): { header: Record<string, string>; content: string } | null {
  const start = text.replace(/^\uFEFF?\s*/, '')
  const [open, close] = start.startsWith('<?php') ? ['<?php', '?>'] : ['<!--', '-->']
  if (!start.startsWith(open)) return null
  const end = start.indexOf(close, open.length)
  if (end === -1) return null
  const head = start.slice(open.length, end)
  // Code beside the comment would have to run for the markup to be what is meant.
  if (open === '<?php' && !isComment(head)) return null
  const content = start.slice(end + close.length).replace(/^\r?\n/, '')
  return content.includes('<?') ? null : { header: headerFields(head), content }
}

/** Whether a piece of code is one comment and nothing else. */
function isComment(code: string): boolean {
  const text = code.trim()
  return text.startsWith('/*') && text.indexOf('*/') === text.length - 2
}

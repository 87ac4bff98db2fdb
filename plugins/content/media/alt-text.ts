// oxlint-disable-next-line no-control-regex -- these are the characters
const CONTROLS = /[\0-\x08\v\f\x0e-\x1f\x7f]+/g

/**
 * Sanitizes an alternative text: one line without control characters and markup, including markup that only appears
 * once other markup is removed.
 */
export function cleanAltText(text: string): string {
  return withoutCode(text.toWellFormed().replace(CONTROLS, ''))
    .replace(/<[a-z/!?][^>]*>?/gi, '')
    .replace(/<(?=[a-z/!?])/gi, '< ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** Removes scripts and styles with their content. */
function withoutCode(text: string): string {
  const parts: string[] = []
  const code = /<(script|style)\b[^<>]*>/gi
  const closed = { script: /<\/script\s*>/gi, style: /<\/style\s*>/gi }
  let from = 0
  for (let start = code.exec(text); start !== null; start = code.exec(text)) {
    const end = closed[start[1]!.toLowerCase() as keyof typeof closed]
    end.lastIndex = code.lastIndex
    if (end.exec(text) === null) break
    parts.push(text.slice(from, start.index))
    from = code.lastIndex = end.lastIndex
  }
  return parts.join('') + text.slice(from)
}

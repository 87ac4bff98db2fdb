// oxlint-disable-next-line no-control-regex -- these are the characters
const CONTROLS = /[\0-\x08\v\f\x0e-\x1f\x7f]+/g

/** The alternative text of an image as it is stored: in one line and without markup, also where removing some leaves some. */
export function cleanAltText(text: string): string {
  return withoutCode(text.toWellFormed().replace(CONTROLS, ''))
    .replace(/<[a-z/!?][^>]*>?/gi, '')
    .replace(/<(?=[a-z/!?])/gi, '< ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** A text without its scripts and styles, which are none of its words. */
function withoutCode(text: string): string {
  const kept: string[] = []
  const code = /<(script|style)\b[^<>]*>/gi
  const closed = { script: /<\/script\s*>/gi, style: /<\/style\s*>/gi }
  let from = 0
  for (let begin = code.exec(text); begin !== null; begin = code.exec(text)) {
    const end = closed[begin[1]!.toLowerCase() as keyof typeof closed]
    end.lastIndex = code.lastIndex
    if (end.exec(text) === null) break
    kept.push(text.slice(from, begin.index))
    from = code.lastIndex = end.lastIndex
  }
  return kept.join('') + text.slice(from)
}

/** Control characters except tabs and line ends. Some databases, feeds and logs cannot represent them. */
// oxlint-disable-next-line no-control-regex -- matches control characters
const CONTROLS = /[\0-\x08\v\f\x0e-\x1f\x7f-\x9f]/g

/**
 * Cleans a text for storage: replaces lone surrogates by U+FFFD and removes control characters except tabs and line
 * ends. A text of control characters only becomes U+FFFD, because an empty text may have another meaning.
 */
export function cleanText(text: string): string {
  const clean = withoutControls(text.toWellFormed())
  return clean === '' && text !== '' ? '\uFFFD' : clean
}

/** Cleans a name for a lookup: replaces characters that `cleanText` removes by U+FFFD, so that names stay distinct. */
export function cleanName(name: string): string {
  return withoutControls(name.toWellFormed(), '\uFFFD')
}

/** Characters cleaned in one pass. V8 allocates an entry per match and retains them, which matters for millions. */
const SLICE_LENGTH = 4096

function withoutControls(text: string, instead = ''): string {
  if (text.length <= SLICE_LENGTH) return text.replace(CONTROLS, instead)
  let clean = ''
  for (let at = 0; at < text.length; at += SLICE_LENGTH)
    clean += text.slice(at, at + SLICE_LENGTH).replace(CONTROLS, instead)
  return clean
}

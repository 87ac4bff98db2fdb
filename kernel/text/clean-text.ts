/** Control characters but tabs and line ends: no text needs them, and not every database, feed or log can hold them. */
// oxlint-disable-next-line no-control-regex -- control characters are what it is about
const CONTROLS = /[\0-\x08\v\f\x0e-\x1f\x7f-\x9f]/g

/**
 * Text as it may be stored: halves of surrogate pairs become U+FFFD, control characters but tabs and line ends go.
 * Of a text of nothing else U+FFFD is left: it was not empty, and an empty one may mean something else.
 */
export function cleanText(text: string): string {
  const clean = withoutControls(text.toWellFormed())
  return clean === '' && text !== '' ? '\uFFFD' : clean
}

/** A name as it may be looked up: what `cleanText` would leave out becomes U+FFFD, so that no name turns into another. */
export function cleanName(name: string): string {
  return withoutControls(name.toWellFormed(), '\uFFFD')
}

/** Characters that are cleaned in one pass: V8 remembers each of a million matches, and keeps them. */
const SLICE_LENGTH = 4096

function withoutControls(text: string, instead = ''): string {
  if (text.length <= SLICE_LENGTH) return text.replace(CONTROLS, instead)
  let clean = ''
  for (let at = 0; at < text.length; at += SLICE_LENGTH)
    clean += text.slice(at, at + SLICE_LENGTH).replace(CONTROLS, instead)
  return clean
}

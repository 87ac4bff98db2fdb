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

/** Characters from which on a text is cleaned in one pass: V8 remembers each of a million matches, and keeps them. */
const LONG_TEXT_LENGTH = 4096

function withoutControls(text: string, instead = ''): string {
  if (text.length < LONG_TEXT_LENGTH) return text.replace(CONTROLS, instead)
  return text.search(CONTROLS) < 0 ? text : longWithoutControls(text, instead)
}

function longWithoutControls(text: string, instead: string): string {
  const bytes = Buffer.from(text, 'utf16le')
  const units = new Uint16Array(bytes.buffer, bytes.byteOffset, text.length)
  const other = instead === '' ? null : instead.charCodeAt(0)
  let kept = 0
  let all = 0
  for (let at = 0; at < units.length; at += 1) {
    let unit = units[at]!
    if (isControl(unit)) {
      if (other === null) continue
      unit = other
    }
    units[kept] = unit
    all |= unit
    kept += 1
  }
  // A text whose characters have one byte each is held so.
  if (all > 0xff) return bytes.toString('utf16le', 0, 2 * kept)
  return Buffer.from(units.subarray(0, kept)).toString('latin1')
}

/** Whether `CONTROLS` matches it. */
function isControl(unit: number): boolean {
  if (unit < 0x20) return unit !== 0x09 && unit !== 0x0a && unit !== 0x0d
  return unit >= 0x7f && unit <= 0x9f
}

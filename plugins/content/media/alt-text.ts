// oxlint-disable-next-line no-control-regex -- these are the characters
const CONTROLS = /[\0-\x08\v\f\x0e-\x1f\x7f]+/g

/** The alternative text of an image as it is stored: in one line and without markup, also where removing some leaves some. */
export function cleanAltText(text: string): string {
  return text
    .toWellFormed()
    .replace(CONTROLS, '')
    .replace(/<[a-z/!?][^>]*>?/gi, '')
    .replace(/<(?=[a-z/!?])/gi, '< ')
    .replace(/\s+/g, ' ')
    .trim()
}

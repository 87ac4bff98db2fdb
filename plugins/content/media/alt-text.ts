// oxlint-disable-next-line no-control-regex -- these are the characters
const CONTROLS = /[\0-\x08\v\f\x0e-\x1f\x7f]+/g

/** Text in one line and without elements, nor what the taking out of some makes of others: what an image shows in words. */
export function plainText(text: string): string {
  return text
    .toWellFormed()
    .replace(CONTROLS, '')
    .replace(/<[a-z/!?][^>]*>?/gi, '')
    .replace(/<(?=[a-z/!?])/gi, '< ')
    .replace(/\s+/g, ' ')
    .trim()
}

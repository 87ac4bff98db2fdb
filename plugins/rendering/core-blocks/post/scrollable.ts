import { escapeHtml } from '../../../library/markup/index.ts'
import { htmlPieces } from '../../content-rendering/index.ts'

/** Characters of the shortest line of code that does not fit on a phone. */
const MIN_WIDE_LINE_LENGTH = 36
const PRE = /<pre[\s>]/i
/** Matches the attributes with which content makes an element focusable or names it. */
const OWN_ATTRIBUTE = /\s(?:tabindex|role)\s*=/i

/**
 * Makes preformatted text with long lines focusable, so that readers scroll it with the keyboard, and names it for screen
 * readers. Text with attributes of this kind is unchanged.
 * @param label name of the region
 */
export function focusableCode(html: string, label: string): string {
  if (!PRE.test(html)) return html
  const attributes = ` tabindex="0" role="region" aria-label="${escapeHtml(label)}">`
  let result = ''
  /** The start tag of the current preformatted text; '' outside. */
  let start = ''
  let inner = ''
  let line = 0
  let isWide = false
  const close = () => {
    result += isWide && !OWN_ATTRIBUTE.test(start) ? start.slice(0, -1) + attributes + inner : start + inner
    start = inner = ''
    line = 0
    isWide = false
  }
  for (const { kind, name, text } of htmlPieces(html)) {
    if (start === '') {
      if (kind === 'open' && name === 'pre') start = text
      else result += text
      continue
    }
    inner += text
    if (kind === 'text') {
      const [first = '', ...others] = text.replace(/&[#\w]{1,31};/g, ' ').split('\n')
      const longest = others.reduce((length, one) => Math.max(length, one.length), line + first.length)
      isWide ||= longest >= MIN_WIDE_LINE_LENGTH
      line = others.length === 0 ? line + first.length : others.at(-1)!.length
    } else if (name === 'br') line = 0
    if (kind === 'close' && name === 'pre') close()
  }
  close()
  return result
}

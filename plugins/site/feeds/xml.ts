import { cleanText } from '../../../kernel/index.ts'
import { escapeHtml } from '../../library/markup/index.ts'

/** The two characters, other than control characters, that XML does not allow. */
const NONCHARACTERS = /[\uFFFE\uFFFF]/g

/** Escapes text for XML, including attribute values; drops characters that XML does not allow. */
export function xml(text: string): string {
  return text === '' ? '' : escapeHtml(cleanText(text).replace(NONCHARACTERS, ''))
}

/** Parses a stored UTC date to milliseconds since 1970; 0 if the date is invalid. */
export function timeOf(utc: string): number {
  const time = Date.parse(`${utc.replace(' ', 'T')}Z`)
  return Number.isNaN(time) ? 0 : time
}

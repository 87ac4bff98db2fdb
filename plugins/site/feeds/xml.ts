import { cleanText } from '../../../kernel/index.ts'
import { escapeHtml } from '../../library/markup/index.ts'

/** The two characters beside controls that XML cannot hold. */
const NONCHARACTERS = /[\uFFFE\uFFFF]/g

/** A text as XML that shows it, also between quotes in a tag; characters that XML cannot hold are left out. */
export function xml(text: string): string {
  return text === '' ? '' : escapeHtml(cleanText(text).replace(NONCHARACTERS, ''))
}

/** The time of a stored date in UTC, in milliseconds since 1970; 0 for what is no date. */
export function timeOf(utc: string): number {
  const time = Date.parse(`${utc.replace(' ', 'T')}Z`)
  return Number.isNaN(time) ? 0 : time
}

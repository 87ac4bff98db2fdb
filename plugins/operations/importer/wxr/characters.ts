import { cleanText } from '../../../../kernel/index.ts'
import type { RepairCode } from '../repairs.ts'

/** Reports a repair of a text. @param value the repaired characters @param index their position in the text */
export type ReportRepair = (code: RepairCode, value: string, index: number) => void

/** The entities that XML defines. */
const ENTITIES: Readonly<Record<string, string | undefined>> = {
  __proto__: null as never,
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
}
const REFERENCE = /&(?:#x([\da-f]{1,8});|#(\d{1,10});|([a-z][a-z\d]{0,31});)?/gi
/** Control characters that XML does not allow, and noncharacters. */
// oxlint-disable-next-line no-control-regex
const DISALLOWED = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\uFFFE\uFFFF]/
// oxlint-disable-next-line no-control-regex
const UNCLEAN = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\uFFFE\uFFFF]/
const LAST_CODE_POINT = 0x10ffff

/**
 * Replaces references to characters and entities. An ampersand that starts no reference, and entities that XML does not
 * define, stay. Control characters are replaced too: they are removed later, except from serialized values.
 */
export function decodeReferences(text: string, report: ReportRepair): string {
  if (!text.includes('&')) return text
  return text.replace(
    REFERENCE,
    (match: string, hex: string | undefined, decimal: string | undefined, name: string | undefined, index: number) => {
      if (name !== undefined) {
        const character = ENTITIES[name]
        if (character === undefined) report('unknown-entity', match, index)
        return character ?? match
      }
      const code = hex === undefined ? Number(decimal ?? NaN) : Number.parseInt(hex, 16)
      if (Number.isNaN(code)) report('bare-ampersand', match, index)
      if (!(code <= LAST_CODE_POINT)) return match
      // Half of a surrogate pair is not a character.
      return code >= 0xd800 && code <= 0xdfff ? '\uFFFD' : String.fromCodePoint(code)
    },
  )
}

/** Removes characters that texts must not contain, and brings line ends into the form of XML. */
export function cleanCharacters(text: string, report: ReportRepair): string {
  if (!UNCLEAN.test(text) && text.isWellFormed()) return text
  const lines = text.replace(/\r\n?/g, '\n')
  const clean = cleanText(lines.replace(DISALLOWED, ''))
  if (clean.length !== lines.length) report('control-character', '', Math.max(0, lines.search(CONTROL)))
  return clean
}

/** Returns a copy of a text that does not keep the text in memory from which it was cut. */
export function detached(text: string): string {
  return text.length < 13 ? text : (JSON.parse(JSON.stringify(text)) as string)
}

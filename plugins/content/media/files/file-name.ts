import { normalize, trimEndMarks, trimMarks } from '../../../../kernel/index.ts'

/** The most bytes that a name has before its ending. */
const LONGEST = 150

/** The name of a file in two parts. */
export interface FileName {
  stem: string
  /** In lower case, without the dot; '' without any. */
  ending: string
}

/**
 * A name as files here have it, whatever a client calls its own: one level, no marks that mean something to a shell, an
 * address or a file system, and one ending.
 */
export function fileName(given: string): FileName {
  const last = normalize(given.toWellFormed(), 'NFC').split(/[/\\]/).at(-1) ?? ''
  const marked = last
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\uFFFD]/gu, '')
    .replace(/[?[\]=<>:;,'"&$#*()|~`!{}%+^@’«»”“]/g, '')
    .replace(/[\s\p{Z}-]+/gu, '-')
  const plain = trimMarks(marked, '.-_')
  const [stem = '', ...endings] = plain.split('.').filter((part) => part !== '')
  const ending = endings.pop()?.toLowerCase() ?? ''
  // What stands between could be taken for the ending by others.
  const whole = [stem, ...endings].join('_')
  return { stem: shortened(whole) || 'file', ending: /^[a-z0-9]{1,10}$/.test(ending) ? ending : '' }
}

function shortened(text: string): string {
  let short = ''
  let length = 0
  for (const letter of text) {
    length += Buffer.byteLength(letter)
    if (length > LONGEST) break
    short += letter
  }
  return trimEndMarks(short, '.-_')
}

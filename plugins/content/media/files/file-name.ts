import { trimEndMarks, trimMarks } from '../../../../kernel/index.ts'
import { normalize } from '../../../library/markup/index.ts'

/** The most bytes of a name, without its extension. */
const MAX_BYTES = 150

/** The name of a file in two parts. */
export interface FileName {
  stem: string
  /** In lower case, without the dot; '' without any. */
  extension: string
}

/**
 * A safe file name, whatever name the client sends: without folders, without characters that mean something to a shell, a
 * URL or a file system, and with one extension. `../My photo.php.JPG` becomes `My-photo_php` and `jpg`.
 */
export function fileName(name: string): FileName {
  const last = normalize(name.toWellFormed(), 'NFC').split(/[/\\]/).at(-1) ?? ''
  const cleaned = last
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\uFFFD]/gu, '')
    .replace(/[?[\]=<>:;,'"&$#*()|~`!{}%+^@’«»”“]/g, '')
    .replace(/[\s\p{Z}-]+/gu, '-')
  const [first = '', ...rest] = trimMarks(cleaned, '.-_')
    .split('.')
    .filter((part) => part !== '')
  const extension = rest.pop()?.toLowerCase() ?? ''
  // Other servers could take a part in the middle for the extension.
  const stem = shorten([first, ...rest].join('_')) || 'file'
  return { stem, extension: /^[a-z0-9]{1,10}$/.test(extension) ? extension : '' }
}

function shorten(text: string): string {
  let short = ''
  let bytes = 0
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > MAX_BYTES) break
    short += character
  }
  return trimEndMarks(short, '.-_')
}

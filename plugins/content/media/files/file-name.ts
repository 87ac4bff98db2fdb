import { trimEndMarks, trimMarks } from '../../../../kernel/index.ts'
import { normalize } from '../../../library/markup/index.ts'

/** Maximum bytes of a name without its extension. */
const MAX_BYTES = 150

/** A file name, split at the extension. */
export interface FileName {
  stem: string
  /** In lower case, without the dot; '' if the name has no extension. */
  extension: string
}

/**
 * Converts the file name that a client sends to a safe one: without folders, without characters that are special in a
 * shell, a URL or a file system, and with a single extension. `../My photo.php.JPG` becomes `My-photo_php` and `jpg`.
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
  // Some servers treat any part of a name as an extension, so the parts are joined.
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

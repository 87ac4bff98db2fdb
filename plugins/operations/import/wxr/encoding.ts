import { errors } from '../errors.ts'

/** The encoding that the XML declaration or a byte order mark names; UTF-8 otherwise. */
export function encodingOf(start: Uint8Array): string {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le'
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be'
  const head = new TextDecoder('latin1').decode(start.subarray(0, 200))
  const label = /^\s*(?:\u00ef\u00bb\u00bf)?<\?xml[^>]*\sencoding=["']([\w.:-]+)["']/.exec(head)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(label).encoding
  } catch {
    throw errors.IMPORT_NOT_AN_EXPORT(`its encoding ${label} is unknown`)
  }
}

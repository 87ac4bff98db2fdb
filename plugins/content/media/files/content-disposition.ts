const FILENAME = /;\s*filename(\*?)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;"]+))/gi

/**
 * The file name of a `Content-Disposition` header (RFC 6266), `filename*` before `filename`; null without any.
 * @param header as it came, each character standing for a byte
 */
export function dispositionName(header: string): string | null {
  let plain: string | null = null
  for (const [, star, quoted, token = ''] of header.matchAll(FILENAME)) {
    const value = quoted === undefined ? token.trim() : quoted.replace(/\\(.)/g, '$1')
    const extended = star === '*' ? extendedValue(value) : ''
    if (extended !== null && extended !== '') return extended
    if (star === '') plain ??= decodeUtf8(value)
  }
  return plain === '' ? null : plain
}

/** A value that names its character set (RFC 8187); null where it cannot be decoded. */
function extendedValue(value: string): string | null {
  const [, charset = '', encoded = ''] = /^([\w-]+)'[^']*'(.*)$/.exec(value) ?? []
  try {
    if (/^utf-8$/i.test(charset)) return decodeURIComponent(encoded)
    if (!/^iso-8859-1$/i.test(charset)) return null
    return encoded.replace(/%([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  } catch {
    return null
  }
}

/** Text that clients send as UTF-8 although headers have no character set; unchanged where it is not UTF-8. */
function decodeUtf8(text: string): string {
  const bytes = Buffer.from(text, 'latin1')
  const decoded = bytes.toString('utf8')
  return bytes.toString('latin1') === text && !decoded.includes('\uFFFD') ? decoded : text
}

const FILENAME = /;\s*filename(\*?)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;"]+))/gi

/**
 * Returns the file name in a `Content-Disposition` header (RFC 6266), preferring `filename*` to `filename`; null
 * without a name.
 * @param header the raw header; each character is a byte
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

/** Decodes a value with a character set (RFC 8187); null if it is invalid. */
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

/** Decodes text that clients send as UTF-8 although headers have no character set; returns other text unchanged. */
function decodeUtf8(text: string): string {
  const bytes = Buffer.from(text, 'latin1')
  const decoded = bytes.toString('utf8')
  return bytes.toString('latin1') === text && !decoded.includes('\uFFFD') ? decoded : text
}

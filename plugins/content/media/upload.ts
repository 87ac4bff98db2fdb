import { createHash } from 'node:crypto'
import { cleanText, type ReceivedBytes, type RestRequest } from '../../../kernel/index.ts'
import { errors } from './errors.ts'

/** A file as a client sent it. */
export interface Upload {
  /** As the client calls it; anything may be in it. */
  name: string
  data: Buffer
}

/**
 * The file that a request brings: the field `file` of a multipart form, or the body, whose name is in
 * `Content-Disposition`. It is held against `Content-MD5` where the client gives one.
 * @throws rest_upload_no_data, rest_upload_no_content_type, rest_upload_no_content_disposition,
 * rest_upload_invalid_disposition, rest_upload_hash_mismatch
 */
export async function uploadOf({ headers, files, raw }: RestRequest): Promise<Upload> {
  const type = headers.get('content-type') ?? ''
  const isForm = files.length > 0 || /^\s*multipart\//i.test(type)
  const { name, bytes } = isForm ? fileOf(files) : bodyOf(raw, type, headers.get('content-disposition'))
  const data = await bytes.read()
  const hash = headers.get('content-md5')?.trim() ?? ''
  if (hash !== '' && !isHashOf(hash, data)) throw errors.rest_upload_hash_mismatch()
  return { name: cleanText(name), data }
}

function fileOf(files: RestRequest['files']): { name: string; bytes: ReceivedBytes } {
  const file = files.findLast(({ name }) => name === 'file')
  if (file === undefined || file.size === 0) throw errors.rest_upload_no_data()
  return { name: file.filename, bytes: file }
}

function bodyOf(
  bytes: ReceivedBytes | null,
  type: string,
  disposition: string | null,
): { name: string; bytes: ReceivedBytes } {
  if (bytes === null) throw errors.rest_upload_no_data()
  if (type.trim() === '') throw errors.rest_upload_no_content_type()
  if (disposition === null) throw errors.rest_upload_no_content_disposition()
  const name = dispositionName(disposition)
  if (name === null) throw errors.rest_upload_invalid_disposition()
  return { name, bytes }
}

/** In hexadecimal, as clients of such servers write it, or in Base64 (RFC 1864). */
function isHashOf(given: string, data: Buffer): boolean {
  const hash = createHash('md5').update(data).digest()
  return given.toLowerCase() === hash.toString('hex') || given === hash.toString('base64')
}

const FILENAME = /;\s*filename(\*?)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/gi

/**
 * The file name of a `Content-Disposition` header (RFC 6266), the extended form before the plain one; null without any.
 * @param header as it came, each character standing for a byte
 */
export function dispositionName(header: string): string | null {
  let plain: string | null = null
  for (const [, star, quoted, token = ''] of header.matchAll(FILENAME)) {
    const value = quoted === undefined ? token : quoted.replace(/\\(.)/g, '$1')
    const extended = star === '*' ? extendedValue(value) : ''
    if (extended !== null && extended !== '') return extended
    if (star === '') plain ??= utf8(value)
  }
  return plain === '' ? null : plain
}

/** A value that names its character set (RFC 8187); null where it cannot be read. */
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

/** Text of bytes that clients write in UTF-8 although headers have no character set; as it is where it is none. */
function utf8(text: string): string {
  const bytes = Buffer.from(text, 'latin1')
  const decoded = bytes.toString('utf8')
  return bytes.toString('latin1') === text && !decoded.includes('\uFFFD') ? decoded : text
}

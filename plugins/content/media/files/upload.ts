import { createHash } from 'node:crypto'
import { cleanText, type ReceivedBytes, type RestRequest } from '../../../../kernel/index.ts'
import { errors } from '../errors.ts'
import { dispositionName } from './content-disposition.ts'

/** An uploaded file. */
export interface Upload {
  /** File name that the client sent, not sanitized. */
  name: string
  data: Buffer
}

/**
 * Reads the file of a request: the field `file` of a multipart form, or the body, with the name in
 * `Content-Disposition`. Verifies the `Content-MD5` header if the client sends it.
 * @throws rest_upload_no_data, rest_upload_no_content_type, rest_upload_no_content_disposition,
 * rest_upload_invalid_disposition, rest_upload_hash_mismatch
 */
export async function readUpload({ headers, files, json, raw }: RestRequest): Promise<Upload> {
  const type = headers.get('content-type') ?? ''
  // A JSON body is a file only if it has a name.
  if (json !== undefined && !headers.has('content-disposition')) throw errors.rest_upload_no_content_disposition()
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

/** The header is hexadecimal, as many clients write it, or Base64 (RFC 1864). */
function isHashOf(hash: string, data: Buffer): boolean {
  const md5 = createHash('md5').update(data).digest()
  return hash.toLowerCase() === md5.toString('hex') || hash === md5.toString('base64')
}

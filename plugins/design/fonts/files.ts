import {
  errors as kernelErrors,
  type PluginContext,
  type RestRequest,
  type UploadedFile,
} from '../../../kernel/index.ts'
import type { FileKind, StoredFile } from '../../content/media/index.ts'
import { errors } from './errors.ts'

/** Folder of font files below the uploads folder. */
export const FOLDER = 'fonts'

/** MIME types and file signatures by file extension. */
const KINDS: Readonly<Record<string, { type: string; beginnings: readonly string[] }>> = {
  woff2: { type: 'font/woff2', beginnings: ['wOF2'] },
  woff: { type: 'font/woff', beginnings: ['wOFF'] },
  ttf: { type: 'font/ttf', beginnings: ['\u0000\u0001\u0000\u0000', 'true'] },
  otf: { type: 'font/otf', beginnings: ['OTTO'] },
}

/** Returns the type of a font file if its extension and signature agree, or null. */
export function fontKind(name: string, data: Buffer): FileKind | null {
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  const kind = Object.hasOwn(KINDS, ending) ? KINDS[ending]! : null
  const signature = data.subarray(0, 4).toString('latin1')
  return kind?.beginnings.includes(signature) === true ? { ending, type: kind.type } : null
}

/** Sources of a face, and the files stored for it. */
export interface Sources {
  readonly src: string | string[]
  readonly stored: readonly StoredFile[]
}

/**
 * Stores the uploaded files of a face, and replaces form field names in its sources by file URLs.
 * @param maxBytes maximum bytes of a file
 * @throws rest_invalid_param, rest_font_upload_invalid_file_type, rest_font_upload_too_large, rest_upload_unknown_error
 */
export async function storeSources(
  { branding, services, urls }: PluginContext,
  src: unknown,
  { files }: RestRequest,
  maxBytes: number,
): Promise<Sources> {
  const named = [src].flat().map(String)
  const unused = files.find(({ name }) => !named.includes(name))
  if (unused !== undefined)
    throw kernelErrors.rest_invalid_param('An uploaded file is not referenced in font_face_settings[src].')
  const fileOf = (source: string) => files.findLast(({ name }) => name === source)
  const invalid = named.find((source) => fileOf(source) === undefined && !isUrl(source))
  if (invalid !== undefined)
    throw kernelErrors.rest_invalid_param(
      'font_face_settings[src] must contain URLs or names of form fields with files.',
    )
  // Check all files before storing the first.
  const uploads = new Map<string, Awaited<ReturnType<typeof readFont>>>()
  for (const source of named) {
    const file = fileOf(source)
    if (file !== undefined && !uploads.has(source)) uploads.set(source, await readFont(file, maxBytes))
  }
  const stored: StoredFile[] = []
  const places = new Map<string, string>()
  try {
    for (const [source, { upload, kind }] of uploads) {
      const file = await services.media.storeIn(FOLDER, upload, kind)
      stored.push(file)
      places.set(source, `${urls.home}${branding.uploadsPaths[0]}/${file.file}`)
    }
  } catch (error) {
    for (const file of stored) await services.media.discard(file)
    throw error
  }
  const found = named.map((source) => places.get(source) ?? source)
  return { src: Array.isArray(src) ? found : found[0]!, stored }
}

async function readFont(file: UploadedFile, maxBytes: number) {
  if (file.size > maxBytes) throw errors.rest_font_upload_too_large(maxBytes)
  const data = await file.read()
  const kind = fontKind(file.filename, data)
  if (kind === null) throw errors.rest_font_upload_invalid_file_type()
  return { upload: { name: file.filename, data }, kind }
}

/** Whether a source is an absolute or root-relative URL that is safe in CSS. */
function isUrl(source: string): boolean {
  return /^(?:https?:\/\/|\/)[^\s"'()\\<>]+$/i.test(source)
}

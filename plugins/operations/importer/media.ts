import mime from 'mime'
import { exportedNames } from '../../library/branding/index.ts'
import { isRecord, type Value } from './php-values.ts'
import type { Counters } from './report.ts'
import type { WxrItem, WxrMeta } from './wxr/types.ts'

/** Meta key of an attachment's file in an export, relative to the uploads folder. */
const EXPORTED_FILE_KEY = `${exportedNames.metaPrefix}attached_file`
/** The path below the uploads folder in a URL, also for one site of a network. */
const BELOW_UPLOADS = new RegExp(`(?:^|/)${exportedNames.uploads.slice(1)}/(?:sites/\\d+/)?([^?#]+)`)

/** Whether a media file is in the uploads folder. @param name `2025/01/photo.jpg` */
export type HasFile = (name: string) => boolean | Promise<boolean>

/** Path of an attachment's file below the uploads folder; `''` if it has no file, or a path outside the folder. */
export function attachedFile(item: WxrItem): string {
  const named = item.meta.find(({ key }) => key === EXPORTED_FILE_KEY)?.value ?? item.attachmentUrl
  const below = BELOW_UPLOADS.exec(named)?.[1] ?? named
  return isSafe(below) ? below : ''
}

export function mimeType(item: WxrItem, file: string): string {
  const name = file || item.attachmentUrl || item.guid
  return mime.getType(name.replace(/[?#].*$/s, '')) ?? 'application/octet-stream'
}

/**
 * Removes paths outside the file's folder from the metadata of a file: the files it names are deleted with the item.
 */
export function safeMetadata(value: Value, file: string): Value {
  if (!isRecord(value)) return value
  const facts = Object.entries(value).flatMap(([key, fact]): [string, Value][] => {
    if (key === 'file') return file === '' ? [] : [[key, file]]
    if (key === 'original_image') return isBaseName(fact) ? [[key, fact]] : []
    return [[key, key === 'sizes' && isRecord(fact) ? safeSizes(fact) : fact]]
  })
  return Object.fromEntries(facts)
}

function safeSizes(sizes: Record<string, Value>): Record<string, Value> {
  return Object.fromEntries(Object.entries(sizes).filter(([, size]) => isRecord(size) && isBaseName(size['file'])))
}

/** The meta of an attachment with a safe path of its file, which is derived from the URL if the export lacks it. */
export function attachmentMeta(item: WxrItem, file: string): WxrMeta[] {
  const others = item.meta.filter(({ key }) => key !== EXPORTED_FILE_KEY)
  return file === '' ? others : [{ key: EXPORTED_FILE_KEY, value: file }, ...others]
}

/** Reports a media file that does not exist in the uploads folder. */
export async function noteMissing(counters: Counters, item: WxrItem, file: string, hasFile?: HasFile): Promise<void> {
  if (file === '') counters.note('attachment without a file in the uploads folder', item.attachmentUrl || item.title)
  else if (hasFile !== undefined && !(await hasFile(file)))
    counters.note('media file missing in the uploads folder', file)
}

function isBaseName(value: unknown): value is string {
  return typeof value === 'string' && isSafe(value) && !value.includes('/')
}

function isSafe(name: string): boolean {
  return (
    name !== '' &&
    !/^[/.]|^[A-Za-z][A-Za-z+.-]*:|[\0\\]/.test(name) &&
    !name.split('/').some((part) => part === '..' || part === '')
  )
}

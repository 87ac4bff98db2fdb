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

/** The folder of a month and the name at the end of a path or URL. */
const IN_MONTH = /(?:^|\/)((?:19|20)\d\d\/(?:0[1-9]|1[0-2])\/[^/?#]+)(?:[?#].*)?$/s

/**
 * Chooses the paths of attachments below the uploads folder. Two attachments get the same path only if they have the
 * same URL on the old site.
 */
export class AttachmentPaths {
  /** URLs of the files by path. */
  readonly #urls = new Map<string, string>()

  /**
   * Returns the path of an attachment's file: as in the export, else as in its URL, else in the folder of its month;
   * `''` if it has neither a URL nor a safe path.
   */
  pathOf(item: WxrItem): string {
    const named = item.meta.find(({ key }) => key === EXPORTED_FILE_KEY)?.value ?? ''
    const url = item.attachmentUrl
    const below = BELOW_UPLOADS.exec(named)?.[1] ?? named
    if (isSafe(below)) return below
    const name = BELOW_UPLOADS.exec(url)?.[1] ?? IN_MONTH.exec(url)?.[1] ?? IN_MONTH.exec(named)?.[1] ?? inMonth(item)
    const path = decoded(name)
    return isSafe(path) ? this.#unique(path, url, item.id) : ''
  }

  /** Appends the ID to the name if the path belongs to a file with another URL. */
  #unique(path: string, url: string, id: number): string {
    const [, stem = path, extension = ''] = /^(.*?)(\.[^./]+)?$/s.exec(path) ?? []
    const free = (this.#urls.get(path) ?? url) === url ? path : `${stem}-${id}${extension}`
    this.#urls.set(free, url)
    return free
  }
}

/** The path of a file whose URL does not name a month. */
function inMonth({ attachmentUrl, date }: WxrItem): string {
  const name = URL.parse(attachmentUrl)?.pathname.split('/').at(-1) ?? ''
  const month = /^(\d{4})-(\d\d)/.exec(date)
  return name === '' || month === null ? name : `${month[1]}/${month[2]}/${name}`
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
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

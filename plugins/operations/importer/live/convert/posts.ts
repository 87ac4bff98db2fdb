import { exportedNames } from '../../../../library/branding/index.ts'
import { SYNC_STATUS_KEY, THUMBNAIL_KEY } from '../../../../content/meta-keys.ts'
import type { WxrItem, WxrMeta } from '../../wxr/types.ts'
import { isSyncStatus } from '../collections.ts'
import { phpText, hasRaw, idOf, isBehindPassword, objectOf, rawOf, text, type OldObject } from '../values.ts'
import { headMeta } from './heads.ts'
import { commonItem, customFields, metaOf, termsOf, type Conversion } from './conversion.ts'

const { metaPrefix, typePrefix } = exportedNames

/**
 * Converts a post of any type.
 * @param type name of the type in exports
 * @param collection key of the collection
 */
export function postItem(object: OldObject, type: string, collection: string, conversion: Conversion): WxrItem {
  const item = commonItem(object, type, conversion)
  const { content, excerpt } = object
  const image = idOf(object['featured_media'])
  const template = text(object['template'])
  const syncStatus = text(Object.entries(object).find(([name]) => isSyncStatus(name))?.[1])
  const meta: WxrMeta[] = [
    ...(image === 0 ? [] : [{ key: THUMBNAIL_KEY, value: String(image) }]),
    ...(template === '' ? [] : [{ key: `${metaPrefix}page_template`, value: template }]),
    ...(syncStatus === '' ? [] : [{ key: `${typePrefix}${SYNC_STATUS_KEY}`, value: syncStatus }]),
  ]
  const listed = metaOf(object, conversion, collection, 'post', type)
  const known = new Set(meta.map(({ key }) => key))
  const others = [...listed, ...missingIn(listed, headMeta(object))].filter(({ key }) => !known.has(key))
  const keys = new Set([...known, ...others.map(({ key }) => key)])
  const isHidden = isBehindPassword(object)
  if (isHidden)
    conversion.note('text behind a password, which needs a user; the item came as an empty draft', item.title)
  return {
    ...item,
    ...(isHidden && { status: 'draft' }),
    content: rawOf(content),
    excerpt: hasRaw(excerpt) ? rawOf(excerpt) : writtenExcerpt(rawOf(excerpt)),
    password: text(object['password']),
    sticky: object['sticky'] === true,
    terms: termsOf(object, conversion),
    meta: [...meta, ...others, ...customFields(object).filter(({ key }) => !keys.has(key))],
  }
}

/** The meta whose keys a list lacks. */
function missingIn(listed: readonly WxrMeta[], meta: readonly WxrMeta[]): WxrMeta[] {
  const keys = new Set(listed.map(({ key }) => key))
  return meta.filter(({ key }) => !keys.has(key))
}

/** The excerpt without the paragraph around it; `''` for the beginning of the content, which ends in a mark. */
function writtenExcerpt(rendered: string): string {
  if (/\[(?:&hellip;|&#8230;|…|\.\.\.)\]/.test(rendered)) return ''
  const trimmed = rendered.trim()
  const isParagraph = trimmed.startsWith('<p>') && trimmed.endsWith('</p>') && trimmed.lastIndexOf('<p>') === 0
  return isParagraph ? trimmed.slice(3, -4) : trimmed
}

/** Converts a media file. */
export function mediaItem(object: OldObject, collection: string, conversion: Conversion): WxrItem {
  const item = commonItem(object, 'attachment', conversion)
  const details = objectOf(object['media_details'])
  const file = text(details['file'])
  const alt = text(object['alt_text'])
  const metadata = attachmentMetadata(details)
  const image = idOf(object['featured_media'])
  const meta: WxrMeta[] = [
    ...(file === '' ? [] : [{ key: `${metaPrefix}attached_file`, value: file }]),
    ...(Object.keys(metadata).length === 0
      ? []
      : [{ key: `${metaPrefix}attachment_metadata`, value: phpText(metadata) }]),
    ...(alt === '' ? [] : [{ key: `${metaPrefix}attachment_image_alt`, value: alt }]),
    ...(image === 0 ? [] : [{ key: THUMBNAIL_KEY, value: String(image) }]),
  ]
  const known = new Set(meta.map(({ key }) => key))
  const others = metaOf(object, conversion, collection, 'post', 'attachment').filter(({ key }) => !known.has(key))
  return {
    ...item,
    status: item.status === 'draft' ? 'inherit' : item.status,
    content: rawOrNothing(object['description']),
    excerpt: hasRaw(object['caption']) ? rawOf(object['caption']) : writtenExcerpt(rawOf(object['caption'])),
    parent: idOf(object['post']),
    attachmentUrl: text(object['source_url']),
    terms: termsOf(object, conversion),
    meta: [...meta, ...others, ...customFields(object)],
  }
}

/** The raw form; `''` without it, because the rendered description of a media file contains the file itself. */
function rawOrNothing(value: unknown): string {
  return hasRaw(value) ? rawOf(value) : ''
}

/** The stored metadata of a file: the REST API adds URLs and the full size. */
function attachmentMetadata(details: OldObject): OldObject {
  const { sizes, ...facts } = details
  const stored = Object.entries(objectOf(sizes)).flatMap(([name, size]) => {
    if (name === 'full') return []
    const { source_url: _url, mime_type: type, ...others } = objectOf(size)
    return [[name, { ...others, ...(typeof type === 'string' && { 'mime-type': type }) }] as const]
  })
  return { ...facts, ...(stored.length > 0 && { sizes: Object.fromEntries(stored) }) }
}

/** Converts a revision. @param parent ID of its post on the old site */
export function revisionItem(object: OldObject, parent: number, conversion: Conversion): WxrItem {
  const item = commonItem(object, 'revision', conversion)
  return {
    ...item,
    status: 'inherit',
    slug: item.slug || `${parent}-revision-v1`,
    content: rawOf(object['content']),
    excerpt: hasRaw(object['excerpt']) ? rawOf(object['excerpt']) : '',
    parent,
    dateGmt: dateGmtOf(item),
    meta: metaOf(object, conversion, '', 'post', 'revision'),
  }
}

function dateGmtOf({ dateGmt, modifiedGmt }: WxrItem): string {
  return dateGmt || modifiedGmt
}

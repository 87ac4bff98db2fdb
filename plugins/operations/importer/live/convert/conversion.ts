import { isDeepStrictEqual } from 'node:util'
import { exportedNames } from '../../../../library/branding/index.ts'
import type { NoteText } from '../../phrases.ts'
import type { WxrItem, WxrItemTerm, WxrMeta } from '../../wxr/types.ts'
import { ownTypeName } from '../survey.ts'
import { dateOf, phpText, idOf, integerOf, objectOf, rawOf, text, type OldObject } from '../values.ts'

/** The default value and type of a meta key on the old site. */
export interface OldMetaKey {
  readonly type: string
  readonly default: unknown
}

/** Adds a note to the report. */
export type Note = (text: NoteText, example?: string) => void

/** Facts about both sites for conversions. */
export interface Conversion {
  /** Word in names of the old site. */
  readonly word: string
  /** Taxonomies by the fields of posts that contain their terms. */
  readonly taxonomyOfField: ReadonlyMap<string, string>
  /** Login names by user ID. */
  readonly logins: ReadonlyMap<number, string>
  /** Login of the author of objects that show none; `''` for none. */
  readonly fallbackAuthor: string
  /** Terms by taxonomy and ID. */
  readonly terms: ReadonlyMap<string, ReadonlyMap<number, WxrItemTerm>>
  /** Keys of meta of the old site, by the key of the collection. */
  readonly metaKeys: ReadonlyMap<string, ReadonlyMap<string, OldMetaKey>>
  /** Whether a key has one value on this site; undefined for unregistered keys. */
  isSingle(objectType: 'post' | 'term' | 'comment' | 'user', subtype: string, key: string): boolean | undefined
  readonly note: Note
}

/** Creates an item with empty fields. */
export function emptyItem(): WxrItem {
  return {
    kind: 'item',
    id: 0,
    type: 'post',
    status: 'draft',
    slug: '',
    title: '',
    link: '',
    creator: '',
    guid: '',
    content: '',
    excerpt: '',
    published: '',
    date: '',
    dateGmt: '',
    modified: '',
    modifiedGmt: '',
    commentStatus: 'closed',
    pingStatus: 'closed',
    parent: 0,
    menuOrder: 0,
    password: '',
    sticky: false,
    attachmentUrl: '',
    terms: [],
    meta: [],
    comments: [],
  }
}

/** Statuses whose posts get their date when they are published. */
export const FLOATING_STATUSES: readonly string[] = ['draft', 'pending', 'auto-draft']

/** The fields that objects of all content types have. */
export function commonItem(object: OldObject, type: string, conversion: Conversion): WxrItem {
  const status = text(object['status'])
  const date = dateOf(object['date'])
  // The old site shows a date in UTC also for drafts that have none.
  const isFloating = FLOATING_STATUSES.includes(status) && date === dateOf(object['modified'])
  return {
    ...emptyItem(),
    id: idOf(object['id']),
    type,
    status: status || 'draft',
    slug: text(object['slug']),
    title: rawOf(object['title']),
    link: text(object['link']),
    creator: 'author' in object ? (conversion.logins.get(idOf(object['author'])) ?? '') : conversion.fallbackAuthor,
    guid: rawOf(object['guid']),
    date,
    dateGmt: isFloating ? '' : dateOf(object['date_gmt']),
    modified: dateOf(object['modified']),
    modifiedGmt: dateOf(object['modified_gmt']),
    commentStatus: text(object['comment_status']) || 'closed',
    pingStatus: text(object['ping_status']) || 'closed',
    parent: idOf(object['parent']),
    menuOrder: integerOf(object['menu_order']),
  }
}

/**
 * Converts the meta of an object. Values that the old site shows because nothing is stored are left out.
 * @param collection key of the collection
 * @param subtype content type, taxonomy or comment type
 */
export function metaOf(
  object: OldObject,
  conversion: Conversion,
  collection: string,
  objectType: 'post' | 'term' | 'comment' | 'user',
  subtype: string,
): WxrMeta[] {
  const keys = conversion.metaKeys.get(collection)
  return Object.entries(objectOf(object['meta'])).flatMap(([name, value]) => {
    if (isDefault(value, keys?.get(name))) return []
    const key = metaKey(name, conversion.word)
    const isSingle = conversion.isSingle(objectType, subtype, name) ?? !isListOfValues(value)
    const values: unknown[] = !isSingle && Array.isArray(value) ? value : [value]
    return values.map((one) => ({ key, value: phpText(one) }))
  })
}

/** Whether a value is the one of an object without a stored value. */
function isDefault(value: unknown, key: OldMetaKey | undefined): boolean {
  if (value === null || value === undefined || value === '') return true
  if (key?.default !== undefined && key.default !== null) {
    // The default of a key with several values is their only item.
    return isDeepStrictEqual(value, key.default) || isDeepStrictEqual(value, [key.default])
  }
  if (typeof value === 'object') return Object.keys(value).length === 0
  return key !== undefined && (value === false || value === 0)
}

/** Whether a list is one of separate values rather than one value. */
function isListOfValues(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one !== 'object' || one === null)
}

/** The key of meta in exports, which does not have the word of the old site. */
export function metaKey(name: string, word: string): string {
  if (name.startsWith(`_${word}_`)) return exportedNames.metaPrefix + name.slice(word.length + 2)
  return ownTypeName(name, word)
}

/** The fields of Advanced Custom Fields in the form in which it stores them: groups and rows as joined names. */
export function customFields(object: OldObject): WxrMeta[] {
  return Object.entries(objectOf(object['acf'])).flatMap(([name, value]) => customField(name, value, 0))
}

const MAX_FIELD_LEVELS = 8

function customField(name: string, value: unknown, level: number): WxrMeta[] {
  if (value === null || value === '' || value === undefined) return []
  if (typeof value !== 'object' || level >= MAX_FIELD_LEVELS) return [{ key: name, value: phpText(value) }]
  const isRows = Array.isArray(value) && value.length > 0 && value.every((row) => Object.keys(objectOf(row)).length > 0)
  if (isRows) {
    const rows = (value as unknown[]).flatMap((row, index) =>
      Object.entries(objectOf(row)).flatMap(([sub, entry]) => customField(`${name}_${index}_${sub}`, entry, level + 1)),
    )
    return [{ key: name, value: String((value as unknown[]).length) }, ...rows]
  }
  // Images, files, posts and terms in the long format are stored as their ID.
  const id = Array.isArray(value) ? 0 : idOf((value as OldObject)['ID'] ?? (value as OldObject)['id'])
  if (id !== 0) return [{ key: name, value: String(id) }]
  if (Array.isArray(value)) return [{ key: name, value: phpText(value) }]
  const parts = Object.entries(value).flatMap(([sub, entry]) => customField(`${name}_${sub}`, entry, level + 1))
  return [{ key: name, value: '' }, ...parts]
}

/** The terms of a post: of all taxonomies that the old site shows, of its format and of its language. */
export function termsOf(object: OldObject, conversion: Conversion): WxrItemTerm[] {
  const terms: WxrItemTerm[] = []
  for (const [field, taxonomy] of conversion.taxonomyOfField) {
    const value = object[field]
    for (const entry of Array.isArray(value) ? value : value === undefined ? [] : [value]) {
      const id = idOf(entry)
      const term = conversion.terms.get(taxonomy)?.get(id)
      if (term !== undefined) terms.push(term)
      else if (id !== 0)
        conversion.note('term of an item that the old site does not list; left out', `${taxonomy} ${id}`)
    }
  }
  const format = text(object['format'])
  if (format !== '' && format !== 'standard') {
    const name = format.charAt(0).toUpperCase() + format.slice(1)
    terms.push({ taxonomy: 'post_format', slug: `post-format-${format}`, name })
  }
  const language = text(object['lang'])
  if (language !== '' && !terms.some(({ taxonomy }) => taxonomy === 'language')) {
    terms.push({ taxonomy: 'language', slug: language, name: language })
  }
  return terms
}

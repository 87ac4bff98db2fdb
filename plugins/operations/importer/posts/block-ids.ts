import { exportedNames } from '../../../library/branding/index.ts'
import { editJson } from '../../../library/markup/index.ts'
import { escapeJson } from '../../../rendering/html/index.ts'
import { isRecord } from '../php-values.ts'

/** Maps IDs of the file to IDs of this site; 0 for unknown objects. */
export interface ImportedIds {
  item(id: number): number
  term(taxonomy: string, id: number): number
  user(id: number): number
  /** Called for a block whose `id` may or may not be an ID of an imported object. */
  unclear(block: string): void
}

type Change = (value: unknown) => unknown
type Attributes = Record<string, unknown>

/** Start of a block comment. */
const BLOCK = `<!-- ${exportedNames.blockMark}:`

/** Attribute keys that hold media IDs in blocks of any plugin. */
const MEDIA_KEY = /^(?:media|image|attachment|thumbnail|backgroundImage)(?:Id|ID|_id)$/

/** Levels of groups in the query of a block. */
const MAX_QUERY_DEPTH = 64

/** Maps the IDs in the block comments of a text. */
export function mapBlockIds(text: string, ids: ImportedIds): string {
  let mapped = ''
  let done = 0
  for (let at = text.indexOf(BLOCK); at >= 0; at = text.indexOf(BLOCK, done)) {
    const end = text.indexOf('-->', at)
    if (end < 0) break
    mapped += text.slice(done, at) + mapBlock(text.slice(at, end), ids)
    done = end
  }
  return mapped + text.slice(done)
}

/** Maps the IDs of a block; other attributes keep their bytes. @param comment without its closing mark */
function mapBlock(comment: string, ids: ImportedIds): string {
  const begin = comment.indexOf('{')
  const end = comment.lastIndexOf('}') + 1
  if (begin < 0 || end <= begin) return comment
  const name = comment.slice(BLOCK.length, begin).trim()
  const json = comment.slice(begin, end)
  let attributes: Attributes
  try {
    attributes = JSON.parse(json) as Attributes
  } catch {
    return comment
  }
  const mapped = mapAttributes(name.startsWith('core/') ? name.slice(5) : name, attributes, ids)
  if (mapped === attributes) return comment
  const written = editJson(json, attributes, mapped, (value) => escapeJson(JSON.stringify(value)))
  return comment.slice(0, begin) + written + comment.slice(end)
}

/** Attributes of core blocks that hold IDs of items. */
const ITEM_KEYS: Readonly<Record<string, string | undefined>> = {
  __proto__: null as never,
  image: 'id',
  cover: 'id',
  audio: 'id',
  video: 'id',
  file: 'id',
  gallery: 'ids',
  block: 'ref',
  navigation: 'ref',
  'page-list': 'parentPageID',
}

// These functions return the same object if nothing changes in it: `editJson` keeps such parts.
function mapAttributes(block: string, attributes: Attributes, ids: ImportedIds): Attributes {
  const item = each((id) => ids.item(id))
  const user = each((id) => ids.user(id))
  const mapped = change(
    attributes,
    Object.keys(attributes).filter((key) => MEDIA_KEY.test(key)),
    item,
  )
  const itemKey = ITEM_KEYS[block]
  if (itemKey !== undefined) return change(mapped, [itemKey], item)
  if (block === 'avatar') return change(mapped, ['userId'], user)
  if (block === 'navigation-link' || block === 'navigation-submenu') return mapMenuLink(mapped, ids)
  if (block === 'latest-posts')
    return change(change(mapped, ['selectedAuthor'], user), ['categories'], term('category', ids))
  if (block === 'query') return change(mapped, ['query'], (query) => (isRecord(query) ? mapQuery(query, ids) : query))
  if (block.includes('/') && typeof attributes['id'] === 'number') ids.unclear(block)
  return mapped
}

function mapMenuLink(attributes: Attributes, ids: ImportedIds): Attributes {
  const { kind, type } = attributes
  if (kind === 'post-type')
    return change(
      attributes,
      ['id'],
      each((id) => ids.item(id)),
    )
  return kind === 'taxonomy'
    ? change(attributes, ['id'], term(type === 'tag' ? 'post_tag' : String(type), ids))
    : attributes
}

function mapQuery(query: Attributes, ids: ImportedIds): Attributes {
  const user = (id: number) => ids.user(id)
  const changes: [keys: readonly string[], to: Change][] = [
    [['parents', 'include', 'exclude'], each((id) => ids.item(id))],
    // One ID, or several separated by commas.
    [['author'], (value) => (typeof value === 'string' ? mapList(value, user) : each(user)(value))],
    [['categoryIds'], term('category', ids)],
    [['tagIds'], term('post_tag', ids)],
    [['taxQuery'], (terms) => (isRecord(terms) ? mapTaxQuery(terms, ids, 0) : terms)],
  ]
  return changes.reduce((mapped, [keys, to]) => change(mapped, keys, to), query)
}

/** Maps the term IDs of a query, which are grouped by taxonomy at any depth. */
function mapTaxQuery(terms: Attributes, ids: ImportedIds, depth: number): Attributes {
  if (depth === MAX_QUERY_DEPTH) return terms
  return change(terms, Object.keys(terms), (value, name) =>
    isRecord(value) ? mapTaxQuery(value, ids, depth + 1) : term(name, ids)(value),
  )
}

/** Returns the object with other values of the keys that it has. */
function change<T extends Attributes>(
  object: T,
  keys: readonly string[],
  to: (value: unknown, key: string) => unknown,
): T {
  const changed = keys.flatMap((key) => {
    if (!Object.hasOwn(object, key)) return []
    const value = to(object[key], key)
    return value === object[key] ? [] : [[key, value] as const]
  })
  return changed.length === 0 ? object : { ...object, ...Object.fromEntries(changed) }
}

function term(taxonomy: string, ids: ImportedIds): Change {
  return each((id) => ids.term(taxonomy, id))
}

/** Maps a number, a string of digits, the `id` of an object, or each entry of a list. Other values are unchanged. */
function each(map: (id: number) => number): Change {
  const to: Change = (value) => {
    if (typeof value === 'number') return value > 0 ? map(value) : value
    if (typeof value === 'string') return /^[1-9]\d*$/.test(value) ? String(map(Number(value))) : value
    if (Array.isArray(value)) {
      const mapped = value.map(to)
      if (mapped.every((entry, index) => entry === value[index])) return value
      return mapped.filter((id, index) => !isNone(id) || isNone(value[index]))
    }
    return isRecord(value) ? change(value, ['id'], to) : value
  }
  return to
}

function isNone(value: unknown): boolean {
  return value === 0 || value === '0'
}

/** Maps a comma-separated list of IDs, and removes unknown ones. */
export function mapList(text: string, map: (id: number) => number): string {
  const ids = text.split(',').map((id) => map(Number(id)))
  return ids.filter((id) => id > 0).join(',')
}

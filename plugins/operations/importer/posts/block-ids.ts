import { exportedNames } from '../../../library/branding/index.ts'
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

/** @param comment without its closing mark */
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
  const before = JSON.stringify(attributes)
  mapAttributes(name.startsWith('core/') ? name.slice(5) : name, attributes, ids)
  const after = JSON.stringify(attributes)
  return after === before ? comment : comment.slice(0, begin) + escapeJson(after) + comment.slice(end)
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

function mapAttributes(block: string, attributes: Attributes, ids: ImportedIds): void {
  const item = each((id) => ids.item(id))
  const user = each((id) => ids.user(id))
  for (const key of Object.keys(attributes)) if (MEDIA_KEY.test(key)) change(attributes, key, item)
  const itemKey = ITEM_KEYS[block]
  if (itemKey !== undefined) change(attributes, itemKey, item)
  else if (block === 'avatar') change(attributes, 'userId', user)
  else if (block === 'navigation-link' || block === 'navigation-submenu') mapMenuLink(attributes, ids)
  else if (block === 'latest-posts') {
    change(attributes, 'selectedAuthor', user)
    change(attributes, 'categories', term('category', ids))
  } else if (block === 'query') {
    if (isRecord(attributes['query'])) mapQuery(attributes['query'], ids)
  } else if (block.includes('/') && typeof attributes['id'] === 'number') ids.unclear(block)
}

function mapMenuLink(attributes: Attributes, ids: ImportedIds): void {
  const { kind, type } = attributes
  if (kind === 'post-type')
    change(
      attributes,
      'id',
      each((id) => ids.item(id)),
    )
  else if (kind === 'taxonomy') change(attributes, 'id', term(type === 'tag' ? 'post_tag' : String(type), ids))
}

function mapQuery(query: Attributes, ids: ImportedIds): void {
  const item = each((id) => ids.item(id))
  const user = (id: number) => ids.user(id)
  for (const key of ['parents', 'include', 'exclude']) change(query, key, item)
  // One ID, or several separated by commas.
  change(query, 'author', (value) => (typeof value === 'string' ? mapList(value, user) : each(user)(value)))
  change(query, 'categoryIds', term('category', ids))
  change(query, 'tagIds', term('post_tag', ids))
  if (isRecord(query['taxQuery'])) mapTaxQuery(query['taxQuery'], ids)
}

/** Maps the term IDs of a query, which are grouped by taxonomy at any depth. */
function mapTaxQuery(terms: Attributes, ids: ImportedIds): void {
  for (const [name, value] of Object.entries(terms)) {
    if (isRecord(value)) mapTaxQuery(value, ids)
    else change(terms, name, term(name, ids))
  }
}

function change(attributes: Attributes, key: string, to: Change): void {
  if (Object.hasOwn(attributes, key)) attributes[key] = to(attributes[key])
}

function term(taxonomy: string, ids: ImportedIds): Change {
  return each((id) => ids.term(taxonomy, id))
}

/** Maps a number, a string of digits, the `id` of an object, or each entry of a list. Other values are unchanged. */
function each(map: (id: number) => number): Change {
  const to: Change = (value) => {
    if (typeof value === 'number') return value > 0 ? map(value) : value
    if (typeof value === 'string') return /^[1-9]\d*$/.test(value) ? String(map(Number(value))) : value
    if (Array.isArray(value)) return value.map(to).filter((id, index) => !isNone(id) || isNone(value[index]))
    if (isRecord(value)) change(value, 'id', to)
    return value
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

import { exportedNames } from '../../../../kernel/index.ts'
import { escapeJson } from '../../../rendering/html/blocks.ts'

/** What has which number here. Each answers 0 for what is not there. */
export interface Numbers {
  item(id: number): number
  term(taxonomy: string, id: number): number
  person(id: number): number
  /** Told of a block of which nobody here knows whether its `id` is the number of something. */
  unclear(block: string): void
}

type Change = (value: unknown) => unknown
type Attributes = Record<string, unknown>

const { blockMark: MARK } = exportedNames
/** What a block comment begins with. */
const BLOCK = `<!-- ${MARK}:`
/** Tags in which classes, or the relation of a link, name media. */
const TAGS = /<(?:img|a|figure|div|audio|video)\s[^<>]*>/gi
const CLASS = new RegExp(`(?<=["'\\s])(${MARK}-(?:image|att)-)(\\d{1,10})(?=["'\\s])`, 'g')
const DATA_ID = /(\sdata-id=["']?)(\d{1,10})(?=["'\s>])/
const SHORTCODES = new RegExp(`\\[(?:gallery|playlist|(?:${MARK}_)?caption)\\s[^[\\]]*\\]`, 'gi')
const LISTS = /(\s(?:ids|include|exclude)=["']?)([\d,\s]+)(?=["'\]])/gi
const GALLERY_OF = /(\sid=["']?)(\d{1,10})(?=["'\s\]])/i
const CAPTION_OF = /(\sid=["']?attachment_)(\d{1,10})(?=["'\s\]])/i

/** Keys of attributes that name media in blocks of whatever plugin. */
const MEDIA_KEY = /^(?:media|image|attachment|thumbnail|backgroundImage)(?:Id|ID|_id)$/

/** Blocks that name people or terms. */
const NAMES_OTHERS = new RegExp(`${BLOCK}(?:query|latest-posts|navigation-link|navigation-submenu|avatar)\\s`)

/** Whether a text may name people or terms by numbers: a test that costs little. */
export function namesOthers(text: string): boolean {
  return NAMES_OTHERS.test(text)
}

/**
 * A text of posts in which whatever is named by its number has the number that it has here: in block comments, in
 * classes of images, in galleries, playlists and captions, and in plain addresses of this site. What is not here gets
 * the number 0, or is left out where there is a list.
 * @param home address of this site, which the addresses in the text have by now; null where they are to stay
 */
export function mapNumbers(text: string, numbers: Numbers, home: string | null): string {
  let mapped = mapBlocks(text, numbers)
  if (mapped.includes(`${MARK}-`) || mapped.includes('data-id')) {
    mapped = mapped.replace(TAGS, (tag) => {
      const marked = tag.replace(CLASS, (_found, name: string, id: string) => name + numbers.item(Number(id)))
      // Galleries say it twice.
      return marked === tag ? tag : marked.replace(DATA_ID, (_found, name, id) => name + numbers.item(Number(id)))
    })
  }
  if (mapped.includes('[')) mapped = mapped.replace(SHORTCODES, (tag) => mapShortcode(tag, numbers))
  return home === null || !mapped.includes('?') ? mapped : mapAddresses(mapped, numbers, home)
}

function mapBlocks(text: string, numbers: Numbers): string {
  let mapped = ''
  let done = 0
  for (let at = text.indexOf(BLOCK); at >= 0; at = text.indexOf(BLOCK, done)) {
    const end = text.indexOf('-->', at)
    if (end < 0) break
    mapped += text.slice(done, at) + mapBlock(text.slice(at, end), numbers)
    done = end
  }
  return mapped + text.slice(done)
}

/** @param comment up to its `-->` */
function mapBlock(comment: string, numbers: Numbers): string {
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
  mapAttributes(name.startsWith('core/') ? name.slice(5) : name, attributes, numbers)
  const after = JSON.stringify(attributes)
  return after === before ? comment : comment.slice(0, begin) + escapeJson(after) + comment.slice(end)
}

/** Changes the attributes of a block. */
function mapAttributes(block: string, attributes: Attributes, numbers: Numbers): void {
  const item = each((id) => numbers.item(id))
  const person = each((id) => numbers.person(id))
  const term = (taxonomy: string) => each((id) => numbers.term(taxonomy, id))
  for (const key of Object.keys(attributes)) if (MEDIA_KEY.test(key)) change(attributes, key, item)
  switch (block) {
    case 'image':
    case 'cover':
    case 'audio':
    case 'video':
    case 'file':
      return change(attributes, 'id', item)
    case 'gallery':
      return change(attributes, 'ids', item)
    case 'block':
    case 'navigation':
      return change(attributes, 'ref', item)
    case 'page-list':
      return change(attributes, 'parentPageID', item)
    case 'avatar':
      return change(attributes, 'userId', person)
    case 'navigation-link':
    case 'navigation-submenu':
      if (attributes['kind'] === 'post-type') change(attributes, 'id', item)
      else if (attributes['kind'] === 'taxonomy') change(attributes, 'id', term(taxonomyOf(attributes['type'])))
      return
    case 'latest-posts':
      change(attributes, 'selectedAuthor', person)
      return change(attributes, 'categories', term('category'))
    case 'query':
      if (isRecord(attributes['query'])) mapQuery(attributes['query'], numbers)
      return
    default:
      if (block.includes('/') && typeof attributes['id'] === 'number') numbers.unclear(block)
  }
}

function mapQuery(query: Attributes, numbers: Numbers): void {
  for (const key of ['parents', 'include', 'exclude'])
    change(
      query,
      key,
      each((id) => numbers.item(id)),
    )
  // One, or several with commas.
  change(query, 'author', (authors) =>
    typeof authors === 'string'
      ? listed(authors, (id) => numbers.person(id))
      : each((id) => numbers.person(id))(authors),
  )
  for (const [key, taxonomy] of [
    ['categoryIds', 'category'],
    ['tagIds', 'post_tag'],
  ] as const) {
    change(
      query,
      key,
      each((id) => numbers.term(taxonomy, id)),
    )
  }
  const byTaxonomy = (terms: Attributes) => {
    for (const [name, ids] of Object.entries(terms)) {
      if (isRecord(ids)) byTaxonomy(ids)
      else
        change(
          terms,
          name,
          each((id) => numbers.term(name, id)),
        )
    }
  }
  if (isRecord(query['taxQuery'])) byTaxonomy(query['taxQuery'])
}

function change(attributes: Attributes, key: string, to: Change): void {
  if (Object.hasOwn(attributes, key)) attributes[key] = to(attributes[key])
}

/** Changes a number, digits, the `id` of an object, or each of a list. Anything else stays as it is. */
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

function taxonomyOf(type: unknown): string {
  return type === 'tag' ? 'post_tag' : String(type)
}

function mapShortcode(tag: string, numbers: Numbers): string {
  const item = (id: number) => numbers.item(id)
  const one = (_found: string, name: string, id: string) => name + item(Number(id))
  if (/caption\s/i.test(tag)) return tag.replace(CAPTION_OF, one)
  return tag.replace(LISTS, (_found, name: string, ids: string) => name + listed(ids, item)).replace(GALLERY_OF, one)
}

/** Numbers between commas. */
function listed(text: string, map: (id: number) => number): string {
  const ids = text.split(',').map((id) => map(Number(id)))
  return ids.filter((id) => id > 0).join(',')
}

/** What the parameters of plain addresses name. */
const NAMED: Readonly<Record<string, (id: number, numbers: Numbers) => number>> = {
  p: (id, numbers) => numbers.item(id),
  page_id: (id, numbers) => numbers.item(id),
  attachment_id: (id, numbers) => numbers.item(id),
  cat: (id, numbers) => numbers.term('category', id),
  author: (id, numbers) => numbers.person(id),
}

function mapAddresses(text: string, numbers: Numbers, home: string): string {
  const start = home.replace(/^https?:/i, '')
  if (!text.includes(start)) return text
  const escaped = start.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const pattern = new RegExp(
    `(${escaped}/?(?:index\\.php)?\\?(${Object.keys(NAMED).join('|')})=)(\\d{1,10})(?!\\w)`,
    'g',
  )
  return text.replace(
    pattern,
    (_found, address: string, name: string, id: string) => address + NAMED[name]!(Number(id), numbers),
  )
}

function isRecord(value: unknown): value is Attributes {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

import { exportedNames } from '../../../library/branding/index.ts'
import { mapBlockIds, mapList, type ImportedIds } from './block-ids.ts'

const { blockMark: MARK } = exportedNames
/** Tags with classes or attributes that contain IDs of media. */
const TAGS = /<(?:img|a|figure|div|audio|video)\s[^<>]*>/gi
const CLASS = new RegExp(`(?<=["'\\s])(${MARK}-(?:image|att)-)(\\d{1,10})(?=["'\\s])`, 'g')
const DATA_ID = /(\sdata-id=["']?)(\d{1,10})(?=["'\s>])/
const SHORTCODES = new RegExp(`\\[(?:gallery|playlist|(?:${MARK}_)?caption)\\s[^[\\]]*\\]`, 'gi')
const LISTS = /(\s(?:ids|include|exclude)=["']?)([\d,\s]+)(?=["'\]])/gi
const GALLERY_OF = /(\sid=["']?)(\d{1,10})(?=["'\s\]])/i
const CAPTION_OF = /(\sid=["']?attachment_)(\d{1,10})(?=["'\s\]])/i

/**
 * Maps the IDs in the text of a post to IDs of this site: in block comments, classes of images, galleries, playlists,
 * captions and plain URLs. Unknown IDs become 0, or are removed from lists.
 * @param home home URL of this site, already rewritten in the text; null if URLs are not rewritten
 */
export function mapTextIds(text: string, ids: ImportedIds, home: string | null): string {
  let mapped = mapBlockIds(text, ids)
  if (mapped.includes(`${MARK}-`) || mapped.includes('data-id')) {
    mapped = mapped.replace(TAGS, (tag) => {
      const marked = tag.replace(CLASS, (_found, name: string, id: string) => name + ids.item(Number(id)))
      // Galleries contain the ID twice.
      return marked === tag ? tag : marked.replace(DATA_ID, (_found, name, id) => name + ids.item(Number(id)))
    })
  }
  if (mapped.includes('[')) mapped = mapped.replace(SHORTCODES, (tag) => mapShortcode(tag, ids))
  return home === null || !mapped.includes('?') ? mapped : mapUrls(mapped, ids, home)
}

function mapShortcode(tag: string, ids: ImportedIds): string {
  const item = (id: number) => ids.item(id)
  const one = (_found: string, name: string, id: string) => name + item(Number(id))
  if (/caption\s/i.test(tag)) return tag.replace(CAPTION_OF, one)
  return tag.replace(LISTS, (_found, name: string, list: string) => name + mapList(list, item)).replace(GALLERY_OF, one)
}

/** Query parameters of plain URLs that hold IDs. */
const NAMED: Readonly<Record<string, (id: number, ids: ImportedIds) => number>> = {
  p: (id, ids) => ids.item(id),
  page_id: (id, ids) => ids.item(id),
  attachment_id: (id, ids) => ids.item(id),
  cat: (id, ids) => ids.term('category', id),
  author: (id, ids) => ids.user(id),
}

function mapUrls(text: string, ids: ImportedIds, home: string): string {
  const start = home.replace(/^https?:/i, '')
  if (!text.includes(start)) return text
  const escaped = start.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const pattern = new RegExp(
    `(${escaped}/?(?:index\\.php)?\\?(${Object.keys(NAMED).join('|')})=)(\\d{1,10})(?!\\w)`,
    'g',
  )
  return text.replace(pattern, (_found, url: string, name: string, id: string) => url + NAMED[name]!(Number(id), ids))
}

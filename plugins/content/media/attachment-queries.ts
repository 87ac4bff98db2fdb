import type { SiteOptions } from '../../foundation/settings/index.ts'
import { sql, type Store } from '../../storage/store/index.ts'
import type { SqlBool } from 'kysely'
import type { OwnExpression } from '../../storage/field-index/index.ts'
import { ALT_KEY, DECORATIVE_KEY, FILE_KEY, LATER_FILE_KEY, THUMBNAIL_KEY } from '../meta-keys.ts'

/** Options that hold an image of the site. */
const SITE_IMAGES = ['site_icon', 'site_logo'] as const

/** Meta keys that name a file of an attachment. */
const FILES_OF_ATTACHMENTS = [FILE_KEY, LATER_FILE_KEY]

/** The most files that one statement names. */
const FILES_PER_STATEMENT = 500
/** The most posts that are read for one file or image. */
const MAX_POSTS = 100

/** A meta value as far as the index has it. */
const INDEXED_VALUE = sql<string>`substr(value, 1, 100)`
const indexed = (text: string) => sql<string>`substr(cast(${text} as text), 1, 100)`

/** The files in lists that one statement can name. */
export function batches(files: readonly string[]): string[][] {
  const count = Math.ceil(files.length / FILES_PER_STATEMENT)
  return Array.from({ length: count }, (_, at) => files.slice(at * FILES_PER_STATEMENT, (at + 1) * FILES_PER_STATEMENT))
}

/**
 * Those of the files, below the uploads folder, that are the main file of no attachment, nor one that came later.
 * @param except ID of an attachment that does not count
 */
export async function unattachedFiles(store: Store, files: readonly string[], except = 0): Promise<string[]> {
  const attached = new Set<string>()
  for (const some of batches(files)) {
    const rows = store.db
      .selectFrom('post_meta')
      .select('value')
      .where('key', 'in', FILES_OF_ATTACHMENTS)
      .where('post_id', '<>', except)
      .where(INDEXED_VALUE, 'in', some.map(indexed))
    for (const { value } of await store.all(rows)) attached.add(value)
  }
  return files.filter((file) => !attached.has(file))
}

/** IDs of the attachments whose file is one of `names`, or is called `edited` followed by digits and an extension. */
export async function attachmentsOfFile(
  store: Store,
  { names, edited }: { names: readonly string[]; edited: string },
): Promise<number[]> {
  const query = store.db
    .selectFrom('post_meta')
    .select(['post_id', 'value'])
    .where('key', 'in', FILES_OF_ATTACHMENTS)
    .where((eb) =>
      eb.or([
        eb(INDEXED_VALUE, 'in', names.map(indexed)),
        // The character after the digits is the colon.
        eb.and([eb(INDEXED_VALUE, '>=', indexed(`${edited}0`)), eb(INDEXED_VALUE, '<', indexed(`${edited}:`))]),
      ]),
    )
    .limit(MAX_POSTS)
  const isEdited = (file: string) => file.startsWith(edited) && /^\d+\./.test(file.slice(edited.length))
  const found = (await store.all(query)).filter(({ value: file }) => names.includes(file) || isEdited(file))
  return [...new Set(found.map((row) => row.post_id))]
}

/** IDs of the posts that have one of the images as their featured image. */
export async function postsWithFeaturedImage(store: Store, images: readonly number[]): Promise<number[]> {
  const query = store.db
    .selectFrom('post_meta')
    .select('post_id')
    .where('key', '=', THUMBNAIL_KEY)
    .where(INDEXED_VALUE, 'in', images.map(String))
    .limit(MAX_POSTS)
  return (await store.all(query)).map((row) => row.post_id)
}

/** Whether one of the images is the icon or the logo of the site. */
export async function isSiteImage(options: SiteOptions, images: readonly number[]): Promise<boolean> {
  const ids = Object.values(await options.many([...SITE_IMAGES]))
  return ids.some((id) => images.includes(Number(id)))
}

/** The options of the site that hold an image: `site_icon`, `site_logo`. */
export async function siteImagesOf(options: SiteOptions, image: number): Promise<string[]> {
  const ids = await options.many([...SITE_IMAGES])
  return SITE_IMAGES.filter((name) => Number(ids[name]) === image)
}

/** The condition on posts that they are images without an alternative text, and not marked as decorative. */
export const lacksAltText: OwnExpression<'id' | 'mime_type', SqlBool> = ({ ref, sql: text }) =>
  text<SqlBool>`${ref('mime_type')} like 'image/%' and not exists (
    select 1 from post_meta as alt where alt.post_id = ${ref('id')}
      and ((alt.key = ${ALT_KEY} and alt.value <> '') or (alt.key = ${DECORATIVE_KEY} and alt.value = '1'))
  )`

/** Unsets an image wherever it is a featured image, the icon or the logo of the site. */
export async function unsetImage(store: Store, options: SiteOptions, image: number): Promise<void> {
  const featured = store.db.deleteFrom('post_meta').where('key', '=', THUMBNAIL_KEY)
  await store.run(featured.where(INDEXED_VALUE, '=', String(image)))
  const current = await options.fresh([...SITE_IMAGES])
  for (const name of SITE_IMAGES) if (Number(current[name]) === image) await options.delete(name)
}

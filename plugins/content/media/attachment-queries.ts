import type { SiteOptions } from '../../foundation/settings/index.ts'
import { sql, type Store } from '../../storage/store/index.ts'
import type { SqlBool } from 'kysely'
import type { OwnExpression } from '../../storage/field-index/index.ts'
import { ALT_KEY, DECORATIVE_KEY, FILE_KEY, LATER_FILE_KEY, THUMBNAIL_KEY } from '../meta-keys.ts'

/** Site options that hold the ID of an image. */
const SITE_IMAGES = ['site_icon', 'site_logo'] as const

/** Meta keys that hold a file of an attachment. */
const FILES_OF_ATTACHMENTS = [FILE_KEY, LATER_FILE_KEY]

/** Maximum number of files in one statement. */
const FILES_PER_STATEMENT = 500
/** Maximum number of posts read for one file or image. */
const MAX_POSTS = 100

/** Prefix of a meta value that the database index contains. */
const INDEXED_VALUE = sql<string>`substr(value, 1, 100)`
const indexed = (text: string) => sql<string>`substr(cast(${text} as text), 1, 100)`

/** Splits files into lists that one statement can contain. */
export function batches(files: readonly string[]): string[][] {
  const count = Math.ceil(files.length / FILES_PER_STATEMENT)
  return Array.from({ length: count }, (_, at) => files.slice(at * FILES_PER_STATEMENT, (at + 1) * FILES_PER_STATEMENT))
}

/**
 * Returns the files that no attachment has as its main file or as a later version.
 * @param files relative to the uploads folder
 * @param except ID of an attachment to ignore
 */
export async function unattachedFiles(store: Store, files: readonly string[], except = 0): Promise<string[]> {
  const attached = new Set<string>()
  for (const batch of batches(files)) {
    const rows = store.db
      .selectFrom('post_meta')
      .select('value')
      .where('key', 'in', FILES_OF_ATTACHMENTS)
      .where('post_id', '<>', except)
      .where(INDEXED_VALUE, 'in', batch.map(indexed))
    for (const { value } of await store.all(rows)) attached.add(value)
  }
  return files.filter((file) => !attached.has(file))
}

/** Returns the IDs of attachments with a file in `names`, or a file named `edited` plus digits and an extension. */
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
        // The colon follows the digits in ASCII, so this range covers every name that continues with a digit.
        eb.and([eb(INDEXED_VALUE, '>=', indexed(`${edited}0`)), eb(INDEXED_VALUE, '<', indexed(`${edited}:`))]),
      ]),
    )
    .limit(MAX_POSTS)
  const isEdited = (file: string) => file.startsWith(edited) && /^\d+\./.test(file.slice(edited.length))
  const rows = (await store.all(query)).filter(({ value: file }) => names.includes(file) || isEdited(file))
  return [...new Set(rows.map((row) => row.post_id))]
}

/** Returns the IDs of posts that use one of the images as featured image. */
export async function postsWithFeaturedImage(store: Store, images: readonly number[]): Promise<number[]> {
  const query = store.db
    .selectFrom('post_meta')
    .select('post_id')
    .where('key', '=', THUMBNAIL_KEY)
    .where(INDEXED_VALUE, 'in', images.map(String))
    .limit(MAX_POSTS)
  return (await store.all(query)).map((row) => row.post_id)
}

/** Checks whether one of the images is the site icon or site logo. */
export async function isSiteImage(options: SiteOptions, images: readonly number[]): Promise<boolean> {
  const ids = Object.values(await options.many([...SITE_IMAGES]))
  return ids.some((id) => images.includes(Number(id)))
}

/** Returns the site options that hold an image: `site_icon`, `site_logo`. */
export async function siteImagesOf(options: SiteOptions, image: number): Promise<string[]> {
  const ids = await options.many([...SITE_IMAGES])
  return SITE_IMAGES.filter((name) => Number(ids[name]) === image)
}

/** Selects images that have no alternative text and are not decorative. */
export const lacksAltText: OwnExpression<'id' | 'mime_type', SqlBool> = ({ ref, sql: text }) =>
  text<SqlBool>`${ref('mime_type')} like 'image/%' and not exists (
    select 1 from post_meta as alt where alt.post_id = ${ref('id')}
      and ((alt.key = ${ALT_KEY} and alt.value <> '') or (alt.key = ${DECORATIVE_KEY} and alt.value = '1'))
  )`

/** Removes an image from all posts that use it as featured image, and from the site icon and site logo. */
export async function unsetImage(store: Store, options: SiteOptions, image: number): Promise<void> {
  const featured = store.db.deleteFrom('post_meta').where('key', '=', THUMBNAIL_KEY)
  await store.run(featured.where(INDEXED_VALUE, '=', String(image)))
  const current = await options.fresh([...SITE_IMAGES])
  for (const name of SITE_IMAGES) if (Number(current[name]) === image) await options.delete(name)
}

/** The number of files of a month and a MIME type. */
export interface UploadCount {
  /** `2025-01`, in the time zone of the site. */
  readonly month: string
  readonly type: string
  readonly count: number
}

/** Maximum number of months and types that are counted. */
const MAX_UPLOAD_COUNTS = 10_000

/** Counts the files of the library by month and MIME type, newest month first. */
export async function countUploads(store: Store): Promise<UploadCount[]> {
  const month = sql<string>`substr(posts.date, 1, 7)`
  const query = store.db
    .selectFrom('posts')
    .select((of) => [month.as('month'), 'mime_type as type', of.fn.countAll<number>().as('count')])
    .where('type', '=', 'attachment')
    .where('status', 'in', ['inherit', 'private'])
    .groupBy([month, 'mime_type'])
    .orderBy(month, 'desc')
    .limit(MAX_UPLOAD_COUNTS)
  return (await store.all(query)).map(({ count, ...one }) => ({ ...one, count: Number(count) }))
}

import { sql } from 'kysely'
import type { SiteOptions } from '../../site/settings/index.ts'
import type { Store } from '../../storage/store/index.ts'
import { FILE_KEY, THUMBNAIL_KEY } from '../meta-keys.ts'

/** How many files one statement names. */
const FILES_AT_ONCE = 500

/** Lists of a length that a statement can name. */
export function batches(files: readonly string[]): string[][] {
  const count = Math.ceil(files.length / FILES_AT_ONCE)
  return Array.from({ length: count }, (_, at) => files.slice(at * FILES_AT_ONCE, (at + 1) * FILES_AT_ONCE))
}

/** Those of some files, below the uploads folder, that no attachment calls its own, but for one that does not count. */
export async function filesOfNobody(store: Store, files: readonly string[], but = 0): Promise<string[]> {
  const taken = new Set<string>()
  for (const some of batches(files)) {
    const named = store.db
      .selectFrom('post_meta')
      .select('value')
      .where('key', '=', FILE_KEY)
      .where('post_id', '<>', but)
      // As the index has it.
      .where(
        sql<string>`substr(value, 1, 100)`,
        'in',
        some.map((file) => sql<string>`substr(cast(${file} as text), 1, 100)`),
      )
    for (const { value } of await store.all(named)) taken.add(value)
  }
  return files.filter((file) => !taken.has(file))
}

/** How many posts with one file, or one image, are looked at. */
const MOST = 100

/** The attachments whose file is one of `names`, or is called `edited` followed by digits and an ending. */
export async function attachmentsWith(
  store: Store,
  { names, edited }: { names: readonly string[]; edited: string },
): Promise<number[]> {
  const begin = (text: string) => sql<string>`substr(cast(${text} as text), 1, 100)`
  // As the index has it.
  const value = sql<string>`substr(value, 1, 100)`
  const query = store.db
    .selectFrom('post_meta')
    .select(['post_id', 'value'])
    .where('key', '=', FILE_KEY)
    .where((eb) =>
      eb.or([
        eb(value, 'in', names.map(begin)),
        // Digits end where the colon begins.
        eb.and([eb(value, '>=', begin(`${edited}0`)), eb(value, '<', begin(`${edited}:`))]),
      ]),
    )
    .limit(MOST)
  const isEdited = (file: string) => file.startsWith(edited) && /^\d+\./.test(file.slice(edited.length))
  const found = (await store.all(query)).filter(({ value: file }) => names.includes(file) || isEdited(file))
  return [...new Set(found.map((row) => row.post_id))]
}

/** The posts that one of these images stands for. */
export async function postsStoodForBy(store: Store, images: readonly number[]): Promise<number[]> {
  const query = store.db
    .selectFrom('post_meta')
    .select('post_id')
    .where('key', '=', THUMBNAIL_KEY)
    .where(sql<string>`substr(value, 1, 100)`, 'in', images.map(String))
    .limit(MOST)
  return (await store.all(query)).map((row) => row.post_id)
}

/** Takes an image away from the site that it stands for. */
export async function takeFromSite(options: SiteOptions, image: number): Promise<void> {
  const standing = await options.fresh(['site_icon', 'site_logo'])
  for (const name of ['site_icon', 'site_logo'] as const) {
    if (Number(standing[name]) === image) await options.delete(name)
  }
}

/** Takes an image away from the posts that it stands for. */
export async function takeFromPosts(store: Store, image: number): Promise<void> {
  const id = String(image)
  const standing = store.db.deleteFrom('post_meta').where('key', '=', THUMBNAIL_KEY)
  await store.run(standing.where(sql<string>`substr(value, 1, 100)`, '=', id))
}

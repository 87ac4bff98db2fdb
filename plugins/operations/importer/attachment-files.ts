import { filesOf, isSafePath } from '../../content/media/index.ts'
import { FILE_KEY, METADATA_KEY } from '../../content/meta-keys.ts'
import type { Store } from '../../storage/store/index.ts'

/** Attachments read in one query. */
const ATTACHMENTS_PER_BATCH = 500

/** Returns the files of attachments by attachment ID, the main file first. */
export async function filesOfAttachments(store: Store, ids: readonly number[]): Promise<Map<number, string[]>> {
  const rows = await store.all(
    store.db
      .selectFrom('post_meta')
      .select(['post_id', 'key', 'value', 'json'])
      .where('post_id', 'in', ids)
      .where('key', 'in', [FILE_KEY, METADATA_KEY])
      .orderBy('id'),
  )
  const byPost = Map.groupBy(rows, ({ post_id: id }) => id)
  return new Map(
    [...byPost].map(([id, meta]) => {
      const valueOf = (key: string) => {
        const row = meta.find((one) => one.key === key)
        return row?.json === 1 ? (JSON.parse(row.value) as unknown) : row?.value
      }
      return [id, filesOf({ file: valueOf(FILE_KEY), metadata: valueOf(METADATA_KEY) })]
    }),
  )
}

/** Yields the paths of all files of attachments, relative to the uploads folder: `2024/05/photo.jpg`. */
export async function* namedFiles(store: Store): AsyncGenerator<string> {
  const { db } = store
  for (let last = 0; ;) {
    const query = db.selectFrom('posts').select('id').where('type', '=', 'attachment').where('id', '>', last)
    const ids = (await store.all(query.orderBy('id').limit(ATTACHMENTS_PER_BATCH), [])).map(({ id }) => id)
    if (ids.length === 0) return
    last = ids.at(-1)!
    for (const names of (await filesOfAttachments(store, ids)).values()) {
      for (const name of names) if (isSafePath(name.split('/'))) yield name
    }
  }
}

import { filesOf, isSafePath } from '../../content/media/index.ts'
import { FILE_KEY, LATER_FILE_KEY, METADATA_KEY } from '../../content/meta-keys.ts'
import type { Store } from '../../storage/store/index.ts'
import { postBatches, type MetaRow } from './batches.ts'
import type { Selection } from './selection.ts'

/** Yields the files of the selected attachments, relative to the uploads folder. */
export async function* attachmentFiles(reader: Store, selection: Selection): AsyncGenerator<string> {
  for await (const { posts, meta } of postBatches(reader, selection)) {
    for (const { id, type } of posts) {
      if (type !== 'attachment') continue
      for (const name of namesIn(meta.get(id) ?? [])) if (isSafePath(name.split('/'))) yield name
    }
  }
}

function namesIn(meta: readonly MetaRow[]): string[] {
  const valueOf = (wanted: string): unknown => {
    const row = meta.find(({ key }) => key === wanted)
    return row?.json === 1 ? JSON.parse(row.value) : row?.value
  }
  const later = meta.filter(({ key, json }) => key === LATER_FILE_KEY && json === 0).map(({ value }) => value)
  return [...filesOf({ file: valueOf(FILE_KEY), metadata: valueOf(METADATA_KEY) }), ...later]
}

import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { filesOf } from '../../plugins/content/media/attachment-data.ts'
import type { Store } from '../../plugins/storage/store/index.ts'

/** Kinds of objects that writers create. */
export type ObjectKind = 'post' | 'comment' | 'term' | 'user' | 'media'

/** The expected state of an object that a writer created. */
interface Entry {
  kind: ObjectKind
  id: number
  /** Possible texts: the last acknowledged one, and later ones without a response. */
  texts: string[]
  /** `sent` if its deletion has no response yet. */
  deleted: 'no' | 'sent' | 'yes'
  /** The post of a comment, whose deletion also deletes the comment. */
  post?: number | undefined
}

/** Records the acknowledged writes, and compares them with the stored objects. */
export class Ledger {
  readonly #entries = new Map<string, Entry>()
  /** Number of acknowledged writes. */
  acknowledged = 0

  created(kind: ObjectKind, id: number, text: string, post?: number): void {
    this.acknowledged += 1
    this.#entries.set(`${kind} ${id}`, { kind, id, texts: [text], deleted: 'no', post })
  }

  /** Call before sending a change. Call the returned function once it is acknowledged. */
  changing(kind: ObjectKind, id: number, text: string): () => void {
    const entry = this.#entries.get(`${kind} ${id}`)!
    entry.texts.push(text)
    return () => {
      this.acknowledged += 1
      entry.texts = [text]
    }
  }

  /** Call before sending a deletion. Call the returned function once it is acknowledged. */
  deleting(kind: ObjectKind, id: number): () => void {
    const entry = this.#entries.get(`${kind} ${id}`)!
    entry.deleted = 'sent'
    return () => {
      this.acknowledged += 1
      entry.deleted = 'yes'
    }
  }

  /** Whether an object can have been deleted together with its post. */
  mayBeDeleted(kind: ObjectKind, id: number): boolean {
    const { post } = this.#entries.get(`${kind} ${id}`)!
    return post !== undefined && this.#entries.get(`post ${post}`)?.deleted !== 'no'
  }

  /** Returns differences between the database and the acknowledged writes, and missing files. */
  async lost(store: Store, uploads: string): Promise<string[]> {
    const lost: string[] = []
    const texts = await readTexts(store)
    for (const { kind, id, texts: expected, deleted } of this.#entries.values()) {
      if (this.mayBeDeleted(kind, id)) continue
      const text = texts[kind].get(id)
      if (text === undefined && deleted === 'no') lost.push(`${kind} ${id} was acknowledged and is gone`)
      if (text !== undefined && deleted === 'yes') lost.push(`${kind} ${id} was deleted and is there`)
      if (text !== undefined && !expected.includes(text))
        lost.push(`${kind} ${id} is ${text} and was ${expected.join(' or ')}`)
    }
    for (const file of await knownFiles(store)) {
      if ((await stat(join(uploads, file)).catch(() => null)) === null) lost.push(`the file ${file} is gone`)
    }
    return lost
  }
}

async function readTexts(store: Store): Promise<Record<ObjectKind, Map<number, string>>> {
  const posts = await store.all(store.db.selectFrom('posts').select(['id', 'type', 'title as text']))
  const toMap = (rows: readonly { id: number; text: string }[]) => new Map(rows.map(({ id, text }) => [id, text]))
  return {
    post: toMap(posts.filter(({ type }) => type !== 'attachment')),
    media: toMap(posts.filter(({ type }) => type === 'attachment')),
    comment: toMap(await store.all(store.db.selectFrom('comments').select(['id', 'content as text']))),
    term: toMap(await store.all(store.db.selectFrom('terms').select(['id', 'name as text']))),
    user: toMap(await store.all(store.db.selectFrom('users').select(['id', 'name as text']))),
  }
}

/** Returns the paths of all files of attachments, relative to the uploads folder. */
export async function knownFiles(store: Store): Promise<Set<string>> {
  const keys = ['_attached_file', '_attachment_metadata']
  const rows = await store.all(
    store.db.selectFrom('post_meta').select(['post_id', 'key', 'value', 'json']).where('key', 'in', keys),
  )
  const files = new Set<string>()
  const byPost = Map.groupBy(rows, ({ post_id }) => post_id)
  for (const meta of byPost.values()) {
    const [file, metadata] = keys.map((name) => meta.find(({ key }) => key === name))
    for (const name of filesOf({ file: file?.value, metadata: metadata && JSON.parse(metadata.value) })) files.add(name)
  }
  return files
}

import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { filesOf } from '../../plugins/content/media/attachment-data.ts'
import type { Store } from '../../plugins/storage/store/index.ts'

/** Kinds of objects that writers make. */
export type ObjectKind = 'post' | 'comment' | 'term' | 'user' | 'media'

/** What is known of an object that a writer made. */
interface Entry {
  kind: ObjectKind
  id: number
  /** Texts that it may have: the last one acknowledged, and those sent since without an answer. */
  texts: string[]
  /** `sent` when its deletion has no answer yet. */
  deleted: 'no' | 'sent' | 'yes'
  /** The post that a comment goes with. */
  post?: number | undefined
}

/** What the server has acknowledged, to be compared with what it holds. */
export class Ledger {
  readonly #entries = new Map<string, Entry>()
  /** How many writes were acknowledged. */
  acknowledged = 0

  made(kind: ObjectKind, id: number, text: string, post?: number): void {
    this.acknowledged += 1
    this.#entries.set(`${kind} ${id}`, { kind, id, texts: [text], deleted: 'no', post })
  }

  /** Before a change is sent. Call the result once it is acknowledged. */
  changing(kind: ObjectKind, id: number, text: string): () => void {
    const entry = this.#entries.get(`${kind} ${id}`)!
    entry.texts.push(text)
    return () => {
      this.acknowledged += 1
      entry.texts = [text]
    }
  }

  /** Before a deletion is sent. Call the result once it is acknowledged. */
  deleting(kind: ObjectKind, id: number): () => void {
    const entry = this.#entries.get(`${kind} ${id}`)!
    entry.deleted = 'sent'
    return () => {
      this.acknowledged += 1
      entry.deleted = 'yes'
    }
  }

  /** Whether an object may have gone with the post that it belongs to. */
  mayBeGone(kind: ObjectKind, id: number): boolean {
    const { post } = this.#entries.get(`${kind} ${id}`)!
    return post !== undefined && this.#entries.get(`post ${post}`)?.deleted !== 'no'
  }

  /** What the database holds otherwise than was acknowledged, and files of it that are not there. */
  async lost(store: Store, uploads: string): Promise<string[]> {
    const lost: string[] = []
    const texts = await readTexts(store)
    for (const { kind, id, texts: known, deleted } of this.#entries.values()) {
      if (this.mayBeGone(kind, id)) continue
      const text = texts[kind].get(id)
      if (text === undefined && deleted === 'no') lost.push(`${kind} ${id} was acknowledged and is gone`)
      if (text !== undefined && deleted === 'yes') lost.push(`${kind} ${id} was deleted and is there`)
      if (text !== undefined && !known.includes(text))
        lost.push(`${kind} ${id} is ${text} and was ${known.join(' or ')}`)
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

/** The files that attachments name, below the uploads folder. */
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

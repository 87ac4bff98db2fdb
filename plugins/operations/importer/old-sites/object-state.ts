import { EDIT_LOCK_KEY, LAST_EDITOR_KEY, METADATA_KEY } from '../../../content/meta-keys.ts'
import { sql, type Store } from '../../../storage/store/index.ts'
import { fingerprint } from './fingerprint.ts'
import type { MappedKind } from './tables.ts'

/** Columns of objects that an import writes. Counts are not among them, because this site computes them. */
export const OBJECT_COLUMNS = {
  post: [
    'type',
    'status',
    'slug',
    'title',
    'content',
    'excerpt',
    'password',
    'author_id',
    'parent_id',
    'menu_order',
    'date',
    'date_gmt',
    'modified',
    'modified_gmt',
    'comment_status',
    'ping_status',
    'guid',
    'mime_type',
  ],
  term: ['taxonomy', 'slug', 'name', 'description', 'parent_id'],
  comment: [
    'post_id',
    'parent_id',
    'author_id',
    'author_name',
    'author_email',
    'author_url',
    'author_ip',
    'date',
    'date_gmt',
    'content',
    'approved',
    'type',
  ],
  user: ['login', 'slug', 'name', 'email', 'url'],
} as const satisfies Record<MappedKind, readonly string[]>

export type Columns = Record<string, string | number>

/** A meta value as stored: key, value, whether the value is JSON. */
export type MetaRow = [key: string, value: string, json: number]

/** An object with everything that an import writes of it. */
export interface ObjectState {
  readonly row: Columns
  readonly meta: MetaRow[]
  /** IDs of the terms of a post, in order. */
  readonly terms: number[]
}

/**
 * Meta that this site maintains: locks of the editor, and facts about media files, which it generates again. Such
 * changes do not count as changes of the object.
 */
const MAINTAINED_KEYS: ReadonlySet<string> = new Set([EDIT_LOCK_KEY, LAST_EDITOR_KEY, METADATA_KEY])

/** Whether this site maintains a meta key, so that an update of the object keeps the value. */
export function isMaintained(key: string): boolean {
  return MAINTAINED_KEYS.has(key)
}

/**
 * Returns the hash of an object.
 * @param keys meta keys to regard; all by default
 */
export function fingerprintOf(kind: MappedKind, { row, meta, terms }: ObjectState, keys?: ReadonlySet<string>): number {
  const values: (string | number)[] = OBJECT_COLUMNS[kind].map((column) => row[column] ?? '')
  const regarded = meta.filter(([key]) => !isMaintained(key) && (keys === undefined || keys.has(key)))
  values.push(...regarded.map((entry) => entry.join('\n')).sort())
  if (terms.length > 0) values.push([...terms].sort((one, other) => one - other).join())
  return fingerprint(values)
}

/** Reads objects. @param ids at most a few hundred */
export async function readStates(
  tx: Store,
  kind: MappedKind,
  ids: readonly number[],
): Promise<Map<number, ObjectState>> {
  const states = new Map<number, ObjectState>()
  if (ids.length === 0) return states
  const list = sql.join([...new Set(ids)])
  const [table, owner] = [sql.table(`${kind}s`), sql.ref(`${kind}_id`)]
  const columns = sql.join(['id', ...OBJECT_COLUMNS[kind]].map((column) => sql.ref(column)))
  for (const { id, ...row } of await tx.all(
    sql<Columns & { id: number }>`select ${columns} from ${table} where id in (${list})`,
  )) {
    states.set(id, { row, meta: [], terms: [] })
  }
  const meta = sql<{ owner: number; key: string; value: string; json: number }>`
    select ${owner} as owner, key, value, json from ${sql.table(`${kind}_meta`)} where ${owner} in (${list}) order by id`
  for (const { owner: id, key, value, json } of await tx.all(meta)) states.get(id)?.meta.push([key, value, json])
  if (kind === 'post') {
    const links = tx.db
      .selectFrom('term_relationships')
      .select(['post_id', 'term_id'])
      .where('post_id', 'in', [...ids])
    for (const row of await tx.all(links.orderBy('position'))) states.get(row.post_id)?.terms.push(row.term_id)
  }
  return states
}

/** Changes an object from one state to another. */
export async function writeState(
  tx: Store,
  kind: MappedKind,
  id: number,
  before: ObjectState,
  after: ObjectState,
): Promise<void> {
  const changed = OBJECT_COLUMNS[kind].filter((column) => before.row[column] !== after.row[column])
  if (changed.length > 0) {
    const values = changed.map((column) => sql`${sql.ref(column)} = ${after.row[column]}`)
    await tx.run(sql`update ${sql.table(`${kind}s`)} set ${sql.join(values)} where id = ${id}`)
  }
  await writeMeta(tx, kind, id, before.meta, after.meta)
  if (before.terms.join() !== after.terms.join()) {
    await tx.run(tx.db.deleteFrom('term_relationships').where('post_id', '=', id))
    const rows = after.terms.map((term, position) => ({ post_id: id, term_id: term, position }))
    if (rows.length > 0) await tx.run(tx.db.insertInto('term_relationships').values(rows))
  }
}

/** Replaces the values of the keys that differ. */
async function writeMeta(
  tx: Store,
  kind: MappedKind,
  id: number,
  before: readonly MetaRow[],
  after: readonly MetaRow[],
): Promise<void> {
  const [table, owner] = [sql.table(`${kind}_meta`), sql.ref(`${kind}_id`)]
  const [old, current] = [valuesByKey(before), valuesByKey(after)]
  for (const key of new Set([...old.keys(), ...current.keys()])) {
    const [had, has] = [old.get(key) ?? [], current.get(key) ?? []]
    if (JSON.stringify(had) === JSON.stringify(has)) continue
    if (had.length > 0) await tx.run(sql`delete from ${table} where ${owner} = ${id} and key = ${key}`)
    for (const [, value, json] of has) {
      await tx.run(sql`insert into ${table} (${owner}, key, value, json) values (${id}, ${key}, ${value}, ${json})`)
    }
  }
}

function valuesByKey(meta: readonly MetaRow[]): Map<string, MetaRow[]> {
  return Map.groupBy(meta, ([key]) => key)
}

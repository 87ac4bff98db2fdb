import type { Backend, Connection, Dialect, ReadRow } from '../backend.ts'
import { CAPTURED } from './captured.ts'
import type { Value } from '../parameters.ts'
import { EVERYTHING, type Change, type Facts, type NewChange } from './change.ts'
import { MAX_STAGED_ROWS } from '../migrations/stage-changes.ts'
import { listsByMeta, listsOfComment, listsOfPost, listsOfTerm, type TermOfPost } from './tags.ts'

/**
 * Key of the advisory lock around numbering and commit, so that changes are numbered in commit order. Used for nothing
 * else.
 */
const COMMIT_LOCK = 7_203_418_848
/** Notification channel between processes. */
export const CHANNEL = 'svc_changes'

/** SQL that makes triggers stage the changes of a PostgreSQL transaction in its own setting. */
export const STAGING = `set_config('svc.changing', '-', true)`

/** A staged row of `changing`. */
interface Staged {
  kind: string
  object: string
  part: string
  name: string
  before: string | null
  after: string | null
}

/** The staged rows of one object. */
interface Touched {
  kind: string
  object: string
  /** Undefined if the row of the object itself was not written. */
  own?: { before: Facts | null; after: Facts | null }
  meta: Set<string>
  /** IDs of added and removed terms. */
  terms: Set<number>
}

/**
 * Turns the staged rows of a transaction into changes and stores these. Must be called after all other writes, before
 * the commit.
 * @param tables written tables without triggers
 * @param touched touched tags
 */
export async function collectChanges(
  connection: Connection,
  { dialect, changes: { token } }: Backend,
  tables: ReadonlySet<string>,
  touched: ReadonlySet<string>,
): Promise<Change[]> {
  const staged = await takeStaged(connection, dialect)
  const changes = staged === null ? [ALL] : await changesOf(connection, dialect, staged)
  for (const table of tables) changes.push({ ...PLAIN, kind: 'table', object: table, tags: [`table:${table}`] })
  if (touched.has(EVERYTHING)) changes.push(ALL)
  else if (touched.size > 0) changes.push({ ...PLAIN, kind: 'tag', tags: [...touched] })
  if (changes.length === 0) return []
  return number(connection, dialect, token, changes)
}

/** A change without facts. */
const PLAIN = { object: '', type: '', change: 'update', before: null, after: null, meta: [] } as const
const ALL: NewChange = { ...PLAIN, kind: 'all', tags: [EVERYTHING] }

/** Returns and removes the staged rows; null if there are too many. */
async function takeStaged(connection: Connection, dialect: Dialect): Promise<Staged[] | null> {
  return dialect === 'postgres' ? takeFromSetting(connection) : takeFromTable(connection)
}

async function takeFromTable(connection: Connection): Promise<Staged[] | null> {
  // A row of the kind `all` comes first.
  const rows = await connection.all(`select ${COLUMNS.join(', ')} from changing order by id`, [])
  if (rows.length > 0) await connection.run('delete from changing', [])
  return rows[0]?.['kind'] === 'all' ? null : (rows as unknown as Staged[])
}

/** Reads the staged rows from the setting of this transaction, and from the table: the overflow and changes by other programs. */
async function takeFromSetting(connection: Connection): Promise<Staged[] | null> {
  const columns = COLUMNS.join(', ')
  const row = await connection.first(
    `with taken as (delete from changing returning id, ${columns})
      select current_setting('svc.changing') as own, (select count(*) from taken) as many,
        (select json_agg(one) from (select ${columns} from taken order by id limit ${MAX_STAGED_ROWS + 1}) as one) as others`,
    [],
  )
  const { own, many, others } = row as { own: string; many: number; others: Staged[] | null }
  if (own === '*' || many > MAX_STAGED_ROWS) return null
  const lines = own.startsWith('-') ? own.slice(1).split('\n') : []
  const staged = lines.flatMap((line) => (line === '' ? [] : [stagedOf(JSON.parse(line) as (string | null)[])]))
  return [...staged, ...(others ?? [])]
}

const COLUMNS = ['kind', 'object', 'part', 'name', 'before', 'after'] as const

function stagedOf(values: readonly (string | null)[]): Staged {
  return Object.fromEntries(COLUMNS.map((column, index) => [column, values[index]])) as unknown as Staged
}

async function changesOf(connection: Connection, dialect: Dialect, staged: readonly Staged[]): Promise<NewChange[]> {
  const touched = [...group(staged).values()]
  const posts = touched.filter(({ kind }) => kind === 'post')
  const select = async (sql: string, ids: readonly number[]) =>
    ids.length === 0 ? [] : connection.all(...withIds(sql, ids, dialect))
  const [facts, related] = await Promise.all([
    factsOfUnwritten(touched, select),
    select(
      `select post_id, term_id as id, taxonomy from term_relationships
        join terms on terms.id = term_relationships.term_id where post_id`,
      idsOf(posts.filter(({ own, terms }) => terms.size > 0 || (own !== undefined && typeOf(own) !== 'revision'))),
    ),
  ])
  const there = new Set(related.map(({ id }) => Number(id)))
  const deletedTermIds = [...new Set(posts.flatMap(({ terms }) => [...terms].filter((id) => !there.has(id))))]
  const lost = await select('select id, taxonomy from terms where id', deletedTermIds)
  const termsOf = Map.groupBy(related, (row) => String(row['post_id']))
  const taxonomies = new Map([...related, ...lost].map((row) => [Number(row['id']), String(row['taxonomy'])]))
  for (const { kind, object, own } of touched) {
    const before = own?.before ?? own?.after
    if (kind === 'term' && before) taxonomies.set(Number(object), String(before['type']))
  }
  return touched.flatMap((one) => {
    const terms = one.kind === 'post' ? termsOfPost(one, termsOf.get(one.object) ?? [], taxonomies) : []
    return changeOf(one, facts.get(`${one.kind} ${one.object}`) ?? null, terms)
  })
}

const idsOf = (list: readonly Touched[]) => list.map(({ object }) => Number(object))

/** Returns the facts of objects of which only parts were written, by kind and object. */
async function factsOfUnwritten(
  touched: readonly Touched[],
  select: (sql: string, ids: readonly number[]) => Promise<readonly ReadRow[]>,
): Promise<Map<string, Facts>> {
  const byKind = Map.groupBy(
    touched.filter(({ own }) => own === undefined),
    ({ kind }) => kind,
  )
  const found = new Map<string, Facts>()
  const read = async (kind: string, list: readonly Touched[]) => {
    const table = TABLES.get(kind)!
    const facts = Object.entries<string>(CAPTURED[table].facts)
    const columns = facts.map(([name, sql]) => `${sql.replaceAll('row.', `${table}.`)} as ${name}`)
    const rows = await select(`select ${['id', ...columns].join(', ')} from ${table} where id`, idsOf(list))
    for (const { id, ...row } of rows) found.set(`${kind} ${String(id)}`, row as Facts)
  }
  await Promise.all(Array.from(byKind, ([kind, list]) => read(kind, list)))
  return found
}

function group(staged: readonly Staged[]): Map<string, Touched> {
  const touched = new Map<string, Touched>()
  for (const { kind, object, part, name, before, after } of staged) {
    const key = `${kind} ${object}`
    let one = touched.get(key)
    if (one === undefined) touched.set(key, (one = { kind, object, meta: new Set(), terms: new Set() }))
    if (part === 'meta') one.meta.add(name)
    else if (part === 'term') one.terms.add(Number(name))
    else one.own = { before: one.own === undefined ? parse(before) : one.own.before, after: parse(after) }
  }
  return touched
}

const parse = (text: string | null) => (text === null ? null : (JSON.parse(text) as Facts))

const typeOf = ({ before, after }: { before: Facts | null; after: Facts | null }) => (after ?? before)?.['type']

/** Returns the current and the removed terms of a post. */
function termsOfPost(
  { terms }: Touched,
  rows: readonly ReadRow[],
  taxonomies: ReadonlyMap<number, string>,
): TermOfPost[] {
  const has = rows.map(({ id, taxonomy }) => ({ id: Number(id), taxonomy: String(taxonomy) }))
  const others = [...terms].filter((id) => !has.some((term) => term.id === id))
  return [...has, ...others.map((id) => ({ id, taxonomy: taxonomies.get(id) ?? '' }))]
}

/**
 * Returns the change of one object; empty if it was created and deleted. @param facts its facts if its own row was not
 * written
 */
function changeOf(
  { kind, object, own, meta, terms: lost }: Touched,
  facts: Facts | null,
  terms: TermOfPost[],
): NewChange[] {
  const { before, after } = own ?? { before: facts, after: facts }
  // Recorded by user: one user can have several.
  const isCollection = kind === 'session' || kind === 'application_password'
  if (before === null && after === null && own !== undefined && !isCollection) return []
  const change =
    isCollection || (before === null) === (after === null) ? 'update' : before === null ? 'create' : 'delete'
  const tags = [`${kind}:${object}`, `table:${TABLES.get(kind)}`]
  if (meta.size > 0) tags.push(`table:${kind}_meta`, ...listsByMeta(kind, before, after, meta))
  if (lost.size > 0) tags.push('table:term_relationships')
  if (kind === 'post' && (own !== undefined || lost.size > 0)) tags.push(...listsOfPost(before, after, terms))
  if (kind === 'comment' && own !== undefined) tags.push(...listsOfComment(before, after))
  if (kind === 'term' && own !== undefined) tags.push(...listsOfTerm(before, after))
  if (kind === 'user') tags.push('users')
  const type = String((after ?? before)?.['type'] ?? '')
  return [{ kind, object, type, change, tags, before, after, meta: [...meta] }]
}

/** Table of the objects of each kind. */
const TABLES = new Map(
  (Object.keys(CAPTURED) as (keyof typeof CAPTURED)[]).flatMap((table): [string, typeof table][] => {
    const { part, kind } = CAPTURED[table]
    return part === '' ? [[kind, table]] : []
  }),
)

/**
 * Stores changes; PostgreSQL notifies other processes at the commit. @param token token of this process for the
 * notification
 */
async function number(
  connection: Connection,
  dialect: Dialect,
  token: string,
  changes: readonly NewChange[],
): Promise<Change[]> {
  const time = Date.now()
  const rows = JSON.stringify(
    changes.map(({ tags, before, after, meta, ...change }) => ({
      ...change,
      tags: JSON.stringify(tags),
      before: before && JSON.stringify(before),
      after: after && JSON.stringify(after),
      meta: JSON.stringify(meta),
    })),
  )
  const columns = ['kind', 'object', 'type', 'change', 'tags', 'before', 'after', 'meta']
  const insert = `insert into changes (time, ${columns.join(', ')})`
  if (dialect === 'sqlite') {
    const values = columns.map((column) => `value ->> '${column}'`).join(', ')
    // Numbered in the order of the list.
    const added = await connection.all(`${insert} select ?, ${values} from json_each(?) order by key returning id`, [
      time,
      rows,
    ])
    return numbered(changes, Math.min(...added.map(({ id }) => Number(id))), time)
  }
  // Rows are numbered after the lock is acquired, so no other transaction gets a number before this one commits.
  const added = await connection.first(
    `with locked as materialized (select pg_advisory_xact_lock($3)),
      added as (${insert} select $1, ${columns.join(', ')} from locked, json_to_recordset($2::json) as one(${columns
        .map((column) => `${column} text`)
        .join(', ')}) returning id)
      select min(id) as first, pg_notify('${CHANNEL}', concat_ws(' ', $4::text, min(id), max(id))) from added`,
    [time, rows, COMMIT_LOCK, token],
  )
  return numbered(changes, Number(added!['first']), time)
}

/** Adds consecutive numbers to changes. */
function numbered(changes: readonly NewChange[], first: number, time: number): Change[] {
  return changes.map((change, index) => ({ ...change, id: first + index, time }))
}

/** Completes a query that ends in the column of IDs with a list of IDs. */
function withIds(sql: string, ids: readonly number[], dialect: Dialect): [sql: string, values: [Value]] {
  // PostgreSQL plans a query of one ID once, a query of a list each time.
  if (ids.length === 1) return [`${sql} = ${dialect === 'sqlite' ? '?' : '$1'}`, [ids[0]!]]
  return dialect === 'sqlite'
    ? [`${sql} in (select value from json_each(?))`, [JSON.stringify(ids)]]
    : [`${sql} = any ($1::bigint[])`, [`{${ids.join()}}`]]
}

/** Converts a row of `changes`. */
export function changeOfRow(row: ReadRow): Change {
  const text = (name: string) => String(row[name])
  const facts = (name: string) => parse((row[name] as string | null) ?? null)
  return {
    id: Number(row['id']),
    time: Number(row['time']),
    kind: text('kind'),
    object: text('object'),
    type: text('type'),
    change: text('change') as Change['change'],
    tags: JSON.parse(text('tags')) as string[],
    before: facts('before'),
    after: facts('after'),
    meta: JSON.parse(text('meta')) as string[],
  }
}

import type { PluginContext } from '../../../kernel/index.ts'
import { sql, type SqlQuery, type Store } from '../../storage/store/index.ts'
import { errors } from './errors.ts'
import type { ExportFilter } from './types.ts'
import type { FormatNames } from './wxr/names.ts'

type Condition = ReturnType<typeof sql<boolean>>

/** The posts and terms of an export, as conditions of SQL. */
export class Selection {
  /** Whether the export has all items of the site. */
  readonly isWhole: boolean
  readonly #conditions: (table: 'posts' | 'parent') => Condition[]
  readonly #revisions: boolean

  /**
   * @param conditions of an item, for a table with this alias
   * @param revisions whether revisions of the items belong to the export
   */
  constructor(conditions: (table: 'posts' | 'parent') => Condition[], isWhole: boolean, revisions: boolean) {
    this.#conditions = conditions
    this.isWhole = isWhole
    this.#revisions = revisions
  }

  /** Whether a row of `posts` belongs to the export. Revisions belong to it with their items. */
  get posts(): Condition {
    const item = sql<boolean>`posts.type <> ${'revision'} and ${this.#all('posts')}`
    if (!this.#revisions) return sql<boolean>`(${item})`
    return sql<boolean>`((${item}) or (posts.type = ${'revision'} and exists (
      select 1 from posts as parent where parent.id = posts.parent_id and parent.type <> ${'revision'}
        and ${this.#all('parent')})))`
  }

  /** Whether a row of `terms` belongs to the export: all terms, or the terms of the selected posts with their ancestors. */
  get terms(): Condition {
    if (this.isWhole) return sql<boolean>`1 = 1`
    return sql<boolean>`terms.id in (
      with recursive used(id) as (
        select term_id from term_relationships where post_id in (select posts.id from posts where ${this.posts})
        union select above.parent_id from terms as above join used on above.id = used.id where above.parent_id <> 0
      ) select id from used)`
  }

  #all(table: 'posts' | 'parent'): Condition {
    const conditions = [sql<boolean>`${sql.ref(`${table}.status`)} <> ${'auto-draft'}`, ...this.#conditions(table)]
    return sql<boolean>`${sql.join(conditions, sql` and `)}`
  }
}

/**
 * Checks a filter and resolves its names.
 * @throws EXPORT_TYPE_UNKNOWN, EXPORT_AUTHOR_UNKNOWN, EXPORT_CATEGORY_UNKNOWN, EXPORT_DATE_INVALID
 */
export async function selectionOf(
  { services }: Pick<PluginContext, 'services'>,
  reader: Store,
  names: FormatNames,
  filter: ExportFilter = {},
  revisions = true,
): Promise<Selection> {
  const { types = [], statuses = [], authors = [], categories = [], after, before } = filter
  const typeNames = types.map((type) => names.ownType(type))
  await checkTypes(reader, typeNames, (type) => services.contentTypes?.get(type) !== undefined)
  const users = await Promise.all(
    authors.map((login) => idOf(reader, reader.db.selectFrom('users').select('id').where('login', '=', login))),
  )
  const unknown = authors.find((_login, place) => users[place] === undefined)
  if (unknown !== undefined) throw errors.EXPORT_AUTHOR_UNKNOWN(unknown)
  const terms = await Promise.all(
    categories.map((slug) => {
      const category = reader.db.selectFrom('terms').select('id').where('taxonomy', '=', 'category')
      return idOf(reader, category.where('slug', '=', slug))
    }),
  )
  const missing = categories.find((_slug, place) => terms[place] === undefined)
  if (missing !== undefined) throw errors.EXPORT_CATEGORY_UNKNOWN(missing)
  for (const date of [after, before]) if (date !== undefined) checkDate(date)

  const isWhole = [types, statuses, authors, categories].every(({ length }) => length === 0) && !after && !before
  const conditions = (table: 'posts' | 'parent'): Condition[] => {
    const column = (name: string) => sql.ref(`${table}.${name}`)
    const among = (name: string, values: readonly (string | number)[]) =>
      values.length === 0 ? [] : [sql<boolean>`${column(name)} in (${sql.join(values)})`]
    return [
      ...among('type', typeNames),
      ...among('status', statuses),
      ...among('author_id', users as number[]),
      ...(after === undefined ? [] : [sql<boolean>`${column('date')} >= ${`${after} 00:00:00`}`]),
      ...(before === undefined ? [] : [sql<boolean>`${column('date')} <= ${`${before} 23:59:59`}`]),
      ...(terms.length === 0
        ? []
        : [
            sql<boolean>`exists (select 1 from term_relationships where post_id = ${column('id')}
              and term_id in (${sql.join(terms)}))`,
          ]),
    ]
  }
  return new Selection(conditions, isWhole, revisions)
}

async function checkTypes(reader: Store, types: readonly string[], isRegistered: (type: string) => boolean) {
  const unregistered = types.filter((type) => !isRegistered(type))
  if (unregistered.length === 0) return
  const stored = await reader.all(reader.db.selectFrom('posts').select('type').distinct().orderBy('type'))
  const all = stored.map(({ type }) => type)
  const unknown = unregistered.find((type) => !all.includes(type))
  if (unknown !== undefined) throw errors.EXPORT_TYPE_UNKNOWN(unknown, all.join(', '))
}

async function idOf(reader: Store, query: SqlQuery<{ id: number }>): Promise<number | undefined> {
  return (await reader.first(query))?.id
}

function checkDate(date: string): void {
  const isDate = /^\d{4}-\d\d-\d\d$/.test(date) && !Number.isNaN(Date.parse(date))
  if (!isDate) throw errors.EXPORT_DATE_INVALID(date)
}

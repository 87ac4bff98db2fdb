import type { Expression, SqlBool } from 'kysely'
import { sql } from './kysely.ts'
import { foreignCursor, type ListCursor } from '../../resources/index.ts'
import { real } from './parameters.ts'

/** Characters of a text that `sortKey()` sorts by. */
const SORTED_LENGTH = 200

/** The columns that lists are ordered by and that hold numbers. */
const NUMBERS: ReadonlySet<string> = new Set(['id', 'author_id', 'parent_id', 'post_id', 'menu_order', 'count'])

/** One of the things that a list is ordered by, each of which decides where those before it are equal; the last is the ID. */
export interface SortColumn {
  /** The column of a row that has it. */
  readonly name: string
  /** What cursors call it, where that is another name. */
  readonly order?: string
  readonly by: Expression<unknown>
  readonly direction: 'asc' | 'desc'
  /** Whether it is a `sortKey()`, which is the beginning of the text. */
  readonly cut?: boolean
  /** What it holds, where that is no column of the row itself. */
  readonly kind?: 'number' | 'text'
}

/**
 * Whether a row comes behind a place in the order, worded so that an index of that order is read from there on.
 * @throws rest_invalid_param (400) where the cursor is of another order
 */
export function isBehind(columns: readonly SortColumn[], { order, values }: ListCursor): Expression<SqlBool> {
  const fits = columns.every((column, at) => couldBeOf(column, values[at]))
  if (order !== orderName(columns) || values.length !== columns.length || !fits) throw foreignCursor()
  const [{ direction }, last] = [columns[0]!, columns.length - 1]
  if (columns[last]!.direction === direction) return compared(columns, values, direction === 'asc' ? '>' : '<')
  // Equals go the other way. Databases look the first part up.
  const [upper, above] = [columns.slice(0, last), values.slice(0, last)]
  const [atLeast, beyond] = direction === 'asc' ? (['>=', '>'] as const) : (['<=', '<'] as const)
  const id = compared([columns[last]!], [values[last]!], direction === 'asc' ? '<' : '>')
  return sql<SqlBool>`(${compared(upper, above, atLeast)} and (${compared(upper, above, beyond)} or ${id}))`
}

/** The page of a list of which one row more was read, and where it goes on; null at its end. */
export function cursorPage<R extends object>(
  rows: readonly R[],
  size: number,
  columns: readonly SortColumn[],
): { items: R[]; next: ListCursor | null } {
  const items = rows.slice(0, size)
  const last = items.at(-1)
  if (last === undefined || rows.length <= size) return { items, next: null }
  const values = columns.map(({ name, cut = false }) => {
    const value = (last as Record<string, string | number>)[name]!
    return cut ? Array.from(String(value)).slice(0, SORTED_LENGTH).join('') : value
  })
  return { items, next: { order: orderName(columns), values } }
}

function couldBeOf({ name, kind }: SortColumn, value: string | number | undefined): boolean {
  if (kind === 'number') return typeof value === 'number'
  return NUMBERS.has(name) ? Number.isSafeInteger(value) : typeof value === 'string'
}

function orderName(columns: readonly SortColumn[]): string {
  return columns.map(({ name, order = name, direction }) => `${order} ${direction}`).join()
}

function compared(
  columns: readonly SortColumn[],
  values: readonly (string | number)[],
  operator: '<' | '>' | '<=' | '>=',
): Expression<SqlBool> {
  const row = sql.join(columns.map(({ by }) => by))
  const bound = columns.map(({ kind }, at) => (kind === 'number' ? real(values[at] as number) : values[at]))
  return columns.length === 1
    ? sql<SqlBool>`${row} ${sql.raw(operator)} ${bound[0]}`
    : sql<SqlBool>`(${row}) ${sql.raw(operator)} (${sql.join(bound)})`
}

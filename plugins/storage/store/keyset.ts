import type { Expression, SqlBool } from 'kysely'
import { sql } from './kysely.ts'
import { foreignCursor, type ListCursor } from '../../resources/index.ts'
import { real } from './parameters.ts'

/** Length of `sortKey()`, in characters. */
const SORT_KEY_CHARACTERS = 200

/** Sortable columns that hold numbers. */
const NUMBERS: ReadonlySet<string> = new Set(['id', 'author_id', 'parent_id', 'post_id', 'menu_order', 'count'])

/** A column of an order. Each decides between rows that are equal in the columns before it; the last is the ID. */
export interface SortColumn {
  /** Column of the row that holds the value. */
  readonly name: string
  /** Name in cursors, if it differs. */
  readonly order?: string
  readonly by: Expression<unknown>
  readonly direction: 'asc' | 'desc'
  /** Whether the column is a `sortKey()`, that is the beginning of the text. */
  readonly cut?: boolean
  /** Type of the value, for an expression that is not a column. */
  readonly kind?: 'number' | 'text'
}

/**
 * Returns the condition that a row comes after a cursor, in a form for which the database starts reading the index
 * there.
 * @throws rest_invalid_param (400) if the cursor belongs to another order
 */
export function isBehind(columns: readonly SortColumn[], { order, values }: ListCursor): Expression<SqlBool> {
  const fits = columns.every((column, at) => couldBeOf(column, values[at]))
  if (order !== orderName(columns) || values.length !== columns.length || !fits) throw foreignCursor()
  const [{ direction }, last] = [columns[0]!, columns.length - 1]
  if (columns[last]!.direction === direction) return compared(columns, values, direction === 'asc' ? '>' : '<')
  // The ID has the opposite direction. The first part lets the database use the index.
  const [upper, above] = [columns.slice(0, last), values.slice(0, last)]
  const [atLeast, beyond] = direction === 'asc' ? (['>=', '>'] as const) : (['<=', '<'] as const)
  const id = compared([columns[last]!], [values[last]!], direction === 'asc' ? '<' : '>')
  return sql<SqlBool>`(${compared(upper, above, atLeast)} and (${compared(upper, above, beyond)} or ${id}))`
}

/** Returns a page of a list of which one extra row was read, and the cursor of the next page; null on the last page. */
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
    return cut ? Array.from(String(value)).slice(0, SORT_KEY_CHARACTERS).join('') : value
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

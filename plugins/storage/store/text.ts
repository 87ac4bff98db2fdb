import { sql, type Expression, type RawBuilder } from 'kysely'

/** A column by name, `title` or `posts.title`, or an expression as it is. */
export function columnRef(column: string | Expression<unknown>): RawBuilder<unknown> {
  return typeof column === 'string' ? sql.ref(column) : sql`${column}`
}

/** Lets the wildcards of LIKE stand for themselves; the escape character is the backslash. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

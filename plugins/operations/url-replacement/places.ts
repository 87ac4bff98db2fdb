/** A column with texts of the site. */
interface TextColumn {
  readonly column: string
  /** Column that is 1 if the value is JSON text; true if it always is. */
  readonly json?: 'json' | true
}

/** A table with texts, in the order in which they are replaced. */
export interface TextTable {
  readonly table:
    'posts' | 'post_meta' | 'terms' | 'term_meta' | 'comments' | 'comment_meta' | 'users' | 'user_meta' | 'options'
  /** Column that identifies a row. */
  readonly key: 'id' | 'name'
  readonly columns: readonly TextColumn[]
}

const META: Pick<TextTable, 'key' | 'columns'> = { key: 'id', columns: [{ column: 'value', json: 'json' }] }

/** All columns in which URLs are replaced. */
export const TEXT_TABLES: readonly TextTable[] = [
  {
    table: 'posts',
    key: 'id',
    columns: ['title', 'content', 'excerpt', 'content_filtered', 'guid'].map((column) => ({ column })),
  },
  { table: 'post_meta', ...META },
  { table: 'terms', key: 'id', columns: [{ column: 'name' }, { column: 'description' }] },
  { table: 'term_meta', ...META },
  { table: 'comments', key: 'id', columns: [{ column: 'content' }, { column: 'author_url' }] },
  { table: 'comment_meta', ...META },
  { table: 'users', key: 'id', columns: [{ column: 'url' }] },
  { table: 'user_meta', ...META },
  { table: 'options', key: 'name', columns: [{ column: 'value', json: true }] },
]

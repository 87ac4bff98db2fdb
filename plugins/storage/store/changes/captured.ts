/** How triggers stage the changed rows of a table (`migrations/capture-changes.ts`). */
export interface Capture {
  /** Kind of the objects that the rows are, or are part of. */
  readonly kind: string
  /** Column with the ID of the object. */
  readonly object: string
  /** Part of the object that a row holds; '' for the object itself. */
  readonly part: '' | 'meta' | 'term'
  /** Column that identifies a part within its object. */
  readonly name?: string
  /** Recorded facts about an object before and after a change, as SQL of both dialects with `row.` before columns. */
  readonly facts: Readonly<Record<string, string>>
  /** Columns whose updates are staged, including `object` and `name`; all columns by default. */
  readonly columns?: readonly string[]
}

const meta = (kind: string): Capture => ({ kind, object: `${kind}_id`, part: 'meta', name: 'key', facts: {} })

/** Tables whose changes are captured row by row. Of all other tables, only the fact of a write is recorded. */
export const CAPTURED = {
  posts: {
    kind: 'post',
    object: 'id',
    part: '',
    facts: {
      type: 'row.type',
      status: 'row.status',
      slug: 'row.slug',
      author: 'row.author_id',
      parent: 'row.parent_id',
      protected: `case when row.password = '' then 0 else 1 end`,
    },
  },
  post_meta: meta('post'),
  term_relationships: {
    kind: 'post',
    object: 'post_id',
    part: 'term',
    name: 'term_id',
    facts: {},
    columns: ['post_id', 'term_id', 'position'],
  },
  terms: {
    kind: 'term',
    object: 'id',
    part: '',
    facts: { type: 'row.taxonomy', slug: 'row.slug', parent: 'row.parent_id' },
  },
  term_meta: meta('term'),
  comments: {
    kind: 'comment',
    object: 'id',
    part: '',
    facts: {
      type: 'row.type',
      status: 'row.approved',
      post: 'row.post_id',
      author: 'row.author_id',
      parent: 'row.parent_id',
    },
  },
  comment_meta: meta('comment'),
  users: { kind: 'user', object: 'id', part: '', facts: { slug: 'row.slug' } },
  user_meta: meta('user'),
  options: { kind: 'option', object: 'name', part: '', facts: {} },
  // Recorded by user: the ID of a session is a secret of its browser.
  sessions: { kind: 'session', object: 'user_id', part: '', facts: { user: 'row.user_id' } },
  application_passwords: {
    kind: 'application_password',
    object: 'user_id',
    part: '',
    facts: { user: 'row.user_id' },
    columns: ['uuid', 'user_id', 'app_id', 'name', 'hash'],
  },
} as const satisfies Readonly<Record<string, Capture>>

/** Tables of internal bookkeeping: writes to them change no response. */
export const UNTRACKED: ReadonlySet<string> = new Set([
  'attempts',
  'changes',
  'changing',
  'index_queue',
  'indexed_fields',
  'indexed_values',
  'jobs',
  'migrations',
  'pending_files',
  'plugin_migrations',
  'posts_text',
  'posts_text_queue',
  'sqlite_schema',
  'sqlite_stat1',
  'webhook_cursor',
  'webhook_deliveries',
  'webhooks',
])

/** How the rows of a table are captured when they change: triggers stage them (`migrations/capture-changes.ts`). */
export interface Capture {
  /** What the rows are, or are part of. */
  readonly kind: string
  /** The column that names the object. */
  readonly object: string
  /** What of an object the rows are; '' for the object itself. */
  readonly part: '' | 'meta' | 'term'
  /** The column that tells one part of an object from others. */
  readonly name?: string
  /** What is told of an object as it was and as it is, as SQL of both dialects with `row.` before columns. */
  readonly facts: Readonly<Record<string, string>>
  /** The columns that count where a row is updated; all where this is left out. Those that name it are among them. */
  readonly columns?: readonly string[]
}

const meta = (kind: string): Capture => ({ kind, object: `${kind}_id`, part: 'meta', name: 'key', facts: {} })

/** Tables whose changes are captured row by row, by name. Of every other it is known whether it was written. */
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
  // Told by user: what tells one session from another is a secret of its browser.
  sessions: { kind: 'session', object: 'user_id', part: '', facts: { user: 'row.user_id' } },
  application_passwords: {
    kind: 'application_password',
    object: 'user_id',
    part: '',
    facts: { user: 'row.user_id' },
    columns: ['uuid', 'user_id', 'app_id', 'name', 'hash'],
  },
} as const satisfies Readonly<Record<string, Capture>>

/** Tables of the store's own housekeeping: what is written there changes nothing that is shown. */
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

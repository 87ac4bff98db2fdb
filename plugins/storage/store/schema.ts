import type { ColumnType, Generated, Insertable, Selectable, Updateable } from 'kysely'

/**
 * Types of the tables, which are the same in both dialects; `migrations/` creates them. Every column is text or
 * integer; integers have 64 bits and are returned as JavaScript numbers. A missing text is `''` and a missing reference
 * is `0`, never NULL, unless the type says `| null`. A date is text in the form `YYYY-MM-DD HH:MM:SS`, so that texts
 * sort like dates; a missing date is `''`.
 *
 * Names that readers see (users.login, users.name, users.email, posts.title, terms.name) sort and compare without
 * regard to case, so a plain `orderBy('name')` or `where('login', '=', …)` gives the order that a reader expects
 * (SQLite ignores the case of a-z only). All other texts sort and compare byte by byte. Substrings: `store.contains()`.
 *
 * A text can have any length unless an index covers the whole text, which PostgreSQL limits: slugs, names of terms,
 * logins, email addresses, types, statuses, taxonomies, keys of meta and names of options have about 200 characters at
 * most, and the code that writes them checks it. `store.sortKey()` orders lists by title or by the name of a user.
 *
 * Columns of the type `Generated` can be omitted in an insert: the database numbers `id`, other columns get the default
 * in their comment (`''` or `0` if it names none). A row inserted with an `id` keeps it.
 */
export interface Database {
  users: UsersTable
  user_meta: MetaTable<'user_id'>
  posts: PostsTable
  post_meta: MetaTable<'post_id'>
  terms: TermsTable
  term_meta: MetaTable<'term_id'>
  term_relationships: TermRelationshipsTable
  comments: CommentsTable
  comment_meta: MetaTable<'comment_id'>
  options: OptionsTable
  sessions: SessionsTable
  application_passwords: ApplicationPasswordsTable
  attempts: AttemptsTable
  pending_files: PendingFilesTable
  changes: ChangesTable
  indexed_fields: IndexedFieldsTable
  index_queue: IndexQueueTable
  indexed_values: IndexedValuesTable
  plugin_migrations: PluginMigrationsTable
  jobs: JobsTable
  webhooks: WebhooksTable
  webhook_deliveries: WebhookDeliveriesTable
  webhook_cursor: WebhookCursorTable
}

/** User accounts. */
export interface UsersTable {
  id: Generated<number>
  /** Unique, regardless of case. */
  login: string
  /** Unique; part of URLs. */
  slug: string
  /** Display name. */
  name: Generated<string>
  email: Generated<string>
  url: Generated<string>
  /** Encoded hash with its algorithm and parameters; `''` matches no password. */
  password_hash: Generated<string>
  /** UTC. */
  registered: Generated<string>
  status: Generated<number>
}

/**
 * Meta of one owner: `user_id`, `post_id`, `term_id` or `comment_id`; its rows are deleted with the owner. A key can
 * occur more than once; the values keep the order of their IDs.
 */
export type MetaTable<Owner extends string> = {
  id: Generated<number>
  key: string
  /** A scalar as plain text, a list or an object as JSON text. */
  value: Generated<string>
  /** 1 if `value` is JSON text, 0 if it is plain. */
  json: Generated<number>
} & Record<Owner, number>

/** Content of every type: posts, pages, attachments, revisions, menu items. */
export interface PostsTable {
  id: Generated<number>
  /** Default `post`. */
  type: Generated<string>
  /** Default `draft`. */
  status: Generated<string>
  slug: Generated<string>
  title: Generated<string>
  content: Generated<string>
  excerpt: Generated<string>
  /** Password of a protected post, or `''`. */
  password: Generated<string>
  /** 0 for none; not a foreign key. */
  author_id: Generated<number>
  parent_id: Generated<number>
  menu_order: Generated<number>
  /** In the site's time zone. */
  date: Generated<string>
  date_gmt: Generated<string>
  /** In the site's time zone. */
  modified: Generated<string>
  modified_gmt: Generated<string>
  /** `open` or `closed`; default `open`. The same holds for `ping_status`. */
  comment_status: Generated<string>
  ping_status: Generated<string>
  comment_count: Generated<number>
  guid: Generated<string>
  mime_type: Generated<string>
  content_filtered: Generated<string>
}

/** Terms of every taxonomy. */
export interface TermsTable {
  id: Generated<number>
  taxonomy: string
  name: string
  /** Unique within its taxonomy. */
  slug: string
  description: Generated<string>
  parent_id: Generated<number>
  /** Number of posts that count for the term; updated by the code that assigns terms. */
  count: Generated<number>
}

/** The terms of each post. A row is deleted with its post and with its term. */
export interface TermRelationshipsTable {
  post_id: number
  term_id: number
  position: Generated<number>
  /** Type of the post. Triggers maintain the three columns; bulk inserts set all of them, which is faster. */
  post_type: Generated<string>
  post_status: Generated<string>
  post_date: Generated<string>
}

/** Comments and other responses to a post, such as pingbacks. */
export interface CommentsTable {
  id: Generated<number>
  post_id: Generated<number>
  /** Comment that this one replies to; 0 for none. */
  parent_id: Generated<number>
  /** Account of the author; 0 for none. */
  author_id: Generated<number>
  author_name: Generated<string>
  author_email: Generated<string>
  author_url: Generated<string>
  author_ip: Generated<string>
  author_agent: Generated<string>
  /** In the site's time zone. */
  date: Generated<string>
  date_gmt: Generated<string>
  content: Generated<string>
  /** `1` approved, `0` held, `spam` or `trash`; default `1`. */
  approved: Generated<string>
  /** Default `comment`; `pingback` and others. */
  type: Generated<string>
  karma: Generated<number>
}

/** Settings of the site. */
export interface OptionsTable {
  name: string
  /** JSON text. */
  value: string
}

/** Logged-in browsers; times in Unix seconds. A row is deleted with its user. */
export interface SessionsTable {
  /** Hash of the token; the token itself is not stored. */
  id: string
  user_id: number
  expires: number
  created: number
  ip: Generated<string>
  agent: Generated<string>
  /** When the user last entered their password in this session; 0 if unknown. */
  confirmed: Generated<number>
}

/** Passwords for programs; times in Unix seconds. A row is deleted with its user. */
export interface ApplicationPasswordsTable {
  id: Generated<number>
  /** Unique. */
  uuid: string
  user_id: number
  app_id: Generated<string>
  name: string
  /** Indexed: passwords are looked up by it. */
  hash: string
  created: number
  /** null until its first use, like `last_ip`. */
  last_used: ColumnType<number | null, number | null | undefined, number | null>
  last_ip: ColumnType<string | null, string | null | undefined, string | null>
  /** JSON list of names. */
  scopes: Generated<string>
}

/** Recent failed attempts, by the key of a limit. */
export interface AttemptsTable {
  /** Hash of the account, of the IP address or of both. */
  key: string
  /** When the attempts expire, in Unix milliseconds. */
  until: number
  /** Number of attempts. */
  points: Generated<number>
}

/** Files in the uploads folder with pending work; they are not served. */
export interface PendingFilesTable {
  /** Path below the uploads folder: `2025/01/photo.jpg`; for an import the folder with its downloaded files. */
  file: string
  /** `keep` for an upload about to be stored, `remove` for a file to be deleted, `place` for files of an import. */
  task: string
  /** Process that does the work. */
  owner: string
  /** Unix milliseconds. */
  since: number
}

/** Changes in the order of commits; `changes/change.ts` documents the columns. */
export interface ChangesTable {
  id: Generated<number>
  /** Unix milliseconds. */
  time: number
  kind: string
  object: string
  type: string
  change: string
  /** JSON text, like `before`, `after` and `meta`. */
  tags: string
  before: string | null
  after: string | null
  meta: Generated<string>
}

/** Fields by which lists are filtered and sorted. */
export interface IndexedFieldsTable {
  id: Generated<number>
  /** `post`, `term`, `comment` or `user`. */
  kind: string
  /** Meta key; '' for a field computed from the whole object. */
  key: string
  /** Name of the field; '' for meta. */
  name: string
  /** Content type, taxonomy or comment type that has the field; '' for all. */
  subtype: string
  /** Fingerprint of how its values are computed. */
  definition: string
}

/** Objects whose values may have changed; filled by triggers. */
export interface IndexQueueTable {
  id: Generated<number>
  field: number
  object: number
}

/** Values of `indexed_fields`. Triggers delete them with their object and update type, status and date. */
export interface IndexedValuesTable {
  field: number
  /** ID of the object. */
  object: number
  /** 0 for the first value. */
  position: number
  /** Floating point, of any size: bind it with `real()`. */
  number: number | null
  text: string | null
  /**
   * Type, status and date of a post or a comment (`date_gmt`), for the limits of its lists; `type` is the taxonomy of a
   * term.
   */
  type: Generated<string>
  status: Generated<string>
  date: Generated<string>
}

/** Migrations of plugins that have run. */
export interface PluginMigrationsTable {
  plugin: string
  /** Counted from 0 per plugin. */
  position: number
  name: string
  /** Hash of its SQL, to detect later edits. */
  hash: string
  /** ISO text. */
  applied: string
}

/** Jobs; times in Unix milliseconds. Finished jobs are deleted. */
export interface JobsTable {
  id: Generated<number>
  /** Name of the handler. */
  name: string
  /** Unique per name, unless it is `''`. */
  key: Generated<string>
  /** Plugin of the handler. */
  plugin: string
  /** `waiting`, `running`, or `dead` after every attempt has failed. Default `waiting`. */
  state: Generated<string>
  /** Time of the next attempt. */
  due: number
  /** JSON text. */
  payload: string
  /** Repetition with its time zone; `''` for a single job. */
  schedule: Generated<string>
  /** Number of attempts so far. */
  attempts: Generated<number>
  /** Error of the last attempt. */
  error: Generated<string>
  /** Token of the current run. */
  owner: Generated<string>
  /** Counter that the running process increments while it is alive. */
  beat: Generated<number>
  /** 1 if the run is to stop. */
  cancelled: Generated<number>
  /** Next start after the running attempt, if the same key was added again during it; else null. */
  again_due: ColumnType<number | null, never, number | null>
  again_payload: ColumnType<string | null, never, string | null>
  created: number
}

/** Subscribers to changes; times in Unix milliseconds, 0 for none. */
export interface WebhooksTable {
  id: Generated<number>
  /** `config` or `site`: where the webhook was created. */
  source: string
  /** Unique among webhooks of the config. */
  name: string
  url: string
  /** JSON text, like `types` and `secrets`: kinds of changes to send; `[]` for all. */
  kinds: Generated<string>
  types: Generated<string>
  unpublished: Generated<number>
  /** Default 1. */
  enabled: Generated<number>
  /** Reason why it is disabled. */
  reason: Generated<string>
  /** Newest first, each with the time until which it signs; `[]` if the config contains them. */
  secrets: Generated<string>
  /** Number of the last change that is not sent to it; later changes are. */
  since: Generated<number>
  /** Nothing is sent before this time. */
  paused_until: Generated<number>
  /** Time of the first failure since the last success. */
  failing_since: Generated<number>
  created: number
}

/**
 * Deliveries of webhooks, one row per webhook and change; times in Unix milliseconds. A row is deleted with its
 * webhook.
 */
export interface WebhookDeliveriesTable {
  id: Generated<number>
  /** ID of the message for the receiver. */
  message: string
  webhook: number
  /** Number of the change; 0 for none. */
  change_id: number
  type: string
  /** Object of the change, by kind and name: deliveries about one subject are sent one after the other. */
  subject: string
  /** The request body. */
  payload: string
  /**
   * `queued` behind another delivery about its subject, `waiting` until `due`, `done`, or `dead` after every attempt
   * has failed.
   */
  state: string
  attempts: Generated<number>
  due: number
  /** HTTP status of the last response; 0 for none. */
  status: Generated<number>
  /** Error of the last attempt. */
  error: Generated<string>
  created: number
  /** 0 until it is `done` or `dead`. */
  finished: Generated<number>
}

/** One row while there are webhooks: the last change that deliveries were created for. */
export interface WebhookCursorTable {
  id: number
  change_id: number
}

/** A row as it is read. */
export type Row<Table extends keyof Database> = Selectable<Database[Table]>
/** A row for an insert: columns with a default can be omitted. */
export type NewRow<Table extends keyof Database> = Insertable<Database[Table]>
/** The columns that an update sets. */
export type RowChange<Table extends keyof Database> = Updateable<Database[Table]>

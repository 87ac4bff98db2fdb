import type { ColumnType, Generated, Insertable, Selectable, Updateable } from 'kysely'

/**
 * Types of the tables, which are the same in both dialects; `migrations/` creates them. Every column is text or integer;
 * integers have 64 bits and are returned as JavaScript numbers. A missing text is `''` and a missing reference is `0`,
 * never NULL, unless the type says `| null`. A date is text in the form `YYYY-MM-DD HH:MM:SS`, so the order of texts is
 * the order of dates; a missing date is `''`.
 *
 * Names that readers see (users.login, users.name, users.email, posts.title, terms.name) sort and compare without regard
 * to case, so a plain `orderBy('name')` or `where('login', '=', …)` gives the order that a reader expects (SQLite ignores
 * the case of a-z only). Every other text sorts and compares byte by byte. Substrings: `store.contains()`.
 *
 * A text may have any length unless an index holds the whole text, which PostgreSQL limits: slugs, names of terms, logins,
 * email addresses, types, statuses, taxonomies, keys of meta and names of options have about 200 characters at most, and
 * the code that writes them checks it. `store.sortKey()` orders lists by title or by the name of a user.
 *
 * A column of type `Generated` may be left out of an insert: `id` is then numbered by the database, any other gets the
 * default that its comment names (`''` or `0` where there is none). A row inserted with an `id` keeps it.
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

/** Users: who has an account. */
export interface UsersTable {
  id: Generated<number>
  /** Unique, whatever the case of its letters. */
  login: string
  /** Unique; stands in URLs. */
  slug: string
  /** Display name. */
  name: Generated<string>
  email: Generated<string>
  url: Generated<string>
  /** Encoded hash with its algorithm and parameters; `''` admits no password. */
  password_hash: Generated<string>
  /** UTC. */
  registered: Generated<string>
  status: Generated<number>
}

/**
 * Meta of one owner: `user_id`, `post_id`, `term_id` or `comment_id`, whose rows go with it. A key may occur
 * more than once; the values keep the order of their ids.
 */
export type MetaTable<Owner extends string> = {
  id: Generated<number>
  key: string
  /** A scalar as plain text, a list or an object as JSON text. */
  value: Generated<string>
  /** 1 where `value` is JSON text, 0 where it is plain. */
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
  /** The password of a protected post; `''` where there is none. */
  password: Generated<string>
  /** 0 for none; no foreign key. */
  author_id: Generated<number>
  parent_id: Generated<number>
  menu_order: Generated<number>
  /** In the site's time zone. */
  date: Generated<string>
  date_gmt: Generated<string>
  /** In the site's time zone. */
  modified: Generated<string>
  modified_gmt: Generated<string>
  /** `open` or `closed`; default `open`; so is `ping_status`. */
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
  /** How many posts count for the term; kept by who assigns terms. */
  count: Generated<number>
}

/** Which post has which term. A row goes with its post and with its term. */
export interface TermRelationshipsTable {
  post_id: number
  term_id: number
  position: Generated<number>
  /** Type of the post. The three are kept by the database; whoever adds many gives all of them, to be faster. */
  post_type: Generated<string>
  post_status: Generated<string>
  post_date: Generated<string>
}

/** Comments and what else users or sites say under a post. */
export interface CommentsTable {
  id: Generated<number>
  post_id: Generated<number>
  /** The comment that this is a reply to; 0 for none. */
  parent_id: Generated<number>
  /** The account of who wrote it; 0 for none. */
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

/** Logged-in browsers; times in Unix seconds. A row goes with its user. */
export interface SessionsTable {
  /** Hash of the token; the token itself is kept nowhere. */
  id: string
  user_id: number
  expires: number
  created: number
  ip: Generated<string>
  agent: Generated<string>
  /** When the user last entered their password in it; 0 if that is unknown. */
  confirmed: Generated<number>
}

/** Passwords for programs; times in Unix seconds. A row goes with its user. */
export interface ApplicationPasswordsTable {
  id: Generated<number>
  /** Unique. */
  uuid: string
  user_id: number
  app_id: Generated<string>
  name: string
  /** Indexed: a password is found by it. */
  hash: string
  created: number
  /** null until its first use, as is `last_ip`. */
  last_used: ColumnType<number | null, number | null | undefined, number | null>
  last_ip: ColumnType<string | null, string | null | undefined, string | null>
  /** JSON list of names. */
  scopes: Generated<string>
}

/** Recent failed attempts under each key of a limit. */
export interface AttemptsTable {
  /** What the limit is about: the hash of an account, of an IP address, of both. */
  key: string
  /** When all of them will be forgotten, in Unix milliseconds. */
  until: number
  /** How many there were. */
  points: Generated<number>
}

/** Files of the uploads folder with which something is still to be done; nobody is sent them. */
export interface PendingFilesTable {
  /** Below the uploads folder: `2025/01/photo.jpg`; of an import the name of the folder in which its files wait. */
  file: string
  /** `keep` where an upload is about to be stored, `remove` what is to go, `place` what an import has brought. */
  task: string
  /** The process that is at it. */
  owner: string
  /** Unix milliseconds. */
  since: number
}

/** What has changed, in the order of commits; `changes/change.ts` says more of each. */
export interface ChangesTable {
  id: Generated<number>
  /** Unix milliseconds. */
  time: number
  kind: string
  object: string
  type: string
  change: string
  /** JSON text, as are `before`, `after` and `meta`. */
  tags: string
  before: string | null
  after: string | null
  meta: Generated<string>
}

/** Fields that lists are filtered and ordered by. */
export interface IndexedFieldsTable {
  id: Generated<number>
  /** `post`, `term`, `comment` or `user`. */
  kind: string
  /** Key of the meta; '' for a field that is made of the whole object. */
  key: string
  /** Name of the field; '' for meta. */
  name: string
  /** The content type, taxonomy or comment type that has it; '' for all. */
  subtype: string
  /** What its values are made by, as text. */
  definition: string
}

/** Objects of which a value may have changed; triggers fill it. */
export interface IndexQueueTable {
  id: Generated<number>
  field: number
  object: number
}

/** The values of `indexed_fields`. Triggers remove them with their object, and keep type, status and date. */
export interface IndexedValuesTable {
  field: number
  /** ID of the object. */
  object: number
  /** 0 for its first value. */
  position: number
  /** Fractional, and of any size: to be bound by `real()`. */
  number: number | null
  text: string | null
  /** Type, status and date of the object, as its lists know them: of a post, of a comment (`date_gmt`); the taxonomy of a term. */
  type: Generated<string>
  status: Generated<string>
  date: Generated<string>
}

/** Migrations of plugins that have run. */
export interface PluginMigrationsTable {
  plugin: string
  /** From 0 on, among those of the plugin. */
  position: number
  name: string
  /** Of its SQL: whether somebody has changed it since. */
  hash: string
  /** ISO text. */
  applied: string
}

/** What is to be done later; times in Unix milliseconds. What is done has no row. */
export interface JobsTable {
  id: Generated<number>
  /** Of the handler. */
  name: string
  /** Unique among those of one name, unless it is `''`. */
  key: Generated<string>
  /** Whose handler it is. */
  plugin: string
  /** `waiting`, `running`, or `dead` once every attempt has failed. Default `waiting`. */
  state: Generated<string>
  /** When it is to begin. */
  due: number
  /** JSON text. */
  payload: string
  /** When it comes again, with its time zone; `''` for what is done once. */
  schedule: Generated<string>
  /** How many have begun. */
  attempts: Generated<number>
  /** Why the last attempt failed. */
  error: Generated<string>
  /** Who runs it: another value for each run. */
  owner: Generated<string>
  /** A number that grows as long as who runs it lives. */
  beat: Generated<number>
  /** 1 where who runs it is to stop. */
  cancelled: Generated<number>
  /** When it is to begin again once it has ended, for what was added under its key meanwhile; else null. */
  again_due: ColumnType<number | null, never, number | null>
  again_payload: ColumnType<string | null, never, string | null>
  created: number
}

/** Who is told of changes; times in Unix milliseconds, 0 for none. */
export interface WebhooksTable {
  id: Generated<number>
  /** `config` or `site`: where it was made. */
  source: string
  /** Unique among those of the config. */
  name: string
  url: string
  /** JSON text, as are `types` and `secrets`: the kinds of changes that it is told of; `[]` for all. */
  kinds: Generated<string>
  types: Generated<string>
  unpublished: Generated<number>
  /** Default 1. */
  enabled: Generated<number>
  /** Why it is disabled. */
  reason: Generated<string>
  /** The newest first, each with the moment until which it signs; `[]` where the config holds them. */
  secrets: Generated<string>
  /** Number of the last change that it is not told of. */
  since: Generated<number>
  /** Nothing is sent before. */
  paused_until: Generated<number>
  /** When the first of the attempts failed of which none has succeeded since. */
  failing_since: Generated<number>
  created: number
}

/** What webhooks are told, one row for each webhook and change; times in Unix milliseconds. A row goes with its webhook. */
export interface WebhookDeliveriesTable {
  id: Generated<number>
  /** What the receiver knows it by. */
  message: string
  webhook: number
  /** Number of the change; 0 for none. */
  change_id: number
  type: string
  /** What is told of, by kind and name: deliveries of one subject are sent one after the other. */
  subject: string
  /** The body as it is sent. */
  payload: string
  /** `queued` behind another one of its subject, `waiting` for its time, `done`, or `dead` once every attempt has failed. */
  state: string
  attempts: Generated<number>
  due: number
  /** HTTP status of the last answer; 0 for none. */
  status: Generated<number>
  /** Why the last attempt failed. */
  error: Generated<string>
  created: number
  /** 0 until it is `done` or `dead`. */
  finished: Generated<number>
}

/** One row, as long as there is a webhook to tell: the last change of which deliveries were made. */
export interface WebhookCursorTable {
  id: number
  change_id: number
}

/** One row as it is read. */
export type Row<Table extends keyof Database> = Selectable<Database[Table]>
/** One row as it is inserted: columns with a default may be left out. */
export type NewRow<Table extends keyof Database> = Insertable<Database[Table]>
/** The columns an update sets. */
export type RowChange<Table extends keyof Database> = Updateable<Database[Table]>

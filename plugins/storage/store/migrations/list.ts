import type { Connection, Dialect } from '../backend.ts'
import { captureChanges } from './capture-changes.ts'
import { createTables } from './first-schema.ts'
import { defineFields, indexFields } from './index-fields.ts'
import { describeIndexes } from './planner-statistics.ts'
import { shareSlugs } from './share-slugs.ts'
import { stageChanges } from './stage-changes.ts'

/**
 * The migrations, in the order of versions: the first entry creates version 1. Entries are never changed or removed.
 * Each runs in a separate transaction.
 */
export const migrations: readonly ((connection: Connection, dialect: Dialect) => Promise<void>)[] = [
  createTables,
  limitAttempts,
  orderComments,
  indexMedia,
  indexBeginnings,
  orderContentOfTerms,
  indexPostsAhead,
  rememberFiles,
  removeOrphans,
  captureChanges,
  indexBriefTexts,
  indexRevisedPosts,
  reduceTextStatistics,
  stageChanges,
  rememberMigrations,
  keepJobs,
  indexFields,
  defineFields,
  indexChangesOfPosts,
  keepWebhooks,
  limitAccountChanges,
  countAttempts,
  removeWordFromMetaKeys,
  shareSlugs,
]

/** Migrations that rebuild a table of SQLite. Foreign keys are off, so that its rows keep the rows that refer to them. */
export const rebuilding: ReadonlySet<unknown> = new Set([shareSlugs])

async function limitAttempts(connection: Connection, dialect: Dialect): Promise<void> {
  const sqlite = dialect === 'sqlite'
  await connection.exec(`
    create table attempts (
      key ${sqlite ? 'text not null' : 'text collate "C" not null'} primary key,
      until ${sqlite ? 'integer' : 'bigint'} not null
    ) ${sqlite ? 'without rowid' : ''};
    create index attempts_by_end on attempts (until);
    create index application_passwords_by_hash on application_passwords (hash);`)
}

/** Indexes files of one kind, the part of the MIME type before the slash, newest first. */
async function indexMedia(connection: Connection, dialect: Dialect): Promise<void> {
  const kind =
    dialect === 'sqlite' ? `substr(mime_type, 1, instr(mime_type, '/') - 1)` : `split_part(mime_type, '/', 1)`
  await connection.exec(
    `create index posts_by_media on posts (type, status, (${kind}), date, id) where mime_type <> ''`,
  )
  const facts = { posts_by_media: '200000 100000 90000 20000 2 1' }
  if (dialect === 'sqlite') await describeIndexes(connection, 'posts', facts)
}

/**
 * Allows titles and names of users of any length: PostgreSQL limits index entries to 2.7 kB, so the index covers their
 * beginning, with the expression of `sortKey()`. The same on SQLite, so that lists have one order everywhere.
 */
async function indexBeginnings(connection: Connection, dialect: Dialect): Promise<void> {
  const beginning = (column: string) =>
    dialect === 'sqlite' ? `substr(${column}, 1, 200) collate nocase` : `left(${column}, 200)`
  await connection.exec(`
    drop index posts_by_title;
    create index posts_by_title on posts (type, status, ${beginning('title')}, id);
    drop index users_by_name;
    create index users_by_name on users (${beginning('name')}, id)`)
  if (dialect === 'postgres') return
  // Dropping the indexes has deleted their planner statistics.
  await describeIndexes(connection, 'posts', { posts_by_title: '1000000 200000 100000 2 1' })
  await describeIndexes(connection, 'users', { users_by_name: '100000 2 1' })
}

/**
 * Turns lists of a term into index ranges: triggers copy the columns that lists use from a post to its relationships.
 * Bulk inserts can set these columns themselves, which saves reading the post.
 */
async function orderContentOfTerms(connection: Connection, dialect: Dialect): Promise<void> {
  const text = `text ${dialect === 'sqlite' ? '' : 'collate "C"'} not null default ''`
  await connection.exec(`
    alter table term_relationships add column post_type ${text};
    alter table term_relationships add column post_status ${text};
    alter table term_relationships add column post_date ${text};
    drop index term_relationships_of_term;
    update term_relationships set post_type = posts.type, post_status = posts.status, post_date = posts.date
      from posts where posts.id = term_relationships.post_id;
    create index term_relationships_of_term
      on term_relationships (term_id, post_type, post_status, post_date, post_id);`)
  if (dialect === 'postgres') return keepContentOfTermsInPostgres(connection)
  await connection.exec(`
    create trigger term_relationships_insert after insert on term_relationships when new.post_type = '' begin
      update term_relationships set post_type = posts.type, post_status = posts.status, post_date = posts.date
        from posts where posts.id = new.post_id and post_id = new.post_id and term_id = new.term_id;
    end;
    create trigger posts_relisted after update of type, status, date on posts
      when new.type <> old.type or new.status <> old.status or new.date <> old.date begin
      update term_relationships set post_type = new.type, post_status = new.status, post_date = new.date
        where post_id = new.id;
    end;`)
  await describeIndexes(connection, 'term_relationships', {
    term_relationships_of_term: '2000000 2000 2000 1900 2 1',
  })
}

/**
 * Locks the post, so that concurrent changes of it and of its relationships wait for each other and the copies stay
 * correct.
 */
async function keepContentOfTermsInPostgres(connection: Connection): Promise<void> {
  await connection.exec(`
    create function carry_post() returns trigger language plpgsql as $$
    begin
      select type, status, date into new.post_type, new.post_status, new.post_date
        from posts where id = new.post_id for share;
      if not found then raise foreign_key_violation using message = 'There is no such post.'; end if;
      return new;
    end $$;
    create trigger term_relationships_insert before insert on term_relationships
      for each row when (new.post_type = '') execute function carry_post();
    create function relist_post() returns trigger language plpgsql as $$
    begin
      update term_relationships set post_type = new.type, post_status = new.status, post_date = new.date
        where post_id = new.id;
      return null;
    end $$;
    create trigger posts_relisted after update of type, status, date on posts
      for each row when ((old.type, old.status, old.date) is distinct from (new.type, new.status, new.date))
      execute function relist_post();`)
}

/** Indexes posts that were modified before their date: scheduled posts, or posts of an import. */
async function indexPostsAhead(connection: Connection, dialect: Dialect): Promise<void> {
  await connection.exec('create index posts_ahead on posts (type, status, date, id) where modified < date')
  if (dialect === 'sqlite') await describeIndexes(connection, 'posts', { posts_ahead: '10000 2000 1000 2 1' })
}

async function rememberFiles(connection: Connection, dialect: Dialect): Promise<void> {
  const sqlite = dialect === 'sqlite'
  const text = sqlite ? 'text not null' : 'text collate "C" not null'
  await connection.exec(`
    create table pending_files (
      file ${text} primary key,
      task ${text},
      owner ${text},
      since ${sqlite ? 'integer' : 'bigint'} not null
    ) ${sqlite ? 'without rowid' : ''}`)
}

/**
 * Deletes references to objects that were deleted concurrently on PostgreSQL. Writers now take turns, which prevents
 * them.
 */
async function removeOrphans(connection: Connection): Promise<void> {
  await connection.exec(`
    delete from comments where not exists (select 1 from posts where posts.id = comments.post_id);
    update comments set parent_id = 0 where parent_id <> 0
      and not exists (select 1 from comments as above where above.id = comments.parent_id);
    update comments set author_id = 0 where author_id <> 0
      and not exists (select 1 from users where users.id = comments.author_id);
    delete from posts where type = 'revision'
      and not exists (select 1 from posts as above where above.id = posts.parent_id);
    delete from post_meta where key = '_thumbnail_id'
      and not exists (select 1 from posts where cast(posts.id as text) = post_meta.value)`)
}

/** Indexes orders of comments of one type, and the number of comments of each post. */
async function orderComments(connection: Connection, dialect: Dialect): Promise<void> {
  await connection.exec(`
    create index comments_by_id on comments (approved, type, id);
    create index comments_by_post on comments (approved, type, post_id, id);
    create index comments_by_parent on comments (approved, type, parent_id, id);`)
  const facts = {
    comments_by_id: '1000000 250000 200000 1',
    comments_by_post: '1000000 250000 200000 15 1',
    comments_by_parent: '1000000 250000 200000 8 1',
  }
  if (dialect === 'sqlite') await describeIndexes(connection, 'comments', facts)
}

/**
 * Indexes titles and excerpts for the order by relevance: the index of all texts does not store in which column a text
 * is. PostgreSQL has an index per column.
 */
async function indexBriefTexts(connection: Connection, dialect: Dialect): Promise<void> {
  if (dialect === 'postgres') return
  await connection.exec(`
    create virtual table posts_brief using fts5 (
      title, excerpt, content = '', contentless_delete = 1, tokenize = 'trigram', detail = column
    );
    insert into posts_brief (rowid, title, excerpt) select id, title, excerpt from posts`)
}

/** Indexes posts that were modified after their date, by month: a search by modification date then reads few months. */
async function indexRevisedPosts(connection: Connection, dialect: Dialect): Promise<void> {
  await connection.exec(`
    create index posts_revised on posts (type, status, substr(date, 1, 7), modified, date, id) where modified > date`)
  if (dialect === 'sqlite')
    await describeIndexes(connection, 'posts', { posts_revised: '500000 100000 80000 500 2 2 1' })
}

/**
 * Reduces the statistics of texts: PostgreSQL's planner compares a search with each sampled text of a column, a hundred
 * by default, before it searches. Twenty are enough to distinguish frequent words from rare ones.
 */
async function reduceTextStatistics(connection: Connection, dialect: Dialect): Promise<void> {
  if (dialect === 'sqlite') return
  const columns = ['title', 'excerpt', 'content']
  await connection.exec(`alter table posts ${columns.map((name) => `alter ${name} set statistics 20`).join()}`)
}

/** Records the migrations of plugins that have run. */
async function rememberMigrations(connection: Connection, dialect: Dialect): Promise<void> {
  const text = dialect === 'sqlite' ? 'text not null' : 'text collate "C" not null'
  await connection.exec(`
    create table plugin_migrations (
      plugin ${text},
      position integer not null,
      name ${text},
      hash ${text},
      applied ${text},
      primary key (plugin, position)
    )`)
}

async function keepJobs(connection: Connection, dialect: Dialect): Promise<void> {
  const sqlite = dialect === 'sqlite'
  const text = sqlite ? 'text not null' : 'text collate "C" not null'
  const integer = sqlite ? 'integer' : 'bigint'
  await connection.exec(`
    create table jobs (
      id ${sqlite ? 'integer primary key autoincrement' : 'bigint generated by default as identity primary key'},
      name ${text},
      key ${text} default '',
      plugin ${text},
      state ${text} default 'waiting',
      due ${integer} not null,
      payload ${text},
      schedule ${text} default '',
      attempts integer not null default 0,
      error ${text} default '',
      owner ${text} default '',
      beat ${integer} not null default 0,
      cancelled integer not null default 0,
      again_due ${integer},
      again_payload ${text.replace(' not null', '')},
      created ${integer} not null
    );
    create unique index jobs_by_key on jobs (name, key) where key <> '';
    create index jobs_by_due on jobs (state, due, id);`)
}

/** Indexes the changes of posts and of everything, to look up a post at an earlier change. */
async function indexChangesOfPosts(connection: Connection): Promise<void> {
  await connection.exec(`
    create index changes_of_posts on changes (object, id) where kind = 'post';
    create index changes_of_all on changes (id) where kind = 'all'`)
}

/** Creates the tables of webhooks, their deliveries, and the last change that deliveries were created for. */
async function keepWebhooks(connection: Connection, dialect: Dialect): Promise<void> {
  const sqlite = dialect === 'sqlite'
  const text = sqlite ? 'text not null' : 'text collate "C" not null'
  const integer = `${sqlite ? 'integer' : 'bigint'} not null`
  const id = sqlite ? 'integer primary key autoincrement' : 'bigint generated by default as identity primary key'
  await connection.exec(`
    create table webhooks (
      id ${id},
      source ${text},
      name ${text},
      url ${text},
      kinds ${text} default '[]',
      types ${text} default '[]',
      unpublished integer not null default 0,
      enabled integer not null default 1,
      reason ${text} default '',
      secrets ${text} default '[]',
      since ${integer} default 0,
      paused_until ${integer} default 0,
      failing_since ${integer} default 0,
      created ${integer}
    );
    create unique index webhooks_of_config on webhooks (name) where source = 'config';
    create table webhook_deliveries (
      id ${id},
      message ${text},
      webhook ${integer} references webhooks (id) on delete cascade,
      change_id ${integer},
      type ${text},
      subject ${text},
      payload ${text},
      state ${text},
      attempts integer not null default 0,
      due ${integer},
      status integer not null default 0,
      error ${text} default '',
      created ${integer},
      finished ${integer} default 0
    );
    create index webhook_deliveries_due on webhook_deliveries (webhook, due, id) where state = 'waiting';
    create index webhook_deliveries_open on webhook_deliveries (webhook, subject, id)
      where state in ('queued', 'waiting');
    create index webhook_deliveries_listed on webhook_deliveries (webhook, state, id);
    create index webhook_deliveries_finished on webhook_deliveries (finished) where finished > 0;
    create table webhook_cursor (
      id integer primary key,
      change_id ${integer}
    )`)
}

/**
 * Adds scopes to application passwords and the time of the last password entry to sessions. Existing application
 * passwords get no scope, and existing sessions must confirm.
 */
async function limitAccountChanges(connection: Connection, dialect: Dialect): Promise<void> {
  const [text, integer] = dialect === 'sqlite' ? ['text', 'integer'] : ['text collate "C"', 'bigint']
  await connection.exec(`
    alter table application_passwords add column scopes ${text} not null default '[]';
    alter table sessions add column confirmed ${integer} not null default 0;`)
}

/** Counts failed attempts: existing rows count as one failure. */
async function countAttempts(connection: Connection): Promise<void> {
  await connection.exec(`alter table attempts add column points integer not null default 1`)
}

/**
 * Renames meta keys that carried the word of the site, such as `wp_pattern_sync_status`. Keys of `svc` and `wp` are
 * renamed too: a change of the word left them as they were.
 */
async function removeWordFromMetaKeys(connection: Connection): Promise<void> {
  const keys = [
    ['post_meta', '', 'pattern_sync_status'],
    ['post_meta', '_', 'font_face_file'],
    ['comment_meta', '_', 'note_status'],
  ] as const
  for (const [table, mark, name] of keys)
    await connection.exec(`
      update ${table} set key = '${mark}${name}' where key in (
        '${mark}svc_${name}', '${mark}wp_${name}',
        (select '${mark}' || replace(value, '"', '') || '_${name}' from options where name = 'word'))`)
}

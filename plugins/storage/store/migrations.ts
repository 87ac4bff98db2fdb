import { StoreError } from './errors.ts'
import type { Connection } from './sql-store.ts'
import type { Store } from './store.ts'

type Dialect = Store['dialect']

/**
 * What brings a database from one version to the next: version 1 is the first entry. Entries are only ever added.
 * Each runs in a transaction of its own.
 */
const migrations: readonly ((connection: Connection, dialect: Dialect) => Promise<void>)[] = [
  createTables,
  limitAttempts,
  orderComments,
  indexMedia,
  indexBeginnings,
  orderContentOfTerms,
  indexPostsAhead,
  rememberFiles,
  removeOrphans,
]

/** The version of the tables that this program works with. */
export const currentVersion: number = migrations.length

/**
 * Brings the database up to date. Processes that start at once take turns.
 *
 * @throws StoreError STORE_NEWER
 */
export async function migrate(connection: Connection, dialect: Dialect): Promise<void> {
  let version: number
  do {
    await connection.begin()
    try {
      // SQLite has locked the file with `begin`. The number stands for this list of migrations, and nothing else.
      if (dialect === 'postgres') await connection.exec('select pg_advisory_xact_lock(7203418846)')
      version = await upgrade(connection, dialect)
      await connection.commit()
    } catch (error) {
      await connection.rollback()
      throw error
    }
  } while (version < currentVersion)
}

/** Applies the next migration, if there is one; answers the version the database then has. */
async function upgrade(connection: Connection, dialect: Dialect): Promise<number> {
  const integer = dialect === 'sqlite' ? 'integer' : 'bigint'
  await connection.exec(`create table if not exists migrations (version ${integer} primary key, applied text not null)`)
  const row = await connection.first('select coalesce(max(version), 0) as version from migrations', [])
  const version = Number(row?.version)
  if (version > currentVersion) {
    throw new StoreError(
      'STORE_NEWER',
      `The database has version ${version} and this program knows versions up to ${currentVersion}: ` +
        'use the release that the database was last opened with, or a later one.',
    )
  }
  const migration = migrations[version]
  if (!migration) return version
  await migration(connection, dialect)
  const applied = new Date().toISOString()
  await connection.run(insertVersion[dialect], [version + 1, applied])
  return version + 1
}

const insertVersion: Record<Dialect, string> = {
  sqlite: 'insert into migrations (version, applied) values (?, ?)',
  postgres: 'insert into migrations (version, applied) values ($1, $2)',
}

async function createTables(connection: Connection, dialect: Dialect): Promise<void> {
  // PostgreSQL gets a collation for names. It orders as Unicode does; SQLite's knows the case of a-z alone.
  if (dialect === 'postgres') {
    await connection.exec(
      `create collation if not exists names (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`,
    )
  }
  await connection.exec(tables(dialect))
  await connection.exec(indexes)
  if (dialect === 'sqlite') await describeToPlanner(connection)
  await (dialect === 'sqlite' ? indexTextInSqlite(connection) : indexTextInPostgres(connection))
}

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

/** Files of one kind, newest first: the part of the MIME type before the slash. */
async function indexMedia(connection: Connection, dialect: Dialect): Promise<void> {
  const kind =
    dialect === 'sqlite' ? `substr(mime_type, 1, instr(mime_type, '/') - 1)` : `split_part(mime_type, '/', 1)`
  await connection.exec(
    `create index posts_by_media on posts (type, status, (${kind}), date, id) where mime_type <> ''`,
  )
  if (dialect === 'sqlite') {
    await describeIndexes(connection, 'posts', { posts_by_media: '200000 100000 90000 20000 2 1' })
  }
}

/**
 * Lets titles and names of people be of any length: an entry of an index of PostgreSQL has 2.7 kB at most, so the index
 * holds their beginning, worded as in `sortKey()`. The same on SQLite, so that lists have one order everywhere.
 */
async function indexBeginnings(connection: Connection, dialect: Dialect): Promise<void> {
  const beginning = (column: string) =>
    dialect === 'sqlite' ? `substr(${column}, 1, 200) collate nocase` : `left(${column}, 200)`
  await connection.exec(`
    drop index posts_by_title;
    create index posts_by_title on posts (type, status, ${beginning('title')}, id);
    drop index users_by_name;
    create index users_by_name on users (${beginning('name')}, id)`)
  if (dialect === 'sqlite') {
    // What the planner knew of the indexes has gone with them.
    await describeIndexes(connection, 'posts', { posts_by_title: '1000000 200000 100000 2 1' })
    await describeIndexes(connection, 'users', { users_by_name: '100000 2 1' })
  }
}

/**
 * Lists of a term as ranges of an index: a relationship carries what its post is listed by, kept by triggers. Who adds
 * many may give it, which saves a look at the post.
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

/** Who relates a post waits for those who change it, and they for them, or what is carried would be out of date. */
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

/** Posts that were changed before they were published: by their plan, or in the export that they came from. */
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

/** What was written on PostgreSQL while that which it names was deleted: writers take turns now. */
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

/** Orders of comments of one type, and how many of them each post has. */
async function orderComments(connection: Connection, dialect: Dialect): Promise<void> {
  await connection.exec(`
    create index comments_by_id on comments (approved, type, id);
    create index comments_by_post on comments (approved, type, post_id, id);
    create index comments_by_parent on comments (approved, type, parent_id, id);`)
  if (dialect === 'sqlite') {
    await describeIndexes(connection, 'comments', {
      comments_by_id: '1000000 250000 200000 1',
      comments_by_post: '1000000 250000 200000 15 1',
      comments_by_parent: '1000000 250000 200000 8 1',
    })
  }
}

function tables(dialect: Dialect): string {
  const sqlite = dialect === 'sqlite'
  const id = `id ${sqlite ? 'integer primary key autoincrement' : 'bigint generated by default as identity primary key'}`
  const integer = sqlite ? 'integer' : 'bigint'
  const number = `${integer} not null default 0`
  // Byte by byte, which is also the fastest.
  const text = sqlite ? 'text not null' : 'text collate "C" not null'
  const name = sqlite ? 'text collate nocase not null' : 'text collate names not null'
  const empty = `default ''`
  const owner = (column: string, table: string) =>
    `${column} ${integer} not null references ${table} (id) on delete cascade`
  const meta = (table: string, column: string, owners: string) => `
    create table ${table} (
      ${id},
      ${owner(column, owners)},
      key ${text},
      value ${text} ${empty},
      json ${number}
    );
    create index ${table}_owner on ${table} (${column}, key, id);
    create index ${table}_value on ${table} (key, substr(value, 1, 100), ${column});`

  return `
    create table users (
      ${id},
      login ${name} unique,
      slug ${text} unique,
      name ${name} ${empty},
      email ${name} ${empty},
      url ${text} ${empty},
      password_hash ${text} ${empty},
      registered ${text} ${empty},
      status ${number}
    );
    create table posts (
      ${id},
      type ${text} default 'post',
      status ${text} default 'draft',
      slug ${text} ${empty},
      title ${name} ${empty},
      content ${text} ${empty},
      excerpt ${text} ${empty},
      password ${text} ${empty},
      author_id ${number},
      parent_id ${number},
      menu_order ${number},
      date ${text} ${empty},
      date_gmt ${text} ${empty},
      modified ${text} ${empty},
      modified_gmt ${text} ${empty},
      comment_status ${text} default 'open',
      ping_status ${text} default 'open',
      comment_count ${number},
      guid ${text} ${empty},
      mime_type ${text} ${empty},
      content_filtered ${text} ${empty}
    );
    create table terms (
      ${id},
      taxonomy ${text},
      name ${name},
      slug ${text},
      description ${text} ${empty},
      parent_id ${number},
      count ${number},
      unique (taxonomy, slug)
    );
    create table term_relationships (
      ${owner('post_id', 'posts')},
      ${owner('term_id', 'terms')},
      position ${number},
      primary key (post_id, term_id)
    ) ${sqlite ? 'without rowid' : ''};
    create table comments (
      ${id},
      post_id ${number},
      parent_id ${number},
      author_id ${number},
      author_name ${text} ${empty},
      author_email ${text} ${empty},
      author_url ${text} ${empty},
      author_ip ${text} ${empty},
      author_agent ${text} ${empty},
      date ${text} ${empty},
      date_gmt ${text} ${empty},
      content ${text} ${empty},
      approved ${text} default '1',
      type ${text} default 'comment',
      karma ${number}
    );
    create table options (
      name ${text} primary key,
      value ${text}
    ) ${sqlite ? 'without rowid' : ''};
    create table sessions (
      id ${text} primary key,
      ${owner('user_id', 'users')},
      expires ${integer} not null,
      created ${integer} not null,
      ip ${text} ${empty},
      agent ${text} ${empty}
    ) ${sqlite ? 'without rowid' : ''};
    create table application_passwords (
      ${id},
      uuid ${text} unique,
      ${owner('user_id', 'users')},
      app_id ${text} ${empty},
      name ${text},
      hash ${text},
      created ${integer} not null,
      last_used ${integer},
      last_ip text
    );
    ${meta('user_meta', 'user_id', 'users')}
    ${meta('post_meta', 'post_id', 'posts')}
    ${meta('term_meta', 'term_id', 'terms')}
    ${meta('comment_meta', 'comment_id', 'comments')}`
}

/** One for each order and filter that a list knows, so that its first page costs the same however long it is. */
const indexes = `
  create index posts_by_date on posts (type, status, date, id);
  create index posts_by_modified on posts (type, status, modified, id);
  create index posts_by_title on posts (type, status, title, id);
  create index posts_by_slug on posts (type, status, slug, id);
  create index posts_by_author on posts (type, status, author_id, date, id);
  create index posts_by_parent on posts (type, status, parent_id, id);
  create index posts_by_menu_order on posts (type, status, menu_order, id);
  create index posts_by_id on posts (type, status, id);
  create index posts_of_any_type on posts (status, date, id);
  create index posts_of_parent on posts (parent_id, type, date, id);
  create index posts_of_author on posts (author_id, type, status);
  create index posts_of_mime_type on posts (mime_type, type, date, id);
  create index posts_named on posts (slug, type);

  create index terms_by_name on terms (taxonomy, name, id);
  create index terms_by_parent on terms (taxonomy, parent_id, name, id);
  create index terms_by_count on terms (taxonomy, count, id);
  create index terms_by_id on terms (taxonomy, id);
  create index term_relationships_of_term on term_relationships (term_id, post_id);

  create index comments_by_date on comments (approved, date_gmt, id);
  create index comments_by_local_date on comments (approved, date, id);
  create index comments_by_type on comments (approved, type, date_gmt, id);
  create index comments_of_any_status on comments (date_gmt, id);
  create index comments_of_post on comments (post_id, approved, date_gmt, id);
  create index comments_of_parent on comments (parent_id, approved, date_gmt, id);
  create index comments_of_author on comments (author_id, approved, date_gmt, id);
  create index comments_of_email on comments (author_email, approved);

  create index users_by_name on users (name, id);
  create index users_by_registered on users (registered, id);
  create index users_by_email on users (email, id);

  create index sessions_of_user on sessions (user_id);
  create index sessions_by_expiry on sessions (expires);
  create index application_passwords_of_user on application_passwords (user_id);`

/**
 * What SQLite's planner assumes of a large site: the rows of an index, then how many share its first column, its first
 * two, and so on. Without this it would walk the index of the order that is asked for, looking for the one row with a
 * given slug. Given once and not measured, plans are the same everywhere (https://sqlite.org/queryplanner-ng.html).
 */
const plannerFacts: Record<string, Record<string, string>> = {
  posts: {
    posts_by_date: '1000000 200000 100000 2 1',
    posts_by_modified: '1000000 200000 100000 2 1',
    posts_by_title: '1000000 200000 100000 2 1',
    posts_by_slug: '1000000 200000 100000 1 1',
    posts_by_author: '1000000 200000 100000 5000 2 1',
    posts_by_parent: '1000000 200000 100000 20 1',
    posts_by_menu_order: '1000000 200000 100000 20000 1',
    posts_by_id: '1000000 200000 100000 1',
    posts_of_any_type: '1000000 200000 2 1',
    posts_of_parent: '1000000 10 8 2 1',
    posts_of_author: '1000000 10000 8000 5000',
    posts_of_mime_type: '1000000 100000 90000 2 1',
    posts_named: '1000000 1 1',
  },
  post_meta: { post_meta_owner: '5000000 5 2 1', post_meta_value: '5000000 50000 100 1' },
  term_relationships: { term_relationships: '2000000 2 1', term_relationships_of_term: '2000000 2000 1' },
  terms: {
    terms_by_name: '20000 5000 1 1',
    terms_by_parent: '20000 5000 50 1 1',
    terms_by_count: '20000 5000 50 1',
    terms_by_id: '20000 5000 1',
    sqlite_autoindex_terms_1: '20000 5000 1',
  },
  term_meta: { term_meta_owner: '20000 2 1 1', term_meta_value: '20000 5000 50 1' },
  comments: {
    comments_by_date: '1000000 250000 2 1',
    comments_by_local_date: '1000000 250000 2 1',
    comments_by_type: '1000000 250000 200000 2 1',
    comments_of_any_status: '1000000 2 1',
    comments_of_post: '1000000 20 15 1 1',
    comments_of_parent: '1000000 10 8 1 1',
    comments_of_author: '1000000 100 80 1 1',
    comments_of_email: '1000000 20 15',
  },
  comment_meta: { comment_meta_owner: '1000000 2 1 1', comment_meta_value: '1000000 100000 100 1' },
  users: { users_by_name: '100000 2 1', users_by_registered: '100000 2 1', users_by_email: '100000 1 1' },
  user_meta: { user_meta_owner: '1000000 10 1 1', user_meta_value: '1000000 100000 1000 1' },
}

async function describeToPlanner(connection: Connection): Promise<void> {
  // Makes the table that holds what the planner knows, and finds no rows to count.
  await connection.exec('analyze')
  for (const [table, facts] of Object.entries(plannerFacts)) await describeIndexes(connection, table, facts)
}

async function describeIndexes(connection: Connection, table: string, facts: Record<string, string>): Promise<void> {
  for (const [index, fact] of Object.entries(facts)) {
    await connection.run('insert into sqlite_stat1 (tbl, idx, stat) values (?, ?, ?)', [table, index, fact])
  }
  // Makes this connection read it; others do when they open the file.
  await connection.exec('analyze sqlite_schema')
}

/**
 * A trigram index that holds no text itself, and the queue of posts it has yet to see, fed by triggers. (`detail=none`
 * drops the places in the text: a quarter of the size, and a search compares the text anyway.)
 */
async function indexTextInSqlite(connection: Connection): Promise<void> {
  await connection.exec(`
    create virtual table posts_text using fts5 (
      title, excerpt, content, content = '', contentless_delete = 1, tokenize = 'trigram', detail = none
    );
    create table posts_text_queue (post_id integer primary key);
    create trigger posts_text_insert after insert on posts begin
      insert into posts_text_queue select new.id where new.id not in (select post_id from posts_text_queue);
    end;
    create trigger posts_text_update after update of id, title, excerpt, content on posts begin
      insert into posts_text_queue select new.id where new.id not in (select post_id from posts_text_queue);
    end;
    create trigger posts_text_delete after delete on posts begin
      insert into posts_text_queue select old.id where old.id not in (select post_id from posts_text_queue);
    end`)
}

/** Trigram indexes, where the server has the extension and lets us have it; searches read every row otherwise. */
async function indexTextInPostgres(connection: Connection): Promise<void> {
  await connection.exec('savepoint text_index')
  try {
    await connection.exec(`
      create extension if not exists pg_trgm;
      create index posts_title_text on posts using gin (title collate "default" gin_trgm_ops);
      create index posts_excerpt_text on posts using gin (excerpt collate "default" gin_trgm_ops);
      create index posts_content_text on posts using gin (content collate "default" gin_trgm_ops)`)
  } catch {
    await connection.exec('rollback to savepoint text_index')
  }
  await connection.exec('release savepoint text_index')
}

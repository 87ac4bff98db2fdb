import type { Connection } from '../backend.ts'

type Facts = Readonly<Record<string, string>>

/**
 * Statistics of a large site for SQLite's planner: the rows of an index, then how many share its first column, its
 * first two, and so on. Without them, it would scan the index of the requested order to find the one row with a given
 * slug. Fixed instead of measured, so that plans are the same everywhere (https://sqlite.org/queryplanner-ng.html).
 */
const plannerFacts: Record<string, Facts> = {
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

/** Inserts the statistics of the first tables. */
export async function describeToPlanner(connection: Connection): Promise<void> {
  // Creates `sqlite_stat1`; the tables are still empty.
  await connection.exec('analyze')
  for (const [table, facts] of Object.entries(plannerFacts)) await describeIndexes(connection, table, facts)
}

/** Inserts statistics of indexes. @param facts statistics by index name, as in `plannerFacts` */
export async function describeIndexes(connection: Connection, table: string, facts: Facts): Promise<void> {
  for (const [index, fact] of Object.entries(facts)) {
    await connection.run('insert into sqlite_stat1 (tbl, idx, stat) values (?, ?, ?)', [table, index, fact])
  }
  // This connection loads the statistics; others do when they open the file.
  await connection.exec('analyze sqlite_schema')
}

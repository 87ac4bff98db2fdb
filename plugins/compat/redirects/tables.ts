import type { Migration } from '../../public.ts'

/** Tables of redirects, their groups and hits, and of URLs that were not found. */
export const migrations: readonly Migration[] = [
  {
    name: 'redirects',
    // Hits are apart from redirects, because pages depend on these.
    sql: ({ integer, text }) => `
      create table redirects__groups (
        id ${integer} primary key, name ${text} not null, module_id ${integer} not null, enabled ${integer} not null,
        position ${integer} not null);
      create table redirects__items (
        id ${integer} primary key, group_id ${integer} not null, position ${integer} not null,
        enabled ${integer} not null, url ${text} not null, rule ${text} not null);
      create table redirects__hits (
        id ${integer} primary key, hits ${integer} not null, last_access ${text} not null);
      create table redirects__missing (
        url ${text} primary key, hits ${integer} not null, agent ${text} not null, referrer ${text} not null,
        last_access ${text} not null);
      create index redirects__missing_by_time on redirects__missing (last_access)`,
  },
]

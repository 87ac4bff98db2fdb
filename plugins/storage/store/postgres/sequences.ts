import type { Database } from '../schema.ts'

/** The tables whose rows the database numbers. */
// prettier-ignore
const numbered: readonly (keyof Database)[] = [
  'users', 'user_meta', 'posts', 'post_meta', 'terms', 'term_meta', 'comments', 'comment_meta', 'application_passwords',
]

/** SQL that lets numbering continue above the highest ID of each table. */
export const syncSequences = numbered.map(
  (table) =>
    `select setval(sequence, greatest(
      (select coalesce(max(id), 0) from ${table}),
      coalesce(pg_sequence_last_value(sequence), 0)
    ) + 1, false) from (select pg_get_serial_sequence('${table}', 'id')::regclass as sequence) as numbering`,
)

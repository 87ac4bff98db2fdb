import pg from 'pg'
import type { StoreOptions } from '../store.ts'

/** Minimum time limit of an idle transaction: the server then assumes that this process is dead. */
const MIN_IDLE_TIMEOUT_MS = 60_000

/** Returns the SQL that sets up a connection. A `synchronous_commit` in the URL takes precedence. */
export function settingsFor(url: string, { time, durability = 'full' }: StoreOptions): string {
  // Starting parallel workers takes 5 ms: that pays for counts of very many rows, not for a page.
  const settings: string[] = ['set parallel_setup_cost = 10000']
  if (time !== undefined) {
    settings.push(`set statement_timeout = ${time}`, `set lock_timeout = ${Math.ceil(time / 2)}`)
    settings.push(`set idle_in_transaction_session_timeout = ${Math.max(MIN_IDLE_TIMEOUT_MS, 2 * time)}`)
  }
  if (!url.includes('synchronous_commit')) {
    // A server with standbys may use a stricter value than `on`.
    const full = `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`
    settings.push(durability === 'full' ? full : 'set synchronous_commit = off')
  }
  return settings.join('; ')
}

/** Converts bigint and numeric, the types of counts and sums, to numbers, and booleans to 1 or 0 as in SQLite. */
export function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (oid === pg.types.builtins.INT8 || oid === pg.types.builtins.NUMERIC) return Number
  if (oid === pg.types.builtins.BOOL) return (value) => Number(value === 't')
  return pg.types.getTypeParser(oid, format)
}

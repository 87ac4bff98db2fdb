import pg from 'pg'
import type { StoreOptions } from '../store.ts'

/** Milliseconds for which a transaction may do nothing, at least: then the server takes this process for dead. */
const idleLimit = 60_000

/** The statements by which a connection is set up. What the URL itself says of `synchronous_commit` holds. */
export function settingsFor(url: string, { time, durability = 'full' }: StoreOptions): string {
  // Other processes take 5 ms to help: with a count of very many, not with a page.
  const settings: string[] = ['set parallel_setup_cost = 10000']
  if (time !== undefined) {
    settings.push(`set statement_timeout = ${time}`, `set lock_timeout = ${Math.ceil(time / 2)}`)
    settings.push(`set idle_in_transaction_session_timeout = ${Math.max(idleLimit, 2 * time)}`)
  }
  if (!url.includes('synchronous_commit')) {
    // A server may be set to more than `on`, with standbys.
    const full = `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`
    settings.push(durability === 'full' ? full : 'set synchronous_commit = off')
  }
  return settings.join('; ')
}

/** bigint and numeric, the types of counts and sums, become numbers, and booleans 1 or 0, as SQLite has them. */
export function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (oid === pg.types.builtins.INT8 || oid === pg.types.builtins.NUMERIC) return Number
  if (oid === pg.types.builtins.BOOL) return (value) => Number(value === 't')
  return pg.types.getTypeParser(oid, format)
}

import type { ImportContext } from '../context.ts'
import { storedValue, type Value } from '../php-values.ts'
import type { SiteUser } from '../site-file.ts'

/** Hash functions for passwords. */
export interface Hashing {
  hashPassword(plain: string): Promise<string>
  hashApplicationPassword(plain: string): string
}

/** The role of users without a role in the files: the one with the fewest capabilities. */
export const LEAST_ROLE = 'subscriber'

/** The roles of a user of a site file. */
export function rolesOf({ role = LEAST_ROLE, roles = [role] }: SiteUser): string[] {
  return roles
}

/** The hash of the password of a user of a site file; `''` for a user without a password. */
export async function passwordHashOf({ password, password_hash: hash = '' }: SiteUser, hashing: Hashing) {
  return password === undefined ? hash : hashing.hashPassword(password)
}

type Entries = readonly (readonly [key: string, Value])[]

export async function addMeta(context: ImportContext, userId: number, values: Entries): Promise<void> {
  const rows = values.map(([key, value]) => {
    const stored = storedValue(value)
    return [userId, key, stored.value, stored.json]
  })
  await context.insert('user_meta', ['user_id', 'key', 'value', 'json'], rows)
}

/** Splits lists into separate values. */
export function eachValue(entries: Entries): [string, Value][] {
  return entries.flatMap(([key, value]) => [value].flat().map((one): [string, Value] => [key, one]))
}

export async function addApplicationPasswords(
  { tx, counters }: ImportContext,
  hashing: Hashing,
  userId: number,
  { application_passwords: passwords = [] }: SiteUser,
): Promise<void> {
  for (const { uuid, name, password, scopes = [] } of passwords) {
    const created = Math.floor(Date.now() / 1000)
    const hash = hashing.hashApplicationPassword(password)
    const row = { uuid, user_id: userId, name, hash, created, scopes: JSON.stringify(scopes) }
    const insert = tx.db.insertInto('application_passwords').values(row)
    const { changes } = await tx.run(insert.onConflict((conflict) => conflict.column('uuid').doNothing()))
    if (changes === 0)
      counters.note('application password; skipped, because its UUID already exists', `${name}, ${uuid}`)
  }
}

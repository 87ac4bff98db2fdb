import type { Row, RowChange } from '../../../storage/store/index.ts'
import type { ImportContext } from '../context.ts'
import type { Value } from '../php-values.ts'
import type { SiteUser } from '../site-file.ts'
import {
  addApplicationPasswords,
  addMeta,
  eachValue,
  LEAST_ROLE,
  passwordHashOf,
  rolesOf,
  type Hashing,
} from './rows.ts'

type StoredMeta = ReadonlyMap<string, string>

/**
 * Completes an account that has never been able to log in, like those created from exports alone, with data of the site
 * file. Values that have been set in the meantime are kept.
 */
export async function completeAccount(
  context: ImportContext,
  hashing: Hashing,
  id: number,
  user: SiteUser,
): Promise<void> {
  const { tx, counters } = context
  const account = (await tx.first(tx.db.selectFrom('users').selectAll().where('id', '=', id)))!
  if (await canLogIn(context, account)) {
    return counters.note('account in use; unchanged, the site file is ignored', user.login)
  }
  const stored = await tx.all(tx.db.selectFrom('user_meta').select(['key', 'value']).where('user_id', '=', id))
  const before: StoredMeta = new Map(stored.map(({ key, value }) => [key, value]))

  const row = missingColumns(account, user, context.rewrite(user.url ?? ''))
  const hash = await passwordHashOf(user, hashing)
  if (hash !== '') row.password_hash = hash
  const profile = missingProfile(account, user, before)
  const meta = Object.entries(user.meta ?? {}).filter(([key]) => !before.has(key))

  if (Object.keys(row).length > 0) await tx.run(tx.db.updateTable('users').set(row).where('id', '=', id))
  const replaced = profile.map(([key]) => key)
  if (replaced.length > 0) {
    await tx.run(tx.db.deleteFrom('user_meta').where('user_id', '=', id).where('key', 'in', replaced))
  }
  await addMeta(context, id, [...profile, ...eachValue(meta)])
  await addApplicationPasswords(context, hashing, id, user)
  const gotPasswords = (user.application_passwords ?? []).length > 0
  if (Object.keys(row).length > 0 || profile.length > 0 || meta.length > 0 || gotPasswords) {
    counters.note('account without a password; completed from the site file', user.login)
  }
}

async function canLogIn({ tx }: ImportContext, account: Row<'users'>): Promise<boolean> {
  const passwords = tx.db.selectFrom('application_passwords').select('id').where('user_id', '=', account.id)
  return account.password_hash !== '' || (await tx.first(passwords)) !== undefined
}

/** Values of the site file for columns that are empty or hold the defaults of an export. */
function missingColumns(account: Row<'users'>, { email = '', name }: SiteUser, url: string): RowChange<'users'> {
  const row: RowChange<'users'> = {}
  if (account.email === '' && email !== '') row.email = email
  if (account.url === '' && url !== '') row.url = url
  if (['', account.login].includes(account.name) && name !== undefined && name !== account.name) row.name = name
  return row
}

/** Values of the site file for profile meta that is empty or holds the defaults of an export. */
function missingProfile(account: Row<'users'>, user: SiteUser, before: StoredMeta): [string, Value][] {
  const isUnset = (key: string, preset = '') => ['', preset, undefined].includes(before.get(key))
  const values: [string, Value][] = []
  const { first_name, last_name, nickname, bio } = user
  const preset = JSON.stringify([LEAST_ROLE])
  const roles = rolesOf(user)
  if (isUnset('roles', preset) && JSON.stringify(roles) !== preset) values.push(['roles', roles])
  for (const [key, value] of Object.entries({ first_name, last_name, description: bio })) {
    if (isUnset(key) && value !== undefined && value !== '') values.push([key, value])
  }
  if (isUnset('nickname', account.login) && nickname !== undefined && nickname !== before.get('nickname')) {
    values.push(['nickname', nickname])
  }
  return values
}

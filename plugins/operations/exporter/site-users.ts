import type { PluginContext } from '../../../kernel/index.ts'
import type { Row, Store } from '../../storage/store/index.ts'
import type { SiteUser, Value } from '../importer/index.ts'
import { ROWS_PER_BATCH } from './batches.ts'

/** Meta with a key of its own in a site file. */
const PROFILE: ReadonlySet<string> = new Set(['roles', 'first_name', 'last_name', 'nickname', 'description'])

type MetaRow = Pick<Row<'user_meta'>, 'user_id' | 'key' | 'value' | 'json'>

/**
 * Yields the users of the site as a site file has them: with roles, profile, and the meta that plugins register. Other
 * meta can contain secrets, such as keys of second factors, and is not exported.
 */
export async function* siteUsers(
  { services }: Pick<PluginContext, 'services'>,
  reader: Store,
  passwordHashes: boolean,
): AsyncGenerator<SiteUser> {
  const { db } = reader
  const query = db.selectFrom('users').selectAll().orderBy('id').limit(ROWS_PER_BATCH)
  const keys = services.meta.keys('user').filter((key) => !PROFILE.has(key))
  const known = services.roles.all().map(({ name }) => name)
  for (let last = 0; ;) {
    const users = await reader.all(query.where('id', '>', last))
    if (users.length === 0) return
    last = users.at(-1)!.id
    const ids = users.map(({ id }) => id)
    const rows = db.selectFrom('user_meta').select(['user_id', 'key', 'value', 'json']).where('user_id', 'in', ids)
    const meta = await reader.all(rows.where('key', 'in', [...PROFILE, ...keys]).orderBy('id'))
    const byUser = Map.groupBy(meta, ({ user_id: id }) => id)
    for (const user of users) yield siteUser(user, byUser.get(user.id) ?? [], { known, passwordHashes })
  }
}

function siteUser(
  user: Row<'users'>,
  meta: readonly MetaRow[],
  { known, passwordHashes }: { known: readonly string[]; passwordHashes: boolean },
): SiteUser {
  const values = Map.groupBy(meta, ({ key }) => key)
  const first = (key: string) => values.get(key)?.[0]?.value ?? ''
  const others = [...values].filter(([key]) => !PROFILE.has(key))
  const registered = Date.parse(`${user.registered.replace(' ', 'T')}Z`)
  return {
    id: user.id,
    login: user.login,
    roles: rolesIn(first('roles')).filter((role) => known.includes(role)),
    email: user.email,
    ...(passwordHashes && user.password_hash !== '' && { password_hash: user.password_hash }),
    ...(!Number.isNaN(registered) && { registered: new Date(registered).toISOString() }),
    name: user.name,
    first_name: first('first_name'),
    last_name: first('last_name'),
    nickname: first('nickname'),
    slug: user.slug,
    url: user.url,
    bio: first('description'),
    ...(others.length > 0 && { meta: Object.fromEntries(others.map(([key, rows]) => [key, rows.map(valueOf)])) }),
  }
}

function rolesIn(text: string): string[] {
  const roles: unknown = text === '' ? [] : JSON.parse(text)
  return Array.isArray(roles) ? roles.filter((role): role is string => typeof role === 'string') : []
}

function valueOf({ value, json }: MetaRow): Value {
  return json === 1 ? (JSON.parse(value) as Value) : value
}

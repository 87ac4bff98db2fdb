import { runWork, Work, type Awaitable, type CurrentUser, type PluginContext } from '../../../kernel/index.ts'
import { dependsOn, VersionedCache, withoutDependencies } from '../../library/caching/index.ts'
import { knownRoles } from './profile.ts'

/** Maximum number of cached users. */
const MAX_CACHED_USERS = 1000

/** A cached user, or the promise of one. */
interface CacheEntry {
  user: Awaitable<CurrentUser | undefined>
  /** Edition of the roles. */
  readonly roles: number
}

/** Caches requesting users with the capabilities of their roles, until the user or the roles change. */
export class CurrentUsers {
  readonly #services: PluginContext['services']
  readonly #recent: VersionedCache<number, CacheEntry>

  /** Must be created while the plugin is applied. */
  constructor(services: PluginContext['services']) {
    this.#services = services
    this.#recent = new VersionedCache(services.store.changes, {
      maxEntries: MAX_CACHED_USERS,
      tables: ['users', 'user_meta'],
      tagsOf: (_, id) => [`user:${id}`],
    })
  }

  get(id: number): Awaitable<CurrentUser | undefined> {
    dependsOn(`user:${id}`)
    const { edition } = this.#services.roles
    const cached = this.#recent.get(id)
    if (cached?.roles === edition) return cached.user
    const state = this.#recent.begin()
    // Detached from the request: other requests may wait for the same read.
    const reading = withoutDependencies(() => runWork(new Work(), () => this.#read(id)))
    const entry: CacheEntry = { user: reading, roles: edition }
    this.#recent.set(id, entry, state)
    reading.then(
      (user) => void (entry.user = user),
      // Failures are not cached.
      () => this.#recent.delete(id, entry),
    )
    return reading
  }

  async #read(id: number): Promise<CurrentUser | undefined> {
    const { roles, store } = this.#services
    const row = await store.first<{ id: number; login: string; name: string; roles: string | null }>(
      store.db
        .selectFrom('users')
        .leftJoin('user_meta', (join) =>
          join.onRef('user_meta.user_id', '=', 'users.id').on('user_meta.key', '=', 'roles'),
        )
        .select(['users.id', 'users.login', 'users.name', 'user_meta.value as roles'])
        .where('users.id', '=', id)
        .orderBy('user_meta.id')
        .limit(1),
    )
    if (row === undefined) return undefined
    const names = knownRoles(roles, parseJson(row.roles))
    return Object.freeze({ ...row, roles: names, capabilities: roles.capabilitiesOf(names) })
  }
}

function parseJson(json: string | null): unknown {
  try {
    return json === null ? null : JSON.parse(json)
  } catch {
    return null
  }
}

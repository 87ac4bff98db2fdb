import { runWork, ShortLivedCache, Work } from '../../../kernel/index.ts'
import type { Awaitable, CurrentUser, PluginContext } from '../../../kernel/index.ts'
import { knownRoles } from './profile.ts'

/** How many users are kept. */
const MOST_RECENT = 1000

/** Users as those who ask, with what their roles allow. Each is read again after a moment. */
export class CurrentUsers {
  readonly #services: PluginContext['services']
  readonly #recent: ShortLivedCache<number, { user: Awaitable<CurrentUser | undefined> }>

  /** To be made where the plugin is applied. */
  constructor(services: PluginContext['services']) {
    this.#services = services
    this.#recent = new ShortLivedCache(services.store, MOST_RECENT)
  }

  get(id: number): Awaitable<CurrentUser | undefined> {
    const known = this.#recent.get(id)
    if (known !== undefined) return known.user
    const begun = this.#recent.begin()
    // For everybody who asks at the moment, whoever of them goes away.
    const reading = runWork(new Work(), () => this.#read(id))
    const kept: { user: Awaitable<CurrentUser | undefined> } = { user: reading }
    this.#recent.keep(id, kept, begun)
    reading.then(
      (user) => void (kept.user = user),
      // A failure is told to those who wait, and not kept.
      () => this.forget(id),
    )
    return reading
  }

  /** To be called when a user has changed. */
  forget(id: number): void {
    this.#recent.forget((_, other) => other === id)
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

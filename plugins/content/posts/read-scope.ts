import type { CurrentUser, PluginContext } from '../../../kernel/index.ts'
import type { PostSubject } from '../../people/roles/index.ts'
import { RightsMemory, type ContentType } from '../content-types/index.ts'
import type { PostQuery, ReadScope, ScopedPostQuery, StatusSet } from './query/index.ts'

type Right = 'read' | 'edit'

const NOTHING: StatusSet = { statuses: [], trashed: [] }

/** Limits queries to the posts a user may read, so that the database filters lists instead of a check per post. */
export class ReadScopes {
  readonly #services: PluginContext['services']
  /** Read scopes of users over all types and statuses. */
  readonly #allScopes: RightsMemory<readonly ReadScope[]>

  constructor(services: PluginContext['services']) {
    this.#services = services
    this.#allScopes = new RightsMemory(services, (user) => this.#scopesOfAll(user))
  }

  forUser(query: PostQuery, user: CurrentUser): ScopedPostQuery {
    const { capabilities, contentTypes } = this.#services
    const { statuses, search = '' } = query
    const readScope =
      query.readScope ?? this.#scopesFor(query.types, statuses, user, query.editable === true ? 'edit' : 'read')
    const limited: ScopedPostQuery = { ...query, readScope: query.readScope === null ? null : readScope }
    if (query.readScope === undefined) {
      const readable = new Set(readScope.flatMap(({ types }) => types))
      if (query.listsHidden !== true) limited.types = query.types.filter((type) => readable.has(type))
    }
    if (query.opens === undefined && search.trim() !== '')
      limited.opens = this.#scopesFor(limited.types, statuses, user, 'edit')
    if (query.above === undefined && statuses.includes('inherit')) {
      const readCapabilities = limited.types.map((name) => contentTypes.get(name)?.capabilities.read)
      const readsOwn = readCapabilities.every((read) => read !== undefined && capabilities.can(user, read))
      limited.above = { readScopes: this.above(user), author: readsOwn ? user.id : 0 }
    }
    return limited
  }

  above(user: CurrentUser): readonly ReadScope[] {
    return this.#allScopes.rightsOf(user)
  }

  #scopesOfAll(user: CurrentUser): readonly ReadScope[] {
    const { contentTypes, statuses } = this.#services
    const types = contentTypes.all().map(({ name }) => name)
    const own = statuses.all().flatMap(({ name }) => (name === 'inherit' ? [] : [name]))
    return this.#scopesFor(types, own, user, 'read')
  }

  /**
   * Read or edit scopes of a user for these types and statuses, without regard to passwords. Posts with the status
   * `inherit` are included unless their parent hides them. Types with equal rights are grouped; types without any right
   * are left out.
   */
  #scopesFor(types: readonly string[], statuses: readonly string[], user: CurrentUser, right: Right): ReadScope[] {
    const groups = new Map<string, ReadScope & { types: string[] }>()
    for (const name of types) {
      const type = this.#services.contentTypes.get(name)
      if (type === undefined) continue
      const rights = this.#rightsTo(type, statuses, user, right)
      if (Object.values(rights).every((set) => set.statuses.length + set.trashed.length === 0)) continue
      const key = JSON.stringify(rights)
      const readScope = groups.get(key)
      if (readScope === undefined) groups.set(key, { types: [name], ...rights, user: user.id })
      else readScope.types.push(name)
    }
    return [...groups.values()]
  }

  /**
   * Statuses in which the user has the right to posts of a type: to all, to own posts only, or to posts of other
   * authors only.
   */
  #rightsTo(
    type: ContentType,
    requested: readonly string[],
    user: CurrentUser,
    right: Right,
  ): Pick<ReadScope, 'any' | 'own' | 'others'> {
    const before = this.#services.statuses.all().flatMap(({ name }) => (name === 'trash' ? [] : [name]))
    const may = (author_id: number, status: string, previous_status?: string) => {
      const subject = { id: 0, type: type.name, status, author_id, parent_id: 0, parent: null, previous_status }
      return this.#may(right, type, subject, user)
    }
    // Neither right implies the other: a role can edit posts of other authors but not its own.
    const statusesWhere = (ofOthers: boolean, own: boolean): StatusSet => {
      const is = (status: string, previous?: string) =>
        may(0, status, previous) === ofOthers && (user.id === 0 || may(user.id, status, previous) === own)
      const trashed = requested.includes('trash') ? before.filter((previous) => is('trash', previous)) : []
      const all = trashed.length === before.length
      const statuses = requested.filter((status) => (status === 'trash' ? all : is(status)))
      return { statuses, trashed: all ? [] : trashed }
    }
    const any = statusesWhere(true, true)
    if (user.id === 0) return { any, own: NOTHING, others: NOTHING }
    return { any, own: statusesWhere(false, true), others: statusesWhere(true, false) }
  }

  /** Whether a user may read or edit posts like this one. */
  #may(right: Right, { capabilities }: ContentType, post: PostSubject, user: CurrentUser): boolean {
    const rights = this.#services.capabilities
    if (right === 'edit') return user.id !== 0 && rights.can(user, 'edit_post', post)
    const open = capabilities.read === 'read'
    if (post.status === 'inherit' && post.type !== 'revision') return open || rights.can(user, capabilities.read)
    if (open && this.#services.statuses.get(post.status)?.public === true) return true
    return rights.can(user, 'read_post', post)
  }
}

import type { CurrentUser, PluginContext } from '../../../kernel/index.ts'
import type { ChangeReader, SeenSides, SeenState } from '../../storage/changes/index.ts'
import type { Change, ChangeFacts } from '../../storage/store/index.ts'
import type { User } from './reader.ts'

/**
 * Decides which changes of users are visible: all users see authors of public content; the others see only themselves.
 */
export class UserChangeReader implements ChangeReader {
  readonly #services: PluginContext['services']

  constructor(services: PluginContext['services']) {
    this.#services = services
  }

  async read(user: CurrentUser, changes: readonly Change[]): Promise<SeenSides[]> {
    const { capabilities, users } = this.#services
    const ids = [...new Set(changes.map(({ object }) => Number(object)))]
    const sees = (id: number) => capabilities.can(user, 'list_users') || capabilities.can(user, 'edit_user', { id })
    const others = ids.filter((id) => !sees(id))
    const found = others.length === 0 ? [] : await users.readMany(others)
    const published = new Map(found.flatMap((one) => (one?.published === true ? [[one.id, one]] : [])))
    return changes.map(({ before, after, object, tags }) => {
      const visibleUser = sees(Number(object)) || published.get(Number(object))
      if (!visibleUser) return { before: null, after: null, tags: [] }
      const state = (facts: ChangeFacts | null) => facts && stateOf(facts, visibleUser)
      return { before: state(before), after: state(after), tags }
    })
  }
}

/** @param visibleUser the current user object; true if the reader can see all users */
function stateOf({ slug }: ChangeFacts, visibleUser: User | true): SeenState {
  // Earlier names of an author, from before they published, stay hidden.
  return visibleUser === true || visibleUser.slug === slug ? { slug: String(slug) } : {}
}

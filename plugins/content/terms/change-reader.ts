import type { CurrentUser, PluginContext } from '../../../kernel/index.ts'
import { withoutGlimpses, type ChangeReader, type SeenSides, type SeenState } from '../../storage/changes/index.ts'
import type { Change, ChangeFacts } from '../../storage/store/index.ts'
import { seesTerms } from '../taxonomies/index.ts'

/**
 * Returns the state a user may see for one side of a change to a term that its taxonomy hides from them; null for
 * nothing.
 */
export type ShownTerm = (change: Change, facts: ChangeFacts) => SeenState | null

/** Limits changes of terms to taxonomies whose terms the user may see. */
export class TermChangeReader implements ChangeReader {
  readonly #plugin: PluginContext

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  /** @param shown returns visible states of terms that their taxonomy hides; nothing by default */
  read(user: CurrentUser, changes: readonly Change[], shown: ShownTerm = () => null): SeenSides[] {
    return changes.map((change) => {
      const seen = (facts: ChangeFacts | null): SeenState | null => {
        if (facts === null) return null
        const type = String(facts['type'])
        if (this.#sees(type, user)) return { type, slug: String(facts['slug']) }
        return shown(change, facts) ?? (this.#isOnPages(type) ? { type } : null)
      }
      const [before, after] = withoutGlimpses(change, [seen(change.before), seen(change.after)])
      const visible = before ?? after
      const isSeen = (tag: string) =>
        this.#isSeen(tag, change.type, user) || (visible !== null && tag === `terms:taxonomy=${visible.type}`)
      return { before, after, tags: change.tags.filter(isSeen) }
    })
  }

  /** Whether the taxonomy has pages but no REST routes. */
  #isOnPages(name: string): boolean {
    const { has, services } = this.#plugin
    const { publicly_queryable: isPublic, show_in_rest: isServed } = services.taxonomies.get(name) ?? {}
    return isPublic === true && isServed !== true && has('site-pages')
  }

  /** Whether a tag reveals only facts that the user may know. */
  #isSeen(tag: string, type: string, user: CurrentUser): boolean {
    const [, name, value = ''] = /^terms:(taxonomy|meta)=(.*)$/s.exec(tag) ?? []
    if (name === undefined) return true
    if (name === 'taxonomy') return this.#sees(value, user)
    const { has, services } = this.#plugin
    return has('meta') && services.meta.isPublic('term', type, value)
  }

  #sees(name: string, user: CurrentUser): boolean {
    const { capabilities, taxonomies } = this.#plugin.services
    const taxonomy = taxonomies.get(name)
    return taxonomy?.show_in_rest === true && seesTerms(capabilities, user, taxonomy)
  }
}

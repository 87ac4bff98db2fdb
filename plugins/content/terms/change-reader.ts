import type { CurrentUser, PluginContext } from '../../../kernel/index.ts'
import type { ChangeReader, SeenSides, SeenState } from '../../storage/changes/index.ts'
import type { Change, ChangeFacts } from '../../storage/store/index.ts'
import { seesTerms } from '../taxonomies/index.ts'

/** Says what users may know of changes of terms: those of taxonomies whose terms they may see. */
export class TermChangeReader implements ChangeReader {
  readonly #plugin: PluginContext

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  read(user: CurrentUser, changes: readonly Change[]): SeenSides[] {
    const seen = (facts: ChangeFacts | null): SeenState | null => {
      if (facts === null || !this.#sees(String(facts['type']), user)) return null
      return { type: String(facts['type']), slug: String(facts['slug']) }
    }
    return changes.map(({ before, after, tags, type }) => ({
      before: seen(before),
      after: seen(after),
      tags: tags.filter((tag) => this.#isSeen(tag, type, user)),
    }))
  }

  /** Whether a tag tells of nothing but what the user may know. */
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

import { RequestCache, VISITOR, type PluginContext } from '../../public.ts'
import { idsIn, POST_GROUPS, type Translations } from './languages.ts'
import { writeMap } from './serialized.ts'
import { nameOfGroup, without } from './writer.ts'

/** Links posts as translations of each other. Call its methods in the transaction of the write. */
export class PostGroups {
  readonly #plugin: PluginContext

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  /** Makes posts translations of each other, and removes them from other groups. */
  async link(translations: Translations): Promise<void> {
    const { posts, terms } = this.#plugin.services
    const scope = new RequestCache()
    const write = { user: VISITOR, scope }
    const linked = new Set(Object.values(translations))
    const groups = new Map<number, string>()
    for (const id of linked) {
      const group = (await terms.ofPosts(scope).load(id)).get(POST_GROUPS)?.[0]
      if (group !== undefined) groups.set(group.id, group.description)
    }
    const [kept] = groups.keys()
    for (const [group, description] of groups) {
      const left = without(idsIn(description), linked)
      if (group === kept) {
        for (const id of Object.values(left))
          if ((await posts.get(id, scope)) !== undefined) await posts.setTerms(id, new Map([[POST_GROUPS, []]]), write)
      } else if (Object.keys(left).length === 0) await terms.delete(group)
      else await terms.update(group, { description: writeMap(left) })
    }
    const description = writeMap(translations)
    const group =
      kept === undefined
        ? await terms.create({ taxonomy: POST_GROUPS, ...nameOfGroup(), description })
        : await terms.update(kept, { description })
    for (const id of linked) await posts.setTerms(id, new Map([[POST_GROUPS, [group.id]]]), write)
  }

  /** Removes a deleted post from its group. */
  async forget(id: number): Promise<void> {
    const { terms } = this.#plugin.services
    const group = (await terms.ofPosts(new RequestCache()).load(id)).get(POST_GROUPS)?.[0]
    if (group === undefined) return
    const left = without(idsIn(group.description), new Set([id]))
    if (Object.keys(left).length === 0) await terms.delete(group.id)
    else await terms.update(group.id, { description: writeMap(left) })
  }
}

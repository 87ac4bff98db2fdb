import type { Store } from '../../../../storage/store/index.ts'
import { OldSite } from '../../old-sites/old-site.ts'
import { idOf, type OldObject } from '../values.ts'

/** Fields of objects with the ID of an item. */
const ITEM_FIELDS = ['id', 'parent', 'featured_media', 'post', 'object_id'] as const

/** IDs on this site by the IDs of the old site; 0 for objects that did not come. */
export class MappedIds {
  readonly #site: OldSite
  readonly #typeName: (name: string) => string
  readonly #comments = new Map<number, number>()

  private constructor(site: OldSite, typeName: (name: string) => string) {
    this.#site = site
    this.#typeName = typeName
  }

  /** @param typeName converts the name of a taxonomy in exports to its name on this site */
  static async open(store: Store, home: string, typeName: (name: string) => string): Promise<MappedIds> {
    const site = await OldSite.open(store, home)
    await site.all('term')
    await site.all('user')
    return new MappedIds(site, typeName)
  }

  /** Loads the IDs that objects refer to, for the other methods. */
  async load(objects: readonly OldObject[]): Promise<void> {
    const items = objects.flatMap((object) => ITEM_FIELDS.map((field) => idOf(object[field])))
    await this.loadItems(items)
  }

  async loadItems(ids: readonly number[]): Promise<void> {
    await this.#site.load(
      'post',
      [...new Set(ids)].filter((id) => id !== 0),
    )
  }

  async loadComments(ids: readonly number[]): Promise<void> {
    for (const [id, { newId }] of await this.#site.find('comment', ids)) this.#comments.set(id, newId)
  }

  item(id: number): number {
    return this.#site.newIdOf('post', id)
  }

  term(taxonomy: string, id: number): number {
    return this.#site.newIdOf('term', id, this.#typeName(taxonomy))
  }

  user(id: number): number {
    return this.#site.newIdOf('user', id)
  }

  comment(id: number): number {
    return this.#comments.get(id) ?? 0
  }
}

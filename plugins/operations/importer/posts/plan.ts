import type { Row } from '../../../storage/store/index.ts'
import { padded, type ImportContext } from '../context.ts'
import { IdMap } from '../id-map.ts'
import type { WxrItem } from '../wxr/types.ts'
import { datesOf } from './dates.ts'
import type { ItemIds } from './item-ids.ts'

/** Information about items that is needed to write them. */
export interface Plan {
  /** Items that already exist, with their IDs. */
  existingIds: ReadonlyMap<WxrItem, number>
  /** Slugs of the items that existing posts use, by type: `page\nabout`. */
  takenSlugs: ReadonlySet<string>
}

/** An existing post, with the columns needed to identify it. */
type Candidate = Pick<Row<'posts'>, 'id' | 'type' | 'slug' | 'date' | 'guid'>

/** Finds items of the file that already exist, batch by batch. */
export class Planner {
  readonly #context: ImportContext
  readonly #ids: ItemIds
  /** Existing posts that were matched to an item of the file. */
  readonly #claimed = new IdMap()
  /** Statuses of existing posts. */
  #statuses: string[] | undefined

  constructor(context: ImportContext, ids: ItemIds) {
    this.#context = context
    this.#ids = ids
  }

  async plan(items: readonly WxrItem[]): Promise<Plan> {
    if (this.#ids.keep || items.length === 0) return { existingIds: new Map(), takenSlugs: new Set() }
    return { existingIds: await this.#findHere(items), takenSlugs: await this.#takenSlugs(items) }
  }

  async #findHere(items: readonly WxrItem[]): Promise<Map<WxrItem, number>> {
    const existingIds = new Map<WxrItem, number>()
    const byGuid = Map.groupBy(await this.#candidates(items), ({ guid }) => guid)
    for (const item of items) {
      const guids = new Set([item.guid, this.#context.rewrite(item.guid)])
      const sameGuid = [...guids].flatMap((guid) => byGuid.get(guid) ?? [])
      const id = this.#claim(item, sameGuid)
      if (id !== 0) existingIds.set(item, id)
    }
    return existingIds
  }

  /** Posts with the date or the ID of one of the items. */
  async #candidates(items: readonly WxrItem[]): Promise<Iterable<Candidate>> {
    const { tx } = this.#context
    const dates = padded([...new Set(items.map((item) => this.#dateOf(item)))])
    const ids = padded(items.map(({ id }) => id))
    const select = tx.db.selectFrom('posts').select(['id', 'type', 'slug', 'date', 'guid']).orderBy('id')
    // Includes the statuses, because the index on dates starts with them.
    const statuses = padded((this.#statuses ??= await this.#findStatuses()))
    const found = [
      ...(await tx.all(select.where('status', 'in', statuses).where('date', 'in', dates))),
      ...(await tx.all(select.where('id', 'in', ids))),
    ]
    return new Map(found.map((post) => [post.id, post])).values()
  }

  async #findStatuses(): Promise<string[]> {
    const { tx } = this.#context
    return (await tx.all(tx.db.selectFrom('posts').select('status').distinct())).map(({ status }) => status)
  }

  /** Finds the post that matches an item; 0 for none. Each post matches at most one item. */
  #claim(item: WxrItem, candidates: readonly Candidate[]): number {
    const type = this.#context.typeName(item.type)
    const date = this.#dateOf(item)
    let best = { id: 0, weight: -1 }
    for (const post of candidates) {
      if (post.type !== type || post.id > this.#ids.highestBefore || this.#claimed.has(post.id)) continue
      const sameId = post.id === item.id
      const sameSlug = post.slug === item.slug
      const sameDate = post.date === date
      // A GUID like ?p=1 is not unique: the date must match too or, if the date was changed, ID and slug.
      const isSame = item.guid === '' ? sameDate && sameSlug : sameDate || (sameId && sameSlug && item.slug !== '')
      const weight = (sameId ? 2 : 0) + (sameSlug ? 1 : 0)
      if (isSame && weight > best.weight) best = { id: post.id, weight }
    }
    if (best.id !== 0) this.#claimed.set(best.id, best.id)
    return best.id
  }

  async #takenSlugs(items: readonly WxrItem[]): Promise<Set<string>> {
    const slugs = [...new Set(items.map(({ slug }) => slug).filter((slug) => slug !== ''))]
    if (slugs.length === 0) return new Set()
    const { tx } = this.#context
    const query = tx.db.selectFrom('posts').select(['type', 'slug']).where('slug', 'in', padded(slugs))
    const found = await tx.all(query.where('id', '<=', this.#ids.highestBefore))
    return new Set(found.map(({ type, slug }) => `${type}\n${slug}`))
  }

  #dateOf(item: WxrItem): string {
    return datesOf(item, this.#context.now).date
  }
}

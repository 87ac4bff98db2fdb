import type { Row } from '../../../storage/store/index.ts'
import { padded, type ImportContext } from '../context.ts'
import { IdMap } from '../id-map.ts'
import type { WxrItem } from '../wxr/types.ts'
import { datesOf } from './dates.ts'
import type { ItemIds } from './item-ids.ts'

/** What is known of some items before they are written. */
export interface Plan {
  /** The items that are on the site already, with their IDs there. */
  here: ReadonlyMap<WxrItem, number>
  /** Slugs of the items that posts of the site have, by type: `page\nabout`. */
  takenSlugs: ReadonlySet<string>
}

/** A post that is on the site already, as far as it tells which item it is. */
type Candidate = Pick<Row<'posts'>, 'id' | 'type' | 'slug' | 'date' | 'guid'>

/** Finds what of the file is on the site already, some items at a time. */
export class Planner {
  readonly #context: ImportContext
  readonly #ids: ItemIds
  /** Posts of the site that an item of the file was found to be. */
  readonly #claimed = new IdMap()
  /** Those that posts of the site have. */
  #statuses: string[] | undefined

  constructor(context: ImportContext, ids: ItemIds) {
    this.#context = context
    this.#ids = ids
  }

  async plan(items: readonly WxrItem[]): Promise<Plan> {
    if (this.#ids.keep || items.length === 0) return { here: new Map(), takenSlugs: new Set() }
    return { here: await this.#findHere(items), takenSlugs: await this.#takenSlugs(items) }
  }

  async #findHere(items: readonly WxrItem[]): Promise<Map<WxrItem, number>> {
    const here = new Map<WxrItem, number>()
    const byGuid = Map.groupBy(await this.#candidates(items), ({ guid }) => guid)
    for (const item of items) {
      const guids = new Set([item.guid, this.#context.rewrite(item.guid)])
      const sameGuid = [...guids].flatMap((guid) => byGuid.get(guid) ?? [])
      const id = this.#claim(item, sameGuid)
      if (id !== 0) here.set(item, id)
    }
    return here
  }

  /** The posts that have the date or the ID of one of the items. */
  async #candidates(items: readonly WxrItem[]): Promise<Iterable<Candidate>> {
    const { tx } = this.#context
    const dates = padded([...new Set(items.map((item) => this.#dateOf(item)))])
    const ids = padded(items.map(({ id }) => id))
    const select = tx.db.selectFrom('posts').select(['id', 'type', 'slug', 'date', 'guid']).orderBy('id')
    // With the statuses, because the index on dates begins with them.
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

  /** The one of these posts that the item is; 0 for none. Each post is one item at most. */
  #claim(item: WxrItem, candidates: readonly Candidate[]): number {
    const type = this.#context.typeName(item.type)
    const date = this.#dateOf(item)
    let best = { id: 0, weight: -1 }
    for (const post of candidates) {
      if (post.type !== type || post.id > this.#ids.highestBefore || this.#claimed.has(post.id)) continue
      const sameId = post.id === item.id
      const sameSlug = post.slug === item.slug
      const sameDate = post.date === date
      // A guid like ?p=1 says little: the date has to be the same too, or where it was changed, ID and slug.
      const isSame = item.guid === '' ? sameDate && sameSlug : sameDate || (sameId && sameSlug && item.slug !== '')
      const weight = (sameId ? 2 : 0) + (sameSlug ? 1 : 0)
      if (isSame && weight > best.weight) best = { id: post.id, weight }
    }
    if (best.id !== 0) this.#claimed.set(best.id, best.id)
    return best.id
  }

  async #takenSlugs(items: readonly WxrItem[]): Promise<Set<string>> {
    const wanted = [...new Set(items.map(({ slug }) => slug).filter((slug) => slug !== ''))]
    if (wanted.length === 0) return new Set()
    const { tx } = this.#context
    const query = tx.db.selectFrom('posts').select(['type', 'slug']).where('slug', 'in', padded(wanted))
    const found = await tx.all(query.where('id', '<=', this.#ids.highestBefore))
    return new Set(found.map(({ type, slug }) => `${type}\n${slug}`))
  }

  #dateOf(item: WxrItem): string {
    return datesOf(item, this.#context.now).date
  }
}

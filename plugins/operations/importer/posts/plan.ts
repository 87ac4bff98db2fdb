import type { Row } from '../../../storage/store/index.ts'
import type { ImportContext } from '../context.ts'
import { padded } from '../lists.ts'
import { fingerprintOfName, keyOfName, normalizeGuid } from '../old-sites/fingerprint.ts'
import type { MappedObject } from '../old-sites/old-site.ts'
import { tablesOf } from '../old-sites/tables.ts'
import type { WxrItem } from '../wxr/types.ts'
import { datesOf } from './dates.ts'

/** An item of the file with its object on this site. */
export interface PlannedItem {
  readonly item: WxrItem
  /** ID in the map of the old site; negative if the item has none, or if another item has it. */
  readonly oldId: number
  /** Hash of the GUID; 0 for none. */
  readonly name: number
  /** The object of an earlier import, or a post that was here; undefined for a new item. */
  readonly object: MappedObject | undefined
}

/** Information about items that is needed to write them. */
export interface Plan {
  readonly items: readonly PlannedItem[]
  /** Slugs of the items that other posts use, by type: `page\nabout`. */
  readonly takenSlugs: ReadonlySet<string>
}

/** An existing post, with the columns needed to identify it. */
type Candidate = Pick<Row<'posts'>, 'id' | 'type' | 'slug' | 'title' | 'date' | 'guid'>

const CANDIDATE = ['posts.id', 'posts.type', 'posts.slug', 'posts.title', 'posts.date', 'posts.guid'] as const

/** Finds items of the file that already exist, batch by batch. */
export class Planner {
  readonly #context: ImportContext
  /** Whether the site had no posts, so that no other posts can be here. */
  readonly #startsEmpty: boolean
  /** Statuses of existing posts. */
  #statuses: string[] | undefined

  constructor(context: ImportContext, startsEmpty: boolean) {
    this.#context = context
    this.#startsEmpty = startsEmpty
  }

  /** @param items with different IDs */
  async plan(items: readonly WxrItem[]): Promise<Plan> {
    const known = await this.#findKnown(items)
    const missing = items.filter((item) => known.get(item)?.object === undefined)
    const here = this.#startsEmpty ? new Map<WxrItem, number>() : await this.#findHere(missing)
    const planned = items.map((item): PlannedItem => {
      const name = nameOf(item)
      const { oldId, object } = known.get(item) ?? { oldId: item.id || keyOf(item), object: undefined }
      const id = here.get(item)
      return {
        item,
        oldId,
        name,
        object: object ?? (id === undefined ? undefined : { newId: id, name, source: 0, written: 0 }),
      }
    })
    const takenSlugs = this.#startsEmpty ? new Set<string>() : await this.#takenSlugs(items)
    return { items: planned, takenSlugs }
  }

  /** Finds the objects of this and earlier imports. An ID alone does not identify an item of another site with this URL. */
  async #findKnown(
    items: readonly WxrItem[],
  ): Promise<Map<WxrItem, { oldId: number; object: MappedObject | undefined }>> {
    const { counters, oldSite } = this.#context
    const known = new Map<WxrItem, { oldId: number; object: MappedObject | undefined }>()
    const byId = await oldSite.find(
      'post',
      items.map(({ id }) => id).filter((id) => id !== 0),
    )
    const posts = await this.#postsOf(
      items.flatMap((item) => {
        const object = byId.get(item.id)
        return object !== undefined && isDoubtful(object, item) ? [object.newId] : []
      }),
    )
    const others: WxrItem[] = []
    for (const item of items) {
      const object = byId.get(item.id)
      const post = posts.get(object?.newId ?? 0)
      if (item.id === 0) others.push(item)
      else if (object !== undefined) {
        if (!isDoubtful(object, item) || this.#isSamePost(post, item)) known.set(item, { oldId: item.id, object })
        else others.push(item)
      }
    }
    const byKey = await oldSite.find('post', others.map(keyOf))
    for (const item of others) {
      known.set(item, { oldId: keyOf(item), object: byKey.get(keyOf(item)) })
      if (item.id !== 0 && !byKey.has(keyOf(item))) {
        counters.note('item whose ID is used by another item of the file', item.title)
      }
    }
    return known
  }

  async #postsOf(ids: readonly number[]): Promise<Map<number, Candidate>> {
    const { tx } = this.#context
    const wanted = ids.filter((id) => id !== 0)
    if (wanted.length === 0) return new Map()
    const query = tx.db.selectFrom('posts').select(CANDIDATE).where('id', 'in', padded(wanted))
    return new Map((await tx.all(query)).map((post) => [post.id, post]))
  }

  #isSamePost(post: Candidate | undefined, item: WxrItem): boolean {
    // An object that was deleted here cannot be compared.
    if (post === undefined) return this.#context.oldSite.home !== ''
    if (post.type !== this.#context.typeName(item.type)) return false
    if (post.guid !== '' && [item.guid, this.#context.rewrite(item.guid)].includes(post.guid)) return true
    if (post.slug === item.slug && item.slug !== '') return true
    const date = this.#dateOf(item)
    return date === this.#context.now ? post.title === item.title : post.date === date
  }

  /** Finds posts that are here without the map: other imports brought them before there was one. */
  async #findHere(items: readonly WxrItem[]): Promise<Map<WxrItem, number>> {
    const found = new Map<WxrItem, number>()
    if (items.length === 0) return found
    const claimed = new Set<number>()
    const byGuid = Map.groupBy(await this.#candidates(items), ({ guid }) => guid)
    for (const item of items) {
      const guids = new Set([item.guid, this.#context.rewrite(item.guid)])
      const sameGuid = [...guids].flatMap((guid) => byGuid.get(guid) ?? [])
      const id = this.#bestOf(
        item,
        sameGuid.filter((post) => !claimed.has(post.id)),
      )
      if (id === 0) continue
      claimed.add(id)
      found.set(item, id)
    }
    return found
  }

  /** Posts with the date or the ID of one of the items that are not in the map. */
  async #candidates(items: readonly WxrItem[]): Promise<Iterable<Candidate>> {
    const { tx } = this.#context
    const dates = padded([...new Set(items.map((item) => this.#dateOf(item)))])
    const ids = padded(items.map(({ id }) => id))
    const select = this.#unmapped().select(CANDIDATE).orderBy('posts.id')
    // Includes the statuses, because the index on dates starts with them.
    const statuses = padded((this.#statuses ??= await this.#findStatuses()))
    const found = [
      ...(await tx.all(select.where('posts.status', 'in', statuses).where('posts.date', 'in', dates))),
      ...(await tx.all(select.where('posts.id', 'in', ids))),
    ]
    return new Map(found.map((post) => [post.id, post])).values()
  }

  /** Posts that are not objects of the old site. */
  #unmapped() {
    const { oldSite, tx } = this.#context
    const query = tx.db.selectFrom('posts')
    return query.where((of) =>
      of.not(
        of.exists(
          tablesOf(tx)
            .selectFrom('importer__objects')
            .select('old_id')
            .where('kind', '=', 'post')
            .whereRef('new_id', '=', 'posts.id' as never)
            .where('site', '=', oldSite.id) as never,
        ),
      ),
    )
  }

  async #findStatuses(): Promise<string[]> {
    const { tx } = this.#context
    return (await tx.all(tx.db.selectFrom('posts').select('status').distinct())).map(({ status }) => status)
  }

  /** Finds the post that matches an item; 0 for none. */
  #bestOf(item: WxrItem, candidates: readonly Candidate[]): number {
    const type = this.#context.typeName(item.type)
    const date = this.#dateOf(item)
    let best = { id: 0, weight: -1 }
    for (const post of candidates) {
      if (post.type !== type) continue
      const sameId = post.id === item.id
      const sameSlug = post.slug === item.slug
      const sameDate = post.date === date
      // A GUID like ?p=1 is not unique: the date must match too or, if the date was changed, ID and slug.
      const isSame = item.guid === '' ? sameDate && sameSlug : sameDate || (sameId && sameSlug && item.slug !== '')
      const weight = (sameId ? 2 : 0) + (sameSlug ? 1 : 0)
      if (isSame && weight > best.weight) best = { id: post.id, weight }
    }
    return best.id
  }

  /** Objects of the same old site may share slugs, as pages below different parents do. */
  async #takenSlugs(items: readonly WxrItem[]): Promise<Set<string>> {
    const slugs = [...new Set(items.map(({ slug }) => slug).filter((slug) => slug !== ''))]
    if (slugs.length === 0) return new Set()
    const query = this.#unmapped().select(['posts.type', 'posts.slug']).where('posts.slug', 'in', padded(slugs))
    return new Set((await this.#context.tx.all(query)).map(({ type, slug }) => `${type}\n${slug}`))
  }

  #dateOf(item: WxrItem): string {
    return datesOf(item, this.#context.now).date
  }
}

/** Whether the ID of an object does not prove that an item is the same object. */
function isDoubtful({ name }: MappedObject, item: WxrItem): boolean {
  return name === 0 || name !== nameOf(item)
}

function nameOf({ guid }: WxrItem): number {
  return fingerprintOfName(normalizeGuid(guid))
}

/** The key in the map of an item without an ID of its own. */
function keyOf({ type, guid, date, dateGmt, slug, title }: WxrItem): number {
  return keyOfName(['post', type, normalizeGuid(guid), date || dateGmt, slug, slug === '' ? title : ''].join('\n'))
}

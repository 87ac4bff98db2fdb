import type { ReportPhrase } from '../phrases.ts'
import { fieldsOf, type Collection } from './collections.ts'
import { RouteFailure } from './old-response.ts'
import type { RemoteSite, Query } from './remote-site.ts'
import { NotOrdered, OffsetPager, PagePager, type ListResponse, type PagingFacts } from './pager.ts'
import type { SpooledCollection } from './spool.ts'
import { idOf, isObject, type OldObject } from './values.ts'

/** Facts about a collection in the spool. */
export interface ReadFacts extends PagingFacts {
  /** Number of objects that came in their public form, because the user may not edit them. */
  readonly publicCount?: number
  /** Why the collection is incomplete; null if it is complete. */
  failure: ReportPhrase | null
}

interface ReadingOptions {
  readonly site: RemoteSite
  readonly collection: Collection
  readonly spooled: SpooledCollection
  /** Fields of posts with IDs of terms. */
  readonly termFields: ReadonlySet<string>
  /** Called with the number of new objects. */
  readonly onObjects: (count: number) => void
}

/** IDs in one request for selected objects. */
const IDS_PER_REQUEST = 100
/** Requests ahead of the page that is stored. */
const MAX_PAGES_AHEAD = 4

/**
 * Reads a collection into the spool, and continues where an earlier run stopped. A route that fails repeatedly is left
 * incomplete with a reason; other collections are still read.
 * @throws IMPORT_LIVE_PAUSED if the old site can no longer be reached; file errors
 */
export async function readCollection(options: ReadingOptions): Promise<ReadFacts> {
  const { collection, spooled } = options
  const done = await spooled.done<ReadFacts>()
  if (done !== null) return done
  const shown = await readPages(options)
  const facts = { ...shown, total: shown.total ?? collection.total }
  const publicCount = await readPublic(options, facts)
  const all = { ...facts, count: facts.count + publicCount, ...(publicCount > 0 && { publicCount }) }
  await spooled.finish(all)
  return all
}

/**
 * Reads the public form of objects that a list counts, but shows only to users who may edit them.
 * @returns the number of objects
 */
async function readPublic(options: ReadingOptions, { count, failure, total, unreadable }: ReadFacts): Promise<number> {
  const { collection, spooled } = options
  if (failure !== null || !isPartlyShown(collection, count + unreadable, total)) return 0
  // Without a sample, all fields are read.
  const asVisitor = { ...options, collection: { ...collection, query: {}, sample: {}, isRaw: false } }
  const seen = await idsIn(spooled)
  const pager = new PagePager({
    start: null,
    seen,
    request: (page, size) => fetchList(asVisitor, { page, per_page: size }),
  })
  // An interrupted run continues at the end of the other list.
  const cursor = (await spooled.cursor()) ?? { offset: 0, lastId: 0, count: 0 }
  try {
    for await (const { objects } of pager.pages()) {
      await spooled.add(objects, cursor)
      options.onObjects(objects.length)
    }
  } catch (error) {
    if (!(error instanceof RouteFailure)) throw error
  }
  return seen.size - count
}

/** Whether a list for users who may edit the objects shows fewer of them than it counts. */
function isPartlyShown({ holds, query }: Collection, shown: number, total: number | null): boolean {
  return (holds === 'items' || holds === 'media') && query['context'] === 'edit' && total !== null && shown < total
}

async function readPages(options: ReadingOptions): Promise<ReadFacts> {
  const { collection, spooled } = options
  let facts: PagingFacts = { total: collection.total, count: 0, unreadable: 0, invalid: 0 }
  try {
    if (collection.paging === 'single') return { ...(await readSingle(options)), failure: null }
    if (collection.paging === 'offset') {
      const pager = new OffsetPager({
        start: await spooled.cursor(),
        ahead: Math.min(options.site.concurrency, MAX_PAGES_AHEAD),
        request: (offset, size) => fetchList(options, { orderby: 'id', order: 'asc', offset, per_page: size }),
      })
      facts = pager.facts
      try {
        await storePages(pager, options)
        return { ...facts, failure: null }
      } catch (error) {
        if (!(error instanceof NotOrdered)) throw error
      }
    }
    const seen = await idsIn(spooled)
    const pager = new PagePager({
      // Pages of an interrupted reading may have been in another order.
      start: collection.paging === 'offset' ? null : await spooled.cursor(),
      seen,
      request: (page, size) => fetchList(options, { page, per_page: size }),
    })
    facts = pager.facts
    await storePages(pager, options)
    return { ...facts, failure: null }
  } catch (error) {
    if (!(error instanceof RouteFailure)) throw error
    return { ...facts, failure: error.phrase }
  }
}

async function idsIn(spooled: SpooledCollection): Promise<Set<number>> {
  const ids = new Set<number>()
  for await (const { id } of spooled.objects()) ids.add(idOf(id))
  return ids
}

async function storePages(pager: OffsetPager | PagePager, { spooled, onObjects }: ReadingOptions): Promise<void> {
  for await (const { objects, cursor } of pager.pages()) {
    await spooled.add(objects, cursor)
    onObjects(objects.length)
  }
}

async function readSingle(options: ReadingOptions): Promise<PagingFacts> {
  const { objects } = await fetchList(options, {})
  const valid = objects.filter((object): object is OldObject => isObject(object))
  await options.spooled.add(valid, { offset: valid.length, lastId: 0, count: valid.length })
  options.onObjects(valid.length)
  return { total: objects.length, count: valid.length, unreadable: 0, invalid: objects.length - valid.length }
}

async function fetchList({ collection, site, termFields }: ReadingOptions, paging: Query): Promise<ListResponse> {
  const fields = fieldsOf(collection, termFields)
  const query = { ...collection.query, ...paging, ...(fields !== '' && { _fields: fields }) }
  const { body, total } = await site.get(collection.route, query)
  if (!Array.isArray(body)) throw new RouteFailure('invalid', 'the response is not a list')
  return { objects: body, total }
}

/**
 * Reads selected objects of a collection into the spool.
 * @throws RouteFailure; the errors of `RemoteSite.get`
 */
export async function readSelected(options: ReadingOptions, ids: readonly number[]): Promise<void> {
  const cursor = await options.spooled.cursor()
  let count = cursor?.count ?? 0
  const chunks: number[][] = []
  for (let start = count; start < ids.length; start += IDS_PER_REQUEST) {
    chunks.push(ids.slice(start, start + IDS_PER_REQUEST))
  }
  for (const chunk of chunks) {
    const { objects } = await fetchList(options, { include: chunk.join(','), per_page: IDS_PER_REQUEST })
    const wanted = new Set(chunk)
    const valid = objects.filter((object): object is OldObject => isObject(object) && wanted.has(idOf(object['id'])))
    count += chunk.length
    await options.spooled.add(valid, { offset: count, lastId: chunk.at(-1)!, count })
    options.onObjects(valid.length)
  }
}

/**
 * Lists IDs and versions of all objects of a collection: what changed since the last run follows from it.
 * @returns null if the list does not show all objects that it counts
 */
export async function listVersions(site: RemoteSite, collection: Collection): Promise<Map<number, string> | null> {
  const versions = new Map<number, string>()
  const versionFields = ['id', 'modified_gmt', 'status'].filter((name) => name in collection.sample)
  const request = async (paging: Query): Promise<ListResponse> => {
    const query = { ...collection.query, ...paging, _fields: versionFields.join(',') }
    const { body, total } = await site.get(collection.route, query)
    if (!Array.isArray(body)) throw new RouteFailure('invalid', 'the response is not a list')
    return { objects: body, total }
  }
  const add = async (pager: OffsetPager | PagePager) => {
    for await (const { objects } of pager.pages()) {
      for (const object of objects) versions.set(idOf(object['id']), versionOf(object))
    }
    return isPartlyShown(collection, versions.size, pager.facts.total) ? null : versions
  }
  if (collection.paging === 'offset') {
    try {
      const list = (offset: number, size: number) => request({ orderby: 'id', order: 'asc', offset, per_page: size })
      const ahead = Math.min(site.concurrency, MAX_PAGES_AHEAD)
      return await add(new OffsetPager({ start: null, ahead, request: list }))
    } catch (error) {
      if (!(error instanceof NotOrdered)) throw error
    }
  }
  const list = (page: number, size: number) => request({ page, per_page: size })
  return await add(new PagePager({ start: null, seen: new Set(), request: list }))
}

/** The version of an object, which differs after each change. */
export function versionOf({ modified_gmt: modified, status }: OldObject): string {
  return `${String(modified)} ${String(status)}`
}

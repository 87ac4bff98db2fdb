import type { ReportPhrase } from '../phrases.ts'
import { addSkipped } from '../report.ts'
import type { Collection } from './collections.ts'
import { RouteFailure } from './old-response.ts'
import type { RemoteSite } from './remote-site.ts'
import type { SpooledCollection } from './spool.ts'
import { idOf, isObject, listOf, objectOf, words, type OldObject } from './values.ts'

/** Posts whose revisions are stored together. */
const POSTS_PER_PAGE = 20
/** The newest revisions of a post that are read. */
const REVISIONS_PER_POST = 100
/** Posts without readable revisions in a row after which no more are requested. */
const MAX_FAILURES_IN_ROW = 5
/** Fields of a revision, in their raw form. */
const REVISION_FIELDS = words(
  'id author date date_gmt modified modified_gmt slug guid.raw title.raw content.raw excerpt.raw meta',
).join(',')
const AUTOSAVE = /-autosave-v1$/

/** The result of reading revisions. */
export interface RevisionFacts {
  count: number
  /** Posts whose revisions could not be read, by reason. */
  failures: Record<string, number>
  /** The reasons with values. */
  phrases: Record<string, ReportPhrase>
}

/** Number of revisions of a post, from its link. */
export function countOfRevisions(object: OldObject): number {
  const history = objectOf(listOf(objectOf(object['_links'])['version-history'])[0])
  return idOf(history['count'])
}

/**
 * Reads the revisions of posts into the spool. Autosaves do not come.
 * @param ids IDs of the posts with revisions, in ascending order
 * @throws IMPORT_LIVE_PAUSED
 */
export async function readRevisions(
  site: RemoteSite,
  collection: Collection,
  ids: readonly number[],
  spooled: SpooledCollection,
  onObjects: (count: number) => void,
): Promise<RevisionFacts> {
  const done = await spooled.done<RevisionFacts>()
  if (done !== null) return done
  const facts: RevisionFacts = { count: 0, failures: {}, phrases: {} }
  const failures = { skipped: facts.failures, phrases: facts.phrases }
  const cursor = await spooled.cursor()
  facts.count = cursor?.count ?? 0
  let inRow = 0
  for (let start = cursor?.offset ?? 0; start < ids.length; start += POSTS_PER_PAGE) {
    const posts = ids.slice(start, start + POSTS_PER_PAGE)
    const lists = await Promise.all(posts.map((id) => revisionsOf(site, collection, id)))
    const objects: OldObject[] = []
    for (const list of lists) {
      if (list instanceof RouteFailure) {
        addSkipped(failures, list.phrase, 1)
        inRow += 1
      } else {
        objects.push(...list)
        inRow = 0
      }
    }
    facts.count += objects.length
    await spooled.add(objects, { offset: start + posts.length, lastId: posts.at(-1)!, count: facts.count })
    onObjects(objects.length)
    if (inRow >= MAX_FAILURES_IN_ROW) {
      const rest = ids.length - start - posts.length
      if (rest > 0) addSkipped(failures, 'not requested after several failures', rest)
      break
    }
  }
  await spooled.finish(facts)
  return facts
}

/** The revisions of a post, oldest first, or why they cannot be read. */
async function revisionsOf(site: RemoteSite, collection: Collection, id: number): Promise<OldObject[] | RouteFailure> {
  try {
    const query = { context: 'edit', per_page: REVISIONS_PER_POST, _fields: REVISION_FIELDS }
    const { body } = await site.get(`${collection.route}/${id}/revisions`, query)
    const revisions = listOf(body).filter((one): one is OldObject => isObject(one) && idOf(one['id']) !== 0)
    return revisions
      .filter(({ slug }) => !AUTOSAVE.test(String(slug)))
      .map((revision): OldObject => ({ ...revision, parent: id }))
      .sort((one, other) => idOf(one['id']) - idOf(other['id']))
  } catch (error) {
    if (error instanceof RouteFailure) return error
    throw error
  }
}

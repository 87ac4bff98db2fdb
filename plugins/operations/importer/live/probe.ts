import type { PluginContext } from '../../../../kernel/index.ts'
import { AllowList } from '../../../foundation/outgoing/index.ts'
import { fieldsOf, type Collection } from './collections.ts'
import { discover } from './discovery.ts'
import { errors } from '../errors.ts'
import { readExtras } from './extras.ts'
import { fieldGaps, generalGaps, pluginGaps } from './gaps.ts'
import { requestOptions } from './live-import.ts'
import { pluginsOf } from './old-plugins.ts'
import { RouteFailure } from './old-response.ts'
import { PAGE_SIZE } from './pager.ts'
import type { RemoteSite } from './remote-site.ts'
import { survey } from './survey.ts'
import type { LiveGap, LiveImportOptions, LiveProbe, ProbedKind } from './types.ts'
import { text } from './values.ts'

/** Objects that an import stores per second, for the estimate. */
const STORED_PER_SECOND = 1000
/** Requests for everything that is not in lists. */
const OTHER_REQUESTS = 30

/**
 * Finds out what an import of a running site would bring. Reads only counts and single objects, and changes nothing.
 * @throws the errors of `Importer.runLive`
 */
export async function probe(plugin: PluginContext, options: LiveImportOptions): Promise<LiveProbe> {
  if (!plugin.has('outgoing')) throw errors.IMPORT_LIVE_OFF()
  void new AllowList(options.allow ?? [], [])
  const found = await discover(options.url, requestOptions(plugin, options))
  const { index, site } = found
  const surveyed = await survey(found, options.user ?? null)
  const { collections, gaps, taxonomies, user } = surveyed
  const otherGaps: LiveGap[] = []
  const [kinds] = await Promise.all([
    Promise.all(collections.map((collection) => probeKind(site, collection))),
    readExtras(found, surveyed, [], otherGaps),
  ])
  const plugins = pluginsOf(index.namespaces, site.root.word)
  const termFields = new Set(taxonomies.map(({ field }) => field))
  const objects = kinds.reduce((sum, { count }) => sum + (count ?? 0), 0)
  const requests = OTHER_REQUESTS + kinds.reduce((sum, { count }) => sum + Math.ceil((count ?? 0) / (PAGE_SIZE - 1)), 0)
  const perRequest = await measure(site, largest(collections), termFields)
  return {
    from: index.home,
    root: site.root.url,
    user,
    kinds,
    gaps: [
      ...gaps,
      ...otherGaps,
      ...fieldGaps(surveyed),
      ...pluginGaps(surveyed, plugins),
      ...generalGaps(site.isLoggedIn),
    ],
    plugins,
    requests,
    seconds: Math.ceil((requests * perRequest) / site.concurrency + objects / STORED_PER_SECOND),
  }
}

async function probeKind(site: RemoteSite, collection: Collection): Promise<ProbedKind> {
  const { kind, query, route, total } = collection
  const statuses = text(query['status']).split(',')
  const probed: ProbedKind = { kind, route, count: total }
  if (statuses.length < 2) return probed
  const counts = await Promise.all(
    statuses.map(async (status) => {
      try {
        const { total: count } = await site.get(route, { ...query, status, per_page: 1, _fields: 'id' })
        return [status, count ?? 0] as const
      } catch (error) {
        if (error instanceof RouteFailure) return [status, 0] as const
        throw error
      }
    }),
  )
  return { ...probed, statuses: Object.fromEntries(counts.filter(([, count]) => count > 0)) }
}

function largest(collections: readonly Collection[]): Collection | undefined {
  return [...collections].sort((one, other) => (other.total ?? 0) - (one.total ?? 0))[0]
}

/** Seconds that the old site takes for a page. */
async function measure(site: RemoteSite, collection: Collection | undefined, termFields: ReadonlySet<string>) {
  if (collection === undefined) return 0
  const fields = fieldsOf(collection, termFields)
  const started = performance.now()
  const query = { ...collection.query, per_page: PAGE_SIZE, ...(fields !== '' && { _fields: fields }) }
  await site.get(collection.route, query).catch((error: unknown) => {
    if (!(error instanceof RouteFailure)) throw error
  })
  return (performance.now() - started) / 1000
}

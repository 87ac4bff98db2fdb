import type { PluginContext } from '../../../../../kernel/index.ts'
import type { ReportReason } from '../../phrases.ts'
import { Counters } from '../../report.ts'
import { TextFilter, writingRules } from '../../text-filter.ts'
import { urlRewriter } from '../../url-rewriter.ts'
import type { Collection } from '../collections.ts'
import type { FoundSite } from '../discovery.ts'
import type { ProgressMeter } from '../progress.ts'
import type { ReadResult } from '../reading-run.ts'
import type { Spool } from '../spool.ts'
import type { HighestIds } from '../state.ts'
import { ownTypeName, type Survey } from '../survey.ts'
import type { Comparison, LiveComparison } from '../types.ts'
import { idOf, isBehindPassword, objectOf, text, type OldObject } from '../values.ts'
import { Differences } from './differences.ts'
import {
  BEHIND_PASSWORD,
  comparedFields,
  compareObjects,
  type ComparisonContext,
  type FieldDifference,
} from './expected.ts'
import { HereReader } from './here.ts'
import { MappedIds } from './mapped-ids.ts'

/** Objects that are read in one request. */
const OBJECTS_PER_REQUEST = 100
/** Objects of each collection in a sample. */
const SAMPLE_SIZE = 200
/** Settings that the config of each site defines. */
const OWN_SETTINGS: ReadonlySet<string> = new Set(['url', 'email'])
const SETTINGS_WITH_ITEM: ReadonlySet<string> = new Set(['page_on_front', 'page_for_posts', 'site_logo', 'site_icon'])

interface ComparisonParts {
  readonly plugin: PluginContext
  readonly found: FoundSite
  readonly survey: Survey
  readonly spool: Spool
  readonly read: ReadResult
  /** The highest IDs of this site before the import. */
  readonly before: HighestIds
  readonly which: Exclude<Comparison, 'none'>
  readonly isRewritten: boolean
  readonly meter: ProgressMeter
  readonly signal?: AbortSignal | undefined
}

/** Compares the objects read from the old site with the responses of this site, route by route. */
export class SiteComparison {
  readonly #parts: ComparisonParts
  readonly #here: HereReader
  readonly #context: ComparisonContext
  readonly #differences = new Differences()
  readonly #routes: LiveComparison['routes'] = []

  private constructor(parts: ComparisonParts, here: HereReader, ids: MappedIds) {
    this.#parts = parts
    this.#here = here
    const { before, found, isRewritten, plugin, survey } = parts
    const home = plugin.urls.home
    const filter = new TextFilter(writingRules(plugin.services), new Counters(), home)
    const word = found.site.root.word
    this.#context = {
      ids,
      rewrite: isRewritten
        ? urlRewriter({ from: found.index.home, to: home, uploads: `${home}/uploads` })
        : (content) => content,
      words: { old: word, here: plugin.branding.word },
      taxonomyOfField: new Map(survey.taxonomies.map(({ field, slug }) => [field, ownTypeName(slug, word)])),
      wasHere: (holds, id) => id <= before[tableOf(holds)],
      isFiltered: (one, other, form = (filtered) => filtered) =>
        [filter.content(one, ''), filter.title(one), filter.comment(one, false)].map(form).includes(form(other)),
    }
  }

  static async run(parts: ComparisonParts): Promise<LiveComparison> {
    const { found, plugin } = parts
    const typeName = (name: string) => plugin.branding.ownTypeName(name)
    const ids = await MappedIds.open(plugin.services.store, found.index.home, typeName)
    const comparison = new SiteComparison(parts, await HereReader.open(plugin), ids)
    return await comparison.#run()
  }

  async #run(): Promise<LiveComparison> {
    const { meter, read, survey } = this.#parts
    meter.begin('comparing', survey.collections.length)
    for (const collection of survey.collections) {
      const route = this.#routeHere(collection)
      if (route === null) {
        const reason = 'the type or taxonomy is not registered here: its objects are stored, but not served'
        this.#differences.add(collection.route, '', reason, collection.slug)
      } else await this.#collection(collection, route)
      meter.add(1)
    }
    await this.#settings(read.extras.settings)
    meter.end()
    return { routes: this.#routes, differences: this.#differences.all() }
  }

  /** The route of a collection on this site; null if its type or taxonomy is not registered. */
  #routeHere({ holds, slug }: Collection): string | null {
    const { branding, services } = this.#parts.plugin
    if (holds === 'users' || holds === 'comments') return holds
    const name = branding.ownTypeName(slug)
    const registered =
      holds === 'terms' || holds === 'menus' ? services.taxonomies.get(name) : services.contentTypes.get(name)
    if (registered === undefined || !registered.show_in_rest) return null
    const { rest_base: base, rest_namespace: namespace } = registered
    return `/${namespace || branding.namespace('v2')}/${base || name}`
  }

  async #collection(collection: Collection, route: string): Promise<void> {
    const { holds, query } = collection
    const { ids } = this.#context
    const { status } = query
    const shown = {
      context: 'edit',
      ...(holds === 'comments' ? { status: 'any', type: 'all' } : typeof status === 'string' && { status }),
    }
    const _fields = comparedFields(holds, this.#context.taxonomyOfField.keys())
    let compared = 0
    // The posts that came as drafts are not in the list of public ones.
    let drafts = 0
    const seen = (object: OldObject) => void (drafts += isBehindPassword(object) ? 1 : 0)
    for await (const objects of this.#batches(collection, seen)) {
      this.#parts.signal?.throwIfAborted()
      if (holds === 'comments') await ids.loadComments(objects.map(({ id }) => idOf(id)))
      await ids.load(objects)
      const newIds = new Map(objects.map((object) => [this.#newId(collection, object), object]))
      const include = [...newIds.keys()].filter((id) => id !== 0).join(',')
      const here =
        include === ''
          ? new Map<number, OldObject>()
          : await this.#here.byId(route, { ...shown, include, _fields, per_page: OBJECTS_PER_REQUEST })
      for (const object of objects) {
        const id = this.#newId(collection, object)
        const found = here.get(id)
        compared += 1
        if (found !== undefined) this.#compare(collection, object, found, this.#context.wasHere(holds, id))
        else {
          const reason = await this.#whyMissing(collection, route, object, id)
          this.#differences.add(collection.route, '', reason, nameOf(object), 'the object is missing here')
        }
      }
    }
    await this.#count(collection, route, shown, { compared, drafts })
  }

  /** Why the list of a route lacks an object; null if no reason is known. */
  async #whyMissing({ holds }: Collection, route: string, object: OldObject, id: number): Promise<ReportReason | null> {
    if (holds === 'comments' && this.#context.ids.item(idOf(object['post'])) === 0) return 'its post did not come'
    if (id === 0 || !isBehindPassword(object)) return null
    const { body } = (await this.#here.get(`${route}/${id}`, { context: 'edit' })) ?? {}
    return objectOf(body)['status'] === 'draft' ? BEHIND_PASSWORD : null
  }

  async #count(
    collection: Collection,
    route: string,
    query: Record<string, string>,
    { compared, drafts }: { compared: number; drafts: number },
  ): Promise<void> {
    const response = await this.#here.get(route, { ...query, per_page: 1 })
    const old = this.#parts.read.totals[collection.key] ?? null
    const here = response?.total ?? 0
    this.#routes.push({ route: collection.route, old, here, compared })
    if (old === null || here + drafts >= old) return
    this.#differences.add(collection.route, 'count', null, `${old} → ${here}`)
  }

  #compare({ holds, route }: Collection, old: OldObject, here: OldObject, wasHere: boolean): void {
    for (const difference of compareObjects(holds, old, here, this.#context)) {
      this.#add(route, difference, old, wasHere ? 'the object was already here and differs' : null)
    }
  }

  #add(
    route: string,
    { field, here, old, reason }: FieldDifference,
    object: OldObject,
    known: ReportReason | null,
  ): void {
    const [one, other] = differingParts(String(JSON.stringify(old)), String(JSON.stringify(here)))
    this.#differences.add(route, field, reason ?? known, `${nameOf(object)}: ${one} → ${other}`)
  }

  async #settings(settings: OldObject): Promise<void> {
    if (Object.keys(settings).length === 0) return
    const { before } = this.#parts
    const { ids } = this.#context
    await ids.loadItems([...SETTINGS_WITH_ITEM].map((name) => idOf(settings[name])))
    const here = objectOf((await this.#here.get('settings'))?.body)
    const route = this.#parts.found.site.route('settings')
    let compared = 0
    for (const [name, value] of Object.entries(settings)) {
      if (OWN_SETTINGS.has(name) || value === null || value === '') continue
      if (!(name in here)) {
        this.#differences.add(route, name, 'no plugin of this site registers the setting', JSON.stringify(value))
        continue
      }
      compared += 1
      const expected = this.#expectedSetting(name, value, ids)
      if (JSON.stringify(expected) === JSON.stringify(here[name])) continue
      const reason =
        before.posts > 0
          ? 'the site had the setting already'
          : expected === 0
            ? 'the object did not come'
            : typeof value === 'string' && this.#context.isFiltered(value, text(here[name]))
              ? 'converted to plain text'
              : null
      this.#differences.add(route, name, reason, `${JSON.stringify(value)} → ${JSON.stringify(here[name])}`)
    }
    this.#routes.push({ route, old: null, here: Object.keys(here).length, compared })
  }

  #expectedSetting(name: string, value: unknown, ids: MappedIds): unknown {
    if (typeof value === 'number' && value > 0) {
      if (SETTINGS_WITH_ITEM.has(name)) return ids.item(value)
      if (name === 'default_category') return ids.term('category', value) || value
    }
    return typeof value === 'string' ? this.#context.rewrite(value) : value
  }

  #newId({ holds, slug }: Collection, object: OldObject): number {
    const { ids } = this.#context
    const id = idOf(object['id'])
    if (holds === 'users') return ids.user(id)
    if (holds === 'comments') return ids.comment(id)
    return holds === 'terms' || holds === 'menus' ? ids.term(slug, id) : ids.item(id)
  }

  /** Yields the spooled objects of a collection, or of an even sample. Passes each object to `seen`. */
  async *#batches({ key }: Collection, seen: (object: OldObject) => void): AsyncGenerator<OldObject[]> {
    const spooled = await this.#parts.spool.collection(key)
    const count = (await spooled.cursor())?.count ?? 0
    const step = this.#parts.which === 'all' ? 1 : Math.max(1, Math.floor(count / SAMPLE_SIZE))
    let batch: OldObject[] = []
    let at = 0
    for await (const object of spooled.objects()) {
      seen(object)
      if (at++ % step === 0) batch.push(object)
      if (batch.length < OBJECTS_PER_REQUEST) continue
      yield batch
      batch = []
    }
    if (batch.length > 0) yield batch
  }
}

function tableOf(holds: Collection['holds']): 'posts' | 'terms' | 'users' | 'comments' {
  if (holds === 'users' || holds === 'comments') return holds
  return holds === 'terms' || holds === 'menus' ? 'terms' : 'posts'
}

/** A name to find the object: its ID with slug or title. */
function nameOf(object: OldObject): string {
  const { id, name, slug } = object
  return `${String(id)} ${text(slug) || text(name)}`.trim()
}

/** The parts of two texts from where they differ. */
function differingParts(one: string, other: string): [string, string] {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  const start = Math.max(0, at - 10)
  return [one.slice(start, start + 40), other.slice(start, start + 40)]
}

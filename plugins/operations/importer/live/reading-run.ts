import { phrase } from '../phrases.ts'
import { phraseIn } from '../report.ts'
import type { Collection } from './collections.ts'
import type { FoundSite } from './discovery.ts'
import { gapOf } from './gap.ts'
import { readExtras, type Extras } from './extras.ts'
import type { ProgressMeter } from './progress.ts'
import { listVersions, readCollection, readSelected, versionOf, type ReadFacts } from './reading.ts'
import { countOfRevisions, readRevisions } from './revisions.ts'
import { RouteFailure } from './old-response.ts'
import type { Spool } from './spool.ts'
import { contentVersion, readVersions, type Versions } from './state.ts'
import type { Survey } from './survey.ts'
import type { LiveGap } from './types.ts'
import { idOf } from './values.ts'

/** The results of a run, in addition to the objects in the spool. All records have the key of a collection. */
export interface ReadResult {
  /** IDs and versions of all objects on the old site, of the collections that were read completely. */
  readonly versions: Readonly<Record<string, readonly (readonly [number, string])[]>>
  /** IDs of objects that were deleted since the last run. */
  readonly deleted: Readonly<Record<string, readonly number[]>>
  /** Number of objects on the old site. */
  readonly totals: Readonly<Record<string, number | null>>
  readonly extras: Extras
  readonly gaps: readonly LiveGap[]
}

/** File of the result in the spool. */
export const RESULT = 'objects/read'

interface ReadingRunOptions {
  readonly found: FoundSite
  readonly survey: Survey
  readonly spool: Spool
  /** Whether only changes since the last run are read. */
  readonly isIncremental: boolean
  readonly withRevisions: boolean
  readonly meter: ProgressMeter
}

/** Reads everything, or all changes, from the old site into the spool. An interrupted run continues. */
export class ReadingRun {
  readonly #options: ReadingRunOptions
  readonly #versions = new Map<string, Versions>()
  readonly #deleted = new Map<string, readonly number[]>()
  readonly #totals = new Map<string, number | null>()
  readonly #gaps: LiveGap[] = []
  readonly #termFields: ReadonlySet<string>

  constructor(options: ReadingRunOptions) {
    this.#options = options
    this.#termFields = new Set(options.survey.taxonomies.map(({ field }) => field))
  }

  /** @throws IMPORT_LIVE_PAUSED if the old site can no longer be reached; file errors */
  async run(): Promise<ReadResult> {
    const { found, meter, spool, survey } = this.#options
    meter.begin('reading', await this.#expected(), await this.#alreadyRead())
    const [comments, others] = partition(survey.collections, ({ holds }) => holds === 'comments')
    await Promise.all(others.map((collection) => this.#read(collection)))
    await Promise.all(comments.map((collection) => this.#read(collection)))
    if (this.#options.isIncremental) for (const collection of comments) await this.#readCommentedPosts(collection)
    if (this.#options.withRevisions) for (const one of others) await this.#readRevisions(one)
    const extras = await this.#readExtras(found)
    meter.end()
    const result = {
      versions: mapValues(this.#versions, (versions) => [...versions]),
      deleted: Object.fromEntries(this.#deleted),
      totals: Object.fromEntries(this.#totals),
      extras,
      gaps: this.#gaps,
    }
    await spool.write(RESULT, result)
    return result
  }

  async #expected(): Promise<number> {
    const { isIncremental, survey } = this.#options
    if (isIncremental) return 0
    return survey.collections.reduce((sum, { total }) => sum + (total ?? 0), 0)
  }

  async #alreadyRead(): Promise<number> {
    const { spool, survey } = this.#options
    let count = 0
    for (const { key } of survey.collections) count += (await (await spool.collection(key)).cursor())?.count ?? 0
    return count
  }

  async #read(collection: Collection): Promise<void> {
    const { found, isIncremental, meter, spool } = this.#options
    const spooled = await spool.collection(collection.key)
    const before = await readVersions(spool, collection.key)
    const options = {
      site: found.site,
      collection,
      spooled,
      termFields: this.#termFields,
      onObjects: (count: number) => meter.add(count),
    }
    this.#totals.set(collection.key, collection.total)
    if (isIncremental && before !== null && 'modified_gmt' in collection.sample) {
      try {
        const versions = await listVersions(found.site, collection)
        if (versions !== null) {
          const changed = [...versions].filter(([id, version]) => before.get(id) !== version).map(([id]) => id)
          await readSelected(options, changed)
          this.#finish(collection, versions, before)
          return
        }
      } catch (error) {
        if (!(error instanceof RouteFailure)) throw error
        this.#gaps.push(gapOf(collection.kind, error.phrase))
        return
      }
    }
    const facts = await readCollection(options)
    this.#note(collection, facts)
    if (facts.failure !== null) return
    const versions: Versions = new Map()
    const isDated = 'modified_gmt' in collection.sample
    for await (const object of spooled.objects()) {
      versions.set(idOf(object['id']), isDated ? versionOf(object) : contentVersion(object))
    }
    this.#finish(collection, versions, before)
  }

  #finish({ key }: Collection, versions: Versions, before: Versions | null): void {
    this.#versions.set(key, versions)
    this.#totals.set(key, versions.size)
    if (before !== null)
      this.#deleted.set(
        key,
        [...before.keys()].filter((id) => !versions.has(id)),
      )
  }

  /** Reports the missing parts of a collection. */
  #note({ kind, total }: Collection, facts: ReadFacts): void {
    const stated = facts.total ?? total
    if (facts.failure !== null) {
      const { count, failure: reason } = facts
      const said =
        stated === null
          ? phrase('only {count} were read: {reason}', { count, reason })
          : phrase('only {count} of {total} were read: {reason}', { count, total: stated, reason })
      this.#gaps.push(gapOf(kind, said))
    } else if (stated !== null && facts.count + facts.unreadable < stated) {
      const missing = stated - facts.count - facts.unreadable
      this.#gaps.push(gapOf(kind, phrase('{missing} of {total} are not shown to the user', { missing, total: stated })))
    }
    const { publicCount: count = 0 } = facts
    if (count > 0) {
      const reason = phrase('{count} came in the form in which pages show them: the user may not edit them', { count })
      this.#gaps.push(gapOf(kind, reason))
    }
    if (facts.unreadable > 0) {
      const left = phrase('{count} left out, because the old site fails to show them', { count: facts.unreadable })
      this.#gaps.push(gapOf(kind, left))
    }
    if (facts.invalid > 0)
      this.#gaps.push(gapOf(kind, phrase('{count} entries without an ID', { count: facts.invalid })))
  }

  /** Reads unchanged posts with new or changed comments, so that the comments can be stored with them. */
  async #readCommentedPosts(comments: Collection): Promise<void> {
    const { found, meter, spool, survey } = this.#options
    const before = await readVersions(spool, comments.key)
    if (before === null) return
    const posts = new Set<number>()
    for await (const object of (await spool.collection(comments.key)).objects()) {
      if (before.get(idOf(object['id'])) !== contentVersion(object)) posts.add(idOf(object['post']))
    }
    for (const collection of survey.collections) {
      if (collection.holds !== 'items' && collection.holds !== 'media') continue
      const seen = await readVersions(spool, collection.key)
      const versions = this.#versions.get(collection.key)
      const unchanged = [...posts].filter((id) => seen?.has(id) === true && seen.get(id) === versions?.get(id))
      if (unchanged.length === 0) continue
      const spooled = await spool.collection(`${collection.key}-commented`)
      const onObjects = (count: number) => meter.add(count)
      await readSelected({ site: found.site, collection, spooled, termFields: this.#termFields, onObjects }, unchanged)
    }
  }

  async #readRevisions(collection: Collection): Promise<void> {
    const { found, meter, spool } = this.#options
    if (collection.holds !== 'items' || !found.site.isLoggedIn) return
    const ids: number[] = []
    for await (const object of (await spool.collection(collection.key)).objects()) {
      if (countOfRevisions(object) > 0) ids.push(idOf(object['id']))
    }
    if (ids.length === 0) return
    const spooled = await spool.collection(`revisions-${collection.key}`)
    const facts = await readRevisions(found.site, collection, ids, spooled, (count) => meter.add(count))
    for (const [reason, count] of Object.entries(facts.failures)) {
      const subject = phrase('revisions of {count} {kind}', { count, kind: collection.kind })
      this.#gaps.push(gapOf(subject, phraseIn(facts.phrases, reason)))
    }
  }

  async #readExtras(found: FoundSite): Promise<Extras> {
    const { spool, survey } = this.#options
    const families = []
    for (const { holds, key } of survey.collections) {
      if (holds === 'fonts') for await (const family of (await spool.collection(key)).objects()) families.push(family)
    }
    const gaps: LiveGap[] = []
    const extras = await readExtras(found, survey, families, gaps)
    this.#gaps.push(...gaps)
    return extras
  }
}

function mapValues<T, U>(map: ReadonlyMap<string, T>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries([...map].map(([key, value]) => [key, change(value)]))
}

function partition<T>(all: readonly T[], test: (one: T) => boolean): [T[], T[]] {
  return [all.filter(test), all.filter((one) => !test(one))]
}

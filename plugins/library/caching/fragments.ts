import { LRUCache } from 'lru-cache'
import { hash } from 'node:crypto'
import {
  currentOwner,
  currentWork,
  isReadMethod,
  isThenable,
  registrations,
  runDetached,
  type Awaitable,
  type HeaderValue,
  type RequestCache,
  type RequestReadsCache,
  type RequestSince,
  type RestRequest,
  type RestServer,
} from '../../../kernel/index.ts'
import { Json, type KeptText } from './json.ts'
import type { LinkTexts } from './response-body.ts'
import { collectInto, currentDependencies, Dependencies, partOfCurrent, type Noted } from './dependencies.ts'
import { stateOf, type VersionSource } from './versioned-cache.ts'
import { viewOf } from './view-of.ts'

/** What one object looks like to readers of one kind. */
export interface Fragment extends KeptText {
  /** The links of a single object, which stand beside its data; in lists they are part of the text. */
  readonly links: LinkTexts | null
  readonly headers: readonly (readonly [name: string, value: HeaderValue])[]
  /** Texts that it is made of, where those are handed over rather than read. */
  readonly source: readonly string[]
}

interface KeptFragment extends Fragment, Noted {
  /** Without the request, which would stay in memory with it. */
  readonly kind: KindParts
  readonly tags: readonly string[]
  /** The state in which none of its tags was known to have changed. */
  checked: number
  /** Whether it is being made again, because a part of it had failed. */
  isRetried: boolean
}

/** Fragments that differ in nothing but the object that they show. */
interface KindParts {
  /** A short name of the kind. */
  readonly name: string
  readonly key: string
  /** How many are kept, and whether any of them is for one request alone. */
  readonly count: { kept: number; ofRequest: boolean }
}

/** A kind of fragments, as one request looks for them and stores them. */
export interface FragmentKind extends KindParts {
  /** What there was before anything was read for the request. */
  readonly since: RequestSince
  /** The request, null where the site shows a page; `mark` identifies it, once it was computed, null if nothing does. */
  readonly asking: { readonly scope: RequestCache; readonly request: RestRequest | null; mark?: string | null }
}

/** Bytes of all fragments, texts of content included. */
const MOST_BYTES = 32 * 1024 * 1024
/** The part of these bytes that fragments take in addition that are for one request alone. */
const OF_REQUESTS = 1 / 4
/** Bytes of one: a long text is made anew, so that it does not put out a hundred short ones. */
const MAX_FRAGMENT_BYTES = 256 * 1024
/** Bytes of a fragment beside its texts, and of a tag, about. */
const FRAGMENT_OVERHEAD_BYTES = 400
const TAG_BYTES = 48

/**
 * What objects look like, as JSON texts, each as long as nothing has changed that it depends on. They are not purged: a
 * fragment is looked at before it is used.
 */
export class Fragments implements RequestReadsCache {
  #versions: VersionSource | null = null
  #keepsItems = false
  #names = 0
  #clears = 0
  readonly #kinds = new Map<string, Pick<FragmentKind, 'name' | 'count'>>()
  #registrations = registrations()
  readonly #kept: LRUCache<string, KeptFragment>
  /** Those that are for one request alone, of which clients can make any number. */
  readonly #ofRequests: LRUCache<string, KeptFragment>

  /** @param bytes of all fragments, about */
  constructor(bytes = MOST_BYTES) {
    const dispose = ({ kind: { key, count } }: KeptFragment) => {
      count.kept -= 1
      if (count.kept === 0) this.#kinds.delete(key)
    }
    const own = { maxEntrySize: MAX_FRAGMENT_BYTES, sizeCalculation: sizeOf, dispose }
    this.#kept = new LRUCache({ ...own, maxSize: bytes })
    this.#ofRequests = new LRUCache({ ...own, maxSize: Math.max(1, Math.floor(bytes * OF_REQUESTS)) })
  }

  /** Caches rendered fragments by the versions of a source, until the plugin that calls this is removed. */
  keepBy(versions: VersionSource): void {
    const follow = (followed: VersionSource | null) => {
      this.#versions = followed
      this.clear()
    }
    const stop = () => {
      if (this.#versions === versions) follow(null)
    }
    follow(versions)
    currentOwner().onRemove(stop, { kind: 'keeper', name: 'fragments' })
  }

  /** Has what items look like kept as well, until the plugin that says so is removed. */
  keepItems(): void {
    const stop = () => {
      this.#keepsItems = false
      this.clear()
    }
    this.#keepsItems = true
    currentOwner().onRemove(stop, { kind: 'keeper', name: 'items' })
  }

  /** Forgets all, after something has changed that has no tag, such as the home URL. */
  clear(): void {
    this.#clears += 1
    this.#kept.clear()
    this.#ofRequests.clear()
  }

  /** To be called before anything is read for a request: what is made of it is as old as that. */
  begin({ method, scope }: Pick<RestRequest, 'method' | 'scope'>): void {
    const versions = this.#versions
    if (versions === null || !isReadMethod(method) || scope.since !== null || !scope.isEmpty) return
    const state = stateOf(versions)
    const registered = registrations()
    if (registered !== this.#registrations) this.clear()
    this.#registrations = registered
    if (state !== null) scope.since = { state, registrations: registered, clears: this.#clears }
  }

  /**
   * The kind of fragments that a request gets; null where it gets none.
   * @param form what they are: of which objects, on their own or in a list
   * @param context the fields of which context they have
   */
  kindOf(request: RestRequest, form: string, context = ''): FragmentKind | null {
    if (!this.#keepsItems) return null
    for (let asked: RestRequest | null = request; asked !== null; asked = asked.parent)
      if (!isReadMethod(asked.method)) return null
    // What a password opens is for those who know it.
    if (request.given('password')) return null
    const view = viewOf(request.user)
    if (view === null) return null
    const fields = request.fields === null ? '' : request.fields.names.toSorted().join()
    const key = `${form}\n${context}\n${view}\n${request.fields === null ? '' : '='}${fields}`
    return this.#kind(key, { scope: request.scope, request })
  }

  #kind(key: string, asking: FragmentKind['asking']): FragmentKind | null {
    const { since } = asking.scope
    // Nothing that is kept will do for a read that decides about a write.
    if (this.#versions === null || since === null || currentWork()?.readsFresh === true) return null
    const own = { key, since, asking }
    const known = this.#kinds.get(key)
    if (known !== undefined) return { ...own, ...known }
    this.#names += 1
    return { ...own, name: this.#names.toString(36), count: { kept: 0, ofRequest: false } }
  }

  /** What is kept of an object, unless something has changed that it depends on. */
  get(kind: FragmentKind, id: number | string): Fragment | undefined {
    const known = this.#find(kind, `${kind.name}:${id}`)
    if (known !== undefined || !kind.count.ofRequest) return known
    const key = keyFor(kind.name, kind.asking, id)
    return key === null ? undefined : this.#find(kind, key, this.#ofRequests)
  }

  /** @param isFailed whether it may be over, because a part of it had failed */
  #find(
    { since, asking: { scope } }: FragmentKind,
    key: string,
    among = this.#kept,
    isFailed = false,
  ): KeptFragment | undefined {
    const fragment = among.get(key)
    const { state, registrations: registered } = since
    if (fragment === undefined || this.#versions === null || registered !== registrations()) return undefined
    if (!isFailed && fragment.until !== Infinity && fragment.until <= Date.now()) {
      // What had failed is shown as it is until it has been made again.
      if (!fragment.hasFailed) among.delete(key)
      return undefined
    }
    // The content of a list with pages is stored as one of its pages shows it.
    if (fragment.parameters !== null && !hasParameters(scope, fragment.parameters)) return undefined
    if (fragment.checked !== state) {
      if (!this.#versions.unchanged(fragment.tags, fragment.checked)) {
        among.delete(key)
        return undefined
      }
      fragment.checked = Math.max(fragment.checked, state)
    }
    // Of one that is over, a part may fail again.
    currentDependencies()?.include(isFailed ? { ...fragment, until: Infinity } : fragment)
    return fragment
  }

  /** Keeps what an object looks like, unless something that it is made of refuses. */
  keep(
    kind: FragmentKind,
    id: number | string,
    dependencies: Dependencies,
    json: Json,
    beside: Partial<Pick<Fragment, 'links' | 'headers'>> = NOTHING,
  ): Json {
    if (!this.#isKeepable(kind, dependencies)) return json
    const fragment = this.#keep(kind, id, dependencies, { ...NOTHING, ...beside, text: json.text })
    return fragment === null ? json : json.keptAs(fragment)
  }

  #isKeepable({ since, asking: { request } }: FragmentKind, { partRefusal, ofRequest }: Dependencies): boolean {
    // What a tap has put onto the request from elsewhere may be in what other taps make of it.
    if (
      partRefusal !== null ||
      (ofRequest && (request?.dependencies as Dependencies | null | undefined)?.refusesItself === true)
    )
      return false
    // What it read may have been cut short.
    if (currentWork()?.aborted === true) return false
    return since.clears === this.#clears && since.registrations === registrations()
  }

  #keep(
    kind: FragmentKind,
    id: number | string,
    part: Dependencies,
    made: Omit<Fragment, 'notes'>,
  ): KeptFragment | null {
    const { tags, until, since, parameters, ofRequest, hasFailed } = part
    // Another request may have made the first of its kind since this one began.
    const { name, count } = this.#kinds.get(kind.key) ?? kind
    const place = ofRequest ? keyFor(name, kind.asking, id) : `${name}:${id}`
    if (place === null) return null
    const fragment: KeptFragment = {
      ...made,
      until,
      since,
      parameters,
      ofRequest,
      hasFailed,
      isRetried: false,
      notes: new Map(),
      kind: { key: kind.key, name, count },
      tags: [...tags],
      checked: kind.since.state,
    }
    if (sizeOf(fragment) > MAX_FRAGMENT_BYTES) return null
    this.#kinds.set(kind.key, { name, count })
    count.kept += 1
    count.ofRequest ||= ofRequest
    const among = ofRequest ? this.#ofRequests : this.#kept
    among.set(place, fragment)
    return fragment
  }

  /** What is kept under a name, or what `make` makes, and may keep. */
  async once(
    kind: FragmentKind | null,
    id: string,
    make: () => Promise<{ json: Json; isKept: boolean }>,
  ): Promise<Json> {
    if (kind === null) return (await make()).json
    const known = this.get(kind, id)
    if (known !== undefined) return Json.kept(known)
    const part = partOfCurrent()
    const { json, isKept } = await collectInto(part, make)
    return isKept ? this.keep(kind, id, part, json) : json
  }

  /**
   * A text that is the same for all readers, such as the HTML of a content.
   * A part of it that failed is tried again after a minute, in the background, once at a time.
   * @param form what it is of the object with this ID
   * @param source texts of the object that it is made of, as far as there are
   */
  async text(
    scope: RequestCache,
    form: string,
    id: number,
    source: readonly string[],
    make: () => Awaitable<string>,
  ): Promise<string> {
    const kind = this.#kind(form, { scope, request: scope.request as RestRequest | null })
    if (kind === null) return make()
    const known = this.get(kind, id)
    if (known !== undefined && isSame(known.source, source)) return known.text
    const makeInto = async (part: Dependencies): Promise<string> => {
      const made = collectInto(part, make)
      const text = isThenable(made) ? await made : made
      if (this.#isKeepable(kind, part)) this.#keep(kind, id, part, { ...NOTHING, text, source })
      return text
    }
    const failed = this.#kept.peek(`${kind.name}:${id}`)
    if (failed?.hasFailed !== true || !isSame(failed.source, source)) return makeInto(partOfCurrent())
    const shown = this.#find(kind, `${kind.name}:${id}`, this.#kept, true)
    if (shown === undefined) return makeInto(partOfCurrent())
    if (!shown.isRetried) {
      shown.isRetried = true
      // Where the new text is not kept, the next request makes it.
      const forget = () => {
        if (this.#kept.peek(`${kind.name}:${id}`) === shown) this.#kept.delete(`${kind.name}:${id}`)
      }
      runDetached(() => void makeInto(new Dependencies()).then(forget, forget))
    }
    return shown.text
  }
}

const ofServers = new WeakMap<RestServer, Fragments>()

/** The fragments of the responses of a server. */
export function fragmentsOf(server: RestServer): Fragments {
  let fragments = ofServers.get(server)
  if (fragments === undefined) {
    fragments = new Fragments()
    ofServers.set(server, fragments)
    server.caches.push(fragments)
  }
  return fragments
}

/** Whether two lists hold the same texts. */
function isSame(of: readonly string[], source: readonly string[]): boolean {
  for (let index = 0; index < of.length; index += 1) if (of[index] !== source[index]) return false
  return true
}

const NOTHING: Omit<Fragment, 'notes' | 'text'> = { links: null, headers: [], source: [] }

/** The key of a fragment that is for one request alone; null where none can be. */
function keyFor(name: string, asking: FragmentKind['asking'], id: number | string): string | null {
  if (asking.mark === undefined) asking.mark = markOf(asking.request)
  return asking.mark === null ? null : `${name}:${id}?${asking.mark}`
}

function markOf(request: RestRequest | null): string | null {
  const asked: unknown[] = []
  for (let one = request; one !== null; one = one.parent) {
    if (one.form !== null || one.json !== undefined || one.raw !== null) return null
    asked.push([one.method, one.route, one.params(), one.query, viewOf(one.user)])
  }
  try {
    return hash('sha256', JSON.stringify(asked), 'base64url')
  } catch {
    // What a plugin has put among the parameters is no JSON.
    return null
  }
}

/** Whether the request for a scope has the same values of these parameters. */
function hasParameters(scope: RequestCache, parameters: ReadonlyMap<string, string | null>): boolean {
  for (const [name, value] of parameters) if (scope.parameterUnnoted(name) !== value) return false
  return true
}

/** Bytes that a fragment takes, about. What is made of it later is no longer than it is. */
function sizeOf({ text, links, source, tags, parameters }: KeptFragment): number {
  let texts = text.length * 2 + (links === null ? 0 : links.compact.length + links.full.length)
  for (const { length } of source) texts += length
  for (const [name, value] of parameters ?? []) texts += TAG_BYTES + name.length + (value?.length ?? 0)
  return FRAGMENT_OVERHEAD_BYTES + texts + tags.length * TAG_BYTES
}

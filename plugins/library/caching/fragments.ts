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
import { Json, type StoredText } from './json.ts'
import type { LinkTexts } from './response-body.ts'
import { collectInto, currentDependencies, Dependencies, partOfCurrent, type Noted } from './dependencies.ts'
import { stateOf, type VersionSource } from './versioned-cache.ts'
import { schemeKey, viewOf } from './view-of.ts'

/** The stored representation of an object for one kind of readers. */
export interface Fragment extends StoredText {
  /** Links of a single object, next to its data; in lists they are part of the text. */
  readonly links: LinkTexts | null
  readonly headers: readonly (readonly [name: string, value: HeaderValue])[]
  /** Texts that it was rendered from, if they are passed in instead of read. */
  readonly source: readonly string[]
}

interface StoredFragment extends Fragment, Noted {
  /** Without the request, so that it does not stay in memory. */
  readonly kind: KindParts
  readonly tags: readonly string[]
  /** Latest state in which none of its tags had changed. */
  checked: number
  /** Whether it is being rendered again because a part had failed. */
  isRetried: boolean
}

/** A kind of fragments, which differ only in their object. */
interface KindParts {
  /** Short name of the kind. */
  readonly name: string
  readonly key: string
  /** Number of stored fragments, and whether any of them is for one request only. */
  readonly count: { kept: number; ofRequest: boolean }
}

/** A kind of fragments as used by one request. */
export interface FragmentKind extends KindParts {
  /** State of the data before the request read any of it. */
  readonly since: RequestSince
  /** The request, or null for a page of the site. `mark` is its computed identity, null if it has none. */
  readonly asking: { readonly scope: RequestCache; readonly request: RestRequest | null; mark?: string | null }
}

/** Bytes of all fragments, including the HTML of content. */
const MAX_BYTES = 32 * 1024 * 1024
/** Additional fraction of these bytes for fragments of single requests. */
const REQUEST_SHARE = 1 / 4
/** Bytes of one fragment. Longer texts are not stored, so that one does not evict a hundred short ones. */
const MAX_FRAGMENT_BYTES = 256 * 1024
/** Estimated bytes of a fragment in addition to its texts, and of a tag. */
const FRAGMENT_OVERHEAD_BYTES = 400
const TAG_BYTES = 48

/**
 * Caches representations of objects as JSON texts until their data changes. They are not purged: a fragment is
 * validated before it is used.
 */
export class Fragments implements RequestReadsCache {
  #versions: VersionSource | null = null
  #storesItems = false
  #names = 0
  #clears = 0
  readonly #kinds = new Map<string, Pick<FragmentKind, 'name' | 'count'>>()
  #registrations = registrations()
  readonly #shared: LRUCache<string, StoredFragment>
  /** Fragments of single requests, of which clients can create any number. */
  readonly #ofRequests: LRUCache<string, StoredFragment>

  /** @param bytes approximate size of all fragments */
  constructor(bytes = MAX_BYTES) {
    const dispose = ({ kind: { key, count } }: StoredFragment) => {
      count.kept -= 1
      if (count.kept === 0) this.#kinds.delete(key)
    }
    const own = { maxEntrySize: MAX_FRAGMENT_BYTES, sizeCalculation: sizeOf, dispose }
    this.#shared = new LRUCache({ ...own, maxSize: bytes })
    this.#ofRequests = new LRUCache({ ...own, maxSize: Math.max(1, Math.floor(bytes * REQUEST_SHARE)) })
  }

  /** Enables caching, validated by a version source, until the calling plugin is removed. */
  keepBy(versions: VersionSource): void {
    const follow = (followed: VersionSource | null) => {
      this.#versions = followed
      this.clear()
    }
    const stop = () => {
      if (this.#versions === versions) follow(null)
    }
    follow(versions)
    currentOwner().onRemove(stop, { kind: 'cache', name: 'fragments' })
  }

  /** Enables caching of items as well, until the calling plugin is removed. */
  keepItems(): void {
    const stop = () => {
      this.#storesItems = false
      this.clear()
    }
    this.#storesItems = true
    currentOwner().onRemove(stop, { kind: 'cache', name: 'items' })
  }

  /** Removes all fragments after a change that has no tag, such as the home URL. */
  clear(): void {
    this.#clears += 1
    this.#shared.clear()
    this.#ofRequests.clear()
  }

  /** Records the state of the data. Must be called before any data is read for a request. */
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
   * Returns the kind of fragments for a request; null for none.
   * @param form type of the objects, and whether they are single or in a list
   * @param context context of the fields
   */
  kindOf(request: RestRequest, form: string, context = ''): FragmentKind | null {
    if (!this.#storesItems) return null
    for (let ancestor: RestRequest | null = request; ancestor !== null; ancestor = ancestor.parent)
      if (!isReadMethod(ancestor.method)) return null
    // Responses to a password are not shared.
    if (request.hasParam('password')) return null
    const view = viewOf(request.user)
    if (view === null) return null
    const fields = request.fields === null ? '' : request.fields.names.toSorted().join()
    const key = `${form}\n${context}\n${view}\n${request.fields === null ? '' : '='}${fields}`
    return this.#kind(key, { scope: request.scope, request })
  }

  #kind(key: string, asking: FragmentKind['asking']): FragmentKind | null {
    const { since } = asking.scope
    const work = currentWork()
    // A read that decides about a write must not use stored values.
    if (this.#versions === null || since === null || work?.readsFresh === true) return null
    const ownKey = work?.root.isTls === true ? `tls\n${key}` : key
    const own = { key: ownKey, since, asking }
    const cached = this.#kinds.get(ownKey)
    if (cached !== undefined) return { ...own, ...cached }
    this.#names += 1
    return { ...own, name: this.#names.toString(36), count: { kept: 0, ofRequest: false } }
  }

  /** Returns the stored fragment of an object if it is still valid. */
  get(kind: FragmentKind, id: number | string): Fragment | undefined {
    const cached = this.#find(kind, `${kind.name}:${id}`)
    if (cached !== undefined || !kind.count.ofRequest) return cached
    const key = keyFor(kind.name, kind.asking, id)
    return key === null ? undefined : this.#find(kind, key, this.#ofRequests)
  }

  /** @param isFailed whether an expired fragment with a failed part is acceptable */
  #find(
    { since, asking: { scope } }: FragmentKind,
    key: string,
    stored = this.#shared,
    isFailed = false,
  ): StoredFragment | undefined {
    const fragment = stored.get(key)
    const { state, registrations: registered } = since
    if (fragment === undefined || this.#versions === null || registered !== registrations()) return undefined
    if (!isFailed && fragment.until !== Infinity && fragment.until <= Date.now()) {
      // A fragment with a failed part is used until it has been rendered again.
      if (!fragment.hasFailed) stored.delete(key)
      return undefined
    }
    // Paginated content is stored with the parameters that it was rendered for.
    if (fragment.parameters !== null && !hasParameters(scope, fragment.parameters)) return undefined
    if (fragment.checked !== state) {
      if (!this.#versions.unchanged(fragment.tags, fragment.checked)) {
        stored.delete(key)
        return undefined
      }
      fragment.checked = Math.max(fragment.checked, state)
    }
    // A part of an expired fragment can fail again.
    currentDependencies()?.include(isFailed ? { ...fragment, until: Infinity } : fragment)
    return fragment
  }

  /** Stores a fragment unless one of its dependencies forbids it. */
  keep(
    kind: FragmentKind,
    id: number | string,
    dependencies: Dependencies,
    json: Json,
    metadata: Partial<Pick<Fragment, 'links' | 'headers'>> = NOTHING,
  ): Json {
    if (!this.#isStorable(kind, dependencies)) return json
    const fragment = this.#store(kind, id, dependencies, { ...NOTHING, ...metadata, text: json.text })
    return fragment === null ? json : json.keptAs(fragment)
  }

  #isStorable({ since, asking: { request } }: FragmentKind, { partRefusal, ofRequest }: Dependencies): boolean {
    // A tap can have stored external data on the request, which other taps then use.
    if (
      partRefusal !== null ||
      (ofRequest && (request?.dependencies as Dependencies | null | undefined)?.refusesItself === true)
    )
      return false
    // Its reads can be incomplete.
    if (currentWork()?.aborted === true) return false
    return since.clears === this.#clears && since.registrations === registrations()
  }

  #store(
    kind: FragmentKind,
    id: number | string,
    part: Dependencies,
    content: Omit<Fragment, 'notes'>,
  ): StoredFragment | null {
    const { tags, until, since, parameters, ofRequest, hasFailed } = part
    // Another request can have created the kind in the meantime.
    const { name, count } = this.#kinds.get(kind.key) ?? kind
    const place = ofRequest ? keyFor(name, kind.asking, id) : `${name}:${id}`
    if (place === null) return null
    const fragment: StoredFragment = {
      ...content,
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
    const target = ofRequest ? this.#ofRequests : this.#shared
    target.set(place, fragment)
    return fragment
  }

  /** Returns the stored text of a name, or calls `make` and stores its result if allowed. */
  async once(
    kind: FragmentKind | null,
    id: string,
    make: () => Promise<{ json: Json; isCacheable: boolean }>,
  ): Promise<Json> {
    if (kind === null) return (await make()).json
    const cached = this.get(kind, id)
    if (cached !== undefined) return Json.kept(cached)
    const part = partOfCurrent()
    const { json, isCacheable } = await collectInto(part, make)
    return isCacheable ? this.keep(kind, id, part, json) : json
  }

  /**
   * Returns a text that is the same for all readers, such as the HTML of a post's content, from the cache or from
   * `make`. A text with a failed part is rendered again after about a minute in the background, once at a time.
   * @param form name of the text among the texts of the object with this ID
   * @param source texts of the object that it is rendered from
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
    const cached = this.get(kind, id)
    if (cached !== undefined && isSame(cached.source, source)) return cached.text
    const makeInto = async (part: Dependencies): Promise<string> => {
      const result = collectInto(part, make)
      const text = isThenable(result) ? await result : result
      if (this.#isStorable(kind, part)) this.#store(kind, id, part, { ...NOTHING, text, source })
      return text
    }
    const failed = this.#shared.peek(`${kind.name}:${id}`)
    // The background work would render URLs without the scheme of this request.
    const canRetry = failed?.hasFailed === true && schemeKey() === ''
    if (!canRetry || !isSame(failed.source, source)) return makeInto(partOfCurrent())
    const shown = this.#find(kind, `${kind.name}:${id}`, this.#shared, true)
    if (shown === undefined) return makeInto(partOfCurrent())
    if (!shown.isRetried) {
      shown.isRetried = true
      // If the new text is not stored, the next request renders it.
      const forget = () => {
        if (this.#shared.peek(`${kind.name}:${id}`) === shown) this.#shared.delete(`${kind.name}:${id}`)
      }
      runDetached(() => void makeInto(new Dependencies()).then(forget, forget))
    }
    return shown.text
  }
}

const ofServers = new WeakMap<RestServer, Fragments>()

/** Returns the fragment cache of a server. */
export function fragmentsOf(server: RestServer): Fragments {
  let fragments = ofServers.get(server)
  if (fragments === undefined) {
    fragments = new Fragments()
    ofServers.set(server, fragments)
    server.caches.push(fragments)
  }
  return fragments
}

/** Returns whether two lists contain the same texts. */
function isSame(of: readonly string[], source: readonly string[]): boolean {
  for (let index = 0; index < of.length; index += 1) if (of[index] !== source[index]) return false
  return true
}

const NOTHING: Omit<Fragment, 'notes' | 'text'> = { links: null, headers: [], source: [] }

/** Returns the key of a fragment for a single request; null if the request has no identity. */
function keyFor(name: string, asking: FragmentKind['asking'], id: number | string): string | null {
  if (asking.mark === undefined) asking.mark = identityOf(asking.request)
  return asking.mark === null ? null : `${name}:${id}?${asking.mark}`
}

function identityOf(request: RestRequest | null): string | null {
  const chain: unknown[] = []
  for (let one = request; one !== null; one = one.parent) {
    if (one.form !== null || one.json !== undefined || one.raw !== null) return null
    chain.push([one.method, one.route, one.params(), one.query, viewOf(one.user)])
  }
  try {
    return hash('sha256', JSON.stringify(chain), 'base64url')
  } catch {
    // A plugin has added a parameter that cannot be serialized.
    return null
  }
}

/** Returns whether the request of a scope has the same values of these parameters. */
function hasParameters(scope: RequestCache, parameters: ReadonlyMap<string, string | null>): boolean {
  for (const [name, value] of parameters) if (scope.parameterUnnoted(name) !== value) return false
  return true
}

/** Returns the estimated bytes of a fragment. Texts derived from it later are no longer than it is. */
function sizeOf({ text, links, source, tags, parameters }: StoredFragment): number {
  let texts = text.length * 2 + (links === null ? 0 : links.compact.length + links.full.length)
  for (const { length } of source) texts += length
  for (const [name, value] of parameters ?? []) texts += TAG_BYTES + name.length + (value?.length ?? 0)
  return FRAGMENT_OVERHEAD_BYTES + texts + tags.length * TAG_BYTES
}

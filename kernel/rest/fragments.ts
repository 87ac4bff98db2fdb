import { LRUCache } from 'lru-cache'
import { chain, type Awaitable } from '../awaitable.ts'
import { collectInto, currentDependencies, partOfCurrent, type Dependencies } from '../dependencies.ts'
import type { HeaderValue } from '../http/headers.ts'
import { isReadMethod } from '../http/request-line.ts'
import { currentOwner } from '../ownership.ts'
import { registrations } from '../swap.ts'
import { stateOf, type VersionSource } from '../versioned-cache.ts'
import { currentWork } from '../work.ts'
import { Json, type KeptText } from './json.ts'
import type { RequestCache, Since } from './request-cache.ts'
import type { RestRequest } from './request.ts'
import type { LinkTexts } from './response-body.ts'
import { viewOf } from './view-of.ts'

/** What one object looks like to readers of one kind. */
export interface Fragment extends KeptText {
  /** The links of a single object, which stand beside its data; in lists they are part of the text. */
  readonly links: LinkTexts | null
  readonly headers: readonly (readonly [name: string, value: HeaderValue])[]
  /** Texts that it is made of, where those are handed over rather than read. */
  readonly source: readonly string[]
}

interface KeptFragment extends Fragment {
  readonly kind: Kind
  readonly tags: readonly string[]
  /** The state in which none of its tags was known to have changed. */
  checked: number
}

/** Fragments that differ in nothing but the object that they show. */
export interface Kind {
  /** A short name of the kind. */
  readonly name: string
  readonly key: string
  /** What there was before anything was read for the request. */
  readonly since: Since
  /** How many are kept. */
  readonly count: { kept: number }
}

/** Bytes of all fragments, texts of content included. */
const MOST_BYTES = 32 * 1024 * 1024
/** Bytes of one: a long text is made anew, so that it does not put out a hundred short ones. */
const LONGEST = 256 * 1024
/** Bytes of a fragment beside its texts, and of a tag, about. */
const OVERHEAD = 400
const TAG = 48

/**
 * What objects look like, as JSON texts, each as long as nothing has changed that it depends on. They are not purged: a
 * fragment is looked at before it is used.
 */
export class Fragments {
  #versions: VersionSource | null = null
  #keepsItems = false
  #names = 0
  #era = 0
  readonly #kinds = new Map<string, Pick<Kind, 'name' | 'count'>>()
  #registrations = registrations()
  readonly #kept: LRUCache<string, KeptFragment>

  /** @param bytes of all fragments, about */
  constructor(bytes = MOST_BYTES) {
    this.#kept = new LRUCache({
      maxSize: bytes,
      maxEntrySize: LONGEST,
      sizeCalculation: sizeOf,
      dispose: ({ kind }) => {
        kind.count.kept -= 1
        if (kind.count.kept === 0) this.#kinds.delete(kind.key)
      },
    })
  }

  /** Has what is rendered kept, by who knows what has changed, until the plugin that says so is removed. */
  keepBy(versions: VersionSource): void {
    const follow = (followed: VersionSource | null) => {
      this.#versions = followed
      this.clear()
    }
    const stop = () => {
      if (this.#versions === versions) follow(null)
    }
    currentOwner().takeOver(() => follow(versions), stop, { kind: 'keeper', name: 'fragments' })
  }

  /** Has what items look like kept as well, until the plugin that says so is removed. */
  keepItems(): void {
    const stop = () => {
      this.#keepsItems = false
      this.clear()
    }
    currentOwner().takeOver(() => void (this.#keepsItems = true), stop, { kind: 'keeper', name: 'items' })
  }

  /** Forgets all, after something has changed that has no tag, such as the home URL. */
  clear(): void {
    this.#era += 1
    this.#kept.clear()
  }

  /** To be called before anything is read for a request: what is made of it is as old as that. */
  begin({ method, scope }: Pick<RestRequest, 'method' | 'scope'>): void {
    const versions = this.#versions
    if (versions === null || !isReadMethod(method) || scope.since !== null || !scope.isEmpty) return
    const state = stateOf(versions)
    const registered = registrations()
    if (registered !== this.#registrations) this.clear()
    this.#registrations = registered
    if (state !== null) scope.since = { state, registrations: registered, era: this.#era }
  }

  /**
   * The kind of fragments that a request gets; null where it gets none.
   * @param form what they are: of which objects, on their own or in a list
   * @param context the fields of which context they have
   */
  kindOf(request: RestRequest, form: string, context = ''): Kind | null {
    if (!this.#keepsItems) return null
    for (let asked: RestRequest | null = request; asked !== null; asked = asked.parent)
      if (!isReadMethod(asked.method)) return null
    // What a password opens is for those who know it.
    if (request.given('password')) return null
    const view = viewOf(request.user)
    if (view === null) return null
    const fields = request.fields === null ? '' : request.fields.names.toSorted().join()
    return this.#kind(`${form}\n${context}\n${view}\n${request.fields === null ? '' : '='}${fields}`, request.scope)
  }

  #kind(key: string, { since }: RequestCache): Kind | null {
    // Nothing that is kept will do for a read that decides about a write.
    if (this.#versions === null || since === null || currentWork()?.readsFresh === true) return null
    const own = { key, since }
    const known = this.#kinds.get(key)
    if (known !== undefined) return { ...own, ...known }
    this.#names += 1
    return { ...own, name: this.#names.toString(36), count: { kept: 0 } }
  }

  /** What is kept of an object, unless something has changed that it depends on. */
  get(kind: Kind, id: number | string): Fragment | undefined {
    const key = `${kind.name}:${id}`
    const fragment = this.#kept.get(key)
    const { state, registrations: registered } = kind.since
    if (fragment === undefined || this.#versions === null || registered !== registrations()) return undefined
    if (fragment.checked !== state) {
      if (!this.#versions.unchanged(fragment.tags, fragment.checked)) {
        this.#kept.delete(key)
        return undefined
      }
      fragment.checked = Math.max(fragment.checked, state)
    }
    currentDependencies()?.addAll(fragment.tags)
    return fragment
  }

  /** Keeps what an object looks like, unless something that it is made of refuses. */
  keep(
    kind: Kind,
    id: number | string,
    dependencies: Dependencies,
    json: Json,
    beside: Partial<Pick<Fragment, 'links' | 'headers'>> = NOTHING,
  ): Json {
    if (!this.#isKeepable(kind, dependencies)) return json
    const fragment = this.#keep(kind, id, dependencies, { ...NOTHING, ...beside, text: json.text })
    return fragment === null ? json : json.keptAs(fragment)
  }

  #isKeepable({ since }: Kind, { refusal }: Dependencies): boolean {
    return refusal === null && since.era === this.#era && since.registrations === registrations()
  }

  #keep(kind: Kind, id: number | string, { tags }: Dependencies, made: Omit<Fragment, 'notes'>): KeptFragment | null {
    const fragment: KeptFragment = {
      ...made,
      notes: new Map(),
      // Another request may have made the first of its kind meanwhile.
      kind: { ...kind, ...this.#kinds.get(kind.key) },
      tags: [...tags],
      checked: kind.since.state,
    }
    if (sizeOf(fragment) > LONGEST) return null
    const { key, name, count } = fragment.kind
    this.#kinds.set(key, { name, count })
    count.kept += 1
    this.#kept.set(`${name}:${id}`, fragment)
    return fragment
  }

  /** What is kept under a name, or what `make` makes, and may keep. */
  async once(kind: Kind | null, id: string, make: () => Promise<{ json: Json; isKept: boolean }>): Promise<Json> {
    if (kind === null) return (await make()).json
    const known = this.get(kind, id)
    if (known !== undefined) return Json.kept(known)
    const part = partOfCurrent()
    const { json, isKept } = await collectInto(part, make)
    return isKept ? this.keep(kind, id, part, json) : json
  }

  /**
   * A text that is the same for all readers, such as the HTML of a content.
   * @param form what it is of the object with this ID
   * @param source texts of the object that it is made of, as far as there are
   */
  text(
    scope: RequestCache,
    form: string,
    id: number,
    source: readonly string[],
    make: () => Awaitable<string>,
  ): Awaitable<string> {
    const kind = this.#kind(form, scope)
    if (kind === null) return make()
    const known = this.get(kind, id)
    if (known?.source.every((text, index) => text === source[index])) return known.text
    const part = partOfCurrent()
    return chain(collectInto(part, make), (text) => {
      if (this.#isKeepable(kind, part)) this.#keep(kind, id, part, { ...NOTHING, text, source })
      return text
    })
  }
}

const NOTHING: Omit<Fragment, 'notes' | 'text'> = { links: null, headers: [], source: [] }

/** Bytes that a fragment takes, about. What is made of it later is no longer than it is. */
function sizeOf({ text, links, source, tags }: KeptFragment): number {
  let texts = text.length * 2 + (links === null ? 0 : links.compact.length + links.full.length)
  for (const { length } of source) texts += length
  return OVERHEAD + texts + tags.length * TAG
}

import { isId } from '../id-map.ts'
import { phrase } from '../phrases.ts'
import { RouteFailure } from './old-response.ts'
import type { Cursor } from './spool.ts'
import { isObject, type OldObject } from './values.ts'

/** One response of a list. */
export interface ListResponse {
  readonly objects: readonly unknown[]
  readonly total: number | null
}

/** New objects of a page, with the cursor after them. */
export interface NewPage {
  readonly objects: OldObject[]
  readonly cursor: Cursor
}

/** Facts about a collection that has been read. */
export interface PagingFacts {
  /** Number of objects that the old site stated last; null if it stated none. */
  total: number | null
  /** Number of objects read. */
  count: number
  /** Positions at which the old site failed repeatedly. */
  unreadable: number
  /** Entries that are not objects with an ID. */
  invalid: number
}

/** Thrown if a list is not in the order of IDs, so positions say nothing. */
export class NotOrdered extends Error {}

/** Objects per request; the REST API allows no more. */
export const PAGE_SIZE = 100
/** Full pages without a new object after which a list counts as unordered. */
const MAX_STALE_PAGES = 2
/** Pages read without failures before their size grows again. */
const PAGES_BEFORE_GROWTH = 10
/** Positions of a collection that are left out because the old site fails there. */
const MAX_UNREADABLE = 20
/** Objects that a list can have in addition to twice its stated number before it counts as endless. */
const MAX_SURPLUS = 10_000
/** Objects of a list whose number is not stated. */
const MAX_OBJECTS = 5_000_000

interface OffsetPagerOptions {
  readonly request: (offset: number, size: number) => Promise<ListResponse>
  readonly start: Cursor | null
  /** Number of pages requested at the same time. */
  readonly ahead: number
}

type Settled = { response: ListResponse } | { error: unknown }

/**
 * Reads a list in the order of IDs by position. Each page begins with the last object of the page before. If it does
 * not, objects were deleted in the meantime and others moved forward, so the pager goes back. No object is missed that
 * exists during the whole time, and none comes twice.
 */
export class OffsetPager {
  readonly facts: PagingFacts
  readonly #options: OffsetPagerOptions
  #cursor: Cursor
  #size = PAGE_SIZE
  #pagesWithoutFailure = 0
  /** Requests by position. */
  readonly #ahead = new Map<number, Promise<Settled>>()

  constructor(options: OffsetPagerOptions) {
    this.#options = options
    this.#cursor = options.start ?? { offset: 0, lastId: 0, count: 0 }
    this.facts = { total: null, count: this.#cursor.count, unreadable: 0, invalid: 0 }
  }

  /** @throws NotOrdered, RouteFailure; the errors of `request` */
  async *pages(): AsyncGenerator<NewPage> {
    // The position may be wrong after an interruption, so that the first page is verified, too.
    let isOverlapExpected = this.#cursor.offset > 0
    let isGoingBack = false
    let checkedId = -1
    let stalePages = 0
    for (let emptyPages = 0; emptyPages < 2;) {
      const { offset, lastId } = this.#cursor
      const response = await this.#next(offset)
      if (response === null) {
        isOverlapExpected = false
        continue
      }
      const objects = this.#validated(response.objects)
      this.facts.total = response.total ?? this.facts.total
      const first = objects[0]?.['id'] as number | undefined
      const hasMoved = first === undefined ? offset > 0 && lastId > 0 && isOverlapExpected : first > lastId
      if (isOverlapExpected && hasMoved && (isGoingBack || checkedId !== lastId) && offset > 0) {
        this.#ahead.clear()
        isGoingBack = true
        checkedId = lastId
        this.#cursor = { ...this.#cursor, offset: Math.max(0, offset - this.#step) }
        continue
      }
      const fresh = objects.filter(({ id }) => (id as number) > lastId)
      const isLast = this.#isLast(offset, response.objects.length)
      emptyPages = response.objects.length === 0 ? emptyPages + 1 : 0
      // A list that ignores the position sends the same page again.
      stalePages = fresh.length > 0 || isGoingBack || response.objects.length < PAGE_SIZE ? 0 : stalePages + 1
      if (stalePages > MAX_STALE_PAGES) throw new NotOrdered()
      isGoingBack = false
      const count = this.#cursor.count + fresh.length
      this.#cursor = {
        offset: isLast ? offset + response.objects.length : offset + this.#step,
        lastId: (fresh.at(-1)?.['id'] as number | undefined) ?? lastId,
        count,
      }
      this.facts.count = count
      // A shorter page has gaps: objects that the user may not read.
      isOverlapExpected = this.#size > 1 && response.objects.length === this.#size
      this.#grow()
      this.#refuseEndless()
      if (fresh.length > 0) yield { objects: fresh, cursor: this.#cursor }
      if (isLast) return
    }
  }

  /** Returns the response at a position; null if the position is left out because the old site fails there. */
  async #next(offset: number): Promise<ListResponse | null> {
    const { total } = this.facts
    for (let page = 0; page < this.#options.ahead; page += 1) {
      const at = offset + page * this.#step
      if (page > 0 && (total === null || at >= total)) break
      if (!this.#ahead.has(at)) this.#ahead.set(at, settled(this.#options.request(at, this.#size)))
    }
    const result = await this.#ahead.get(offset)!
    this.#ahead.delete(offset)
    if ('response' in result) return result.response
    if (!(result.error instanceof RouteFailure) || result.error.kind !== 'failing') throw result.error
    this.#shrink(result.error)
    return null
  }

  /** Requests smaller pages after a failure, and leaves out an object at which the old site fails. */
  #shrink(failure: RouteFailure): void {
    this.#ahead.clear()
    this.#pagesWithoutFailure = 0
    if (this.#size > 1) {
      this.#size = Math.floor(this.#size / 4) || 1
      return
    }
    this.facts.unreadable += 1
    if (this.facts.unreadable > MAX_UNREADABLE) throw failure
    this.#cursor = { ...this.#cursor, offset: this.#cursor.offset + 1 }
  }

  /** Distance of two pages, which overlap by one object. */
  get #step(): number {
    return Math.max(1, this.#size - 1)
  }

  #grow(): void {
    this.#pagesWithoutFailure += 1
    if (this.#size === PAGE_SIZE || this.#pagesWithoutFailure < PAGES_BEFORE_GROWTH) return
    this.#size = Math.min(PAGE_SIZE, this.#size * 4)
    this.#pagesWithoutFailure = 0
    this.#ahead.clear()
  }

  #isLast(offset: number, length: number): boolean {
    const { total } = this.facts
    return total === null ? length < this.#size : length < this.#size && offset + this.#size >= total
  }

  #validated(entries: readonly unknown[]): OldObject[] {
    const objects = entries.filter((entry) => isObject(entry) && isId(entry['id'] as number)) as OldObject[]
    this.facts.invalid += entries.length - objects.length
    let last = 0
    for (const { id } of objects) {
      if ((id as number) < last) throw new NotOrdered()
      last = id as number
    }
    return objects.filter(({ id }, index) => index === 0 || id !== objects[index - 1]!['id'])
  }

  #refuseEndless(): void {
    refuseEndless(this.facts, this.#cursor.offset)
  }
}

interface PagePagerOptions {
  readonly request: (page: number, size: number) => Promise<ListResponse>
  readonly start: Cursor | null
  /** IDs that the spool has. */
  readonly seen: Set<number>
}

/** Reads a list in unknown order by page number. Objects that come again are left out. */
export class PagePager {
  readonly facts: PagingFacts
  readonly #options: PagePagerOptions

  constructor(options: PagePagerOptions) {
    this.#options = options
    this.facts = { total: null, count: options.seen.size, unreadable: 0, invalid: 0 }
  }

  /** @throws RouteFailure; the errors of `request` */
  async *pages(): AsyncGenerator<NewPage> {
    const { request, seen, start } = this.#options
    let page = Math.floor((start?.offset ?? 0) / PAGE_SIZE)
    let isRepeated = false
    for (let withoutNew = 0; withoutNew < 2;) {
      const response = await this.#read(() => request(page + 1, PAGE_SIZE), page)
      if (response !== null) this.facts.total = response.total ?? this.facts.total
      const entries = response?.objects ?? []
      const objects = entries.filter((entry) => isObject(entry) && isId(entry['id'] as number)) as OldObject[]
      this.facts.invalid += entries.length - objects.length
      const fresh = objects.filter(({ id }) => {
        const isNew = !seen.has(id as number)
        seen.add(id as number)
        return isNew
      })
      page += 1
      withoutNew = fresh.length === 0 ? withoutNew + 1 : 0
      this.facts.count = seen.size
      refuseEndless(this.facts, page * PAGE_SIZE)
      const cursor = { offset: page * PAGE_SIZE, lastId: 0, count: seen.size }
      if (fresh.length > 0) yield { objects: fresh, cursor }
      const { total } = this.facts
      const isEnd = entries.length < PAGE_SIZE && (total === null || page * PAGE_SIZE >= total)
      if (!isEnd && entries.length > 0) continue
      // Objects that moved to an earlier page in the meantime are found in a second pass.
      if (isRepeated || total === null || seen.size >= total) return
      isRepeated = true
      withoutNew = 0
      page = 0
    }
  }

  /** Returns the response; null after the last page, for which the REST API responds with an error. */
  async #read(read: () => Promise<ListResponse>, page: number): Promise<ListResponse | null> {
    try {
      return await read()
    } catch (error) {
      if (page > 0 && error instanceof RouteFailure && error.kind === 'invalid' && error.status === 400) return null
      throw error
    }
  }
}

/** @throws RouteFailure for a list that does not end */
function refuseEndless({ total }: PagingFacts, offset: number): void {
  const most = total === null ? MAX_OBJECTS : total * 2 + MAX_SURPLUS
  if (offset > most) {
    const count = total ?? most
    throw new RouteFailure('invalid', phrase('the list has more objects than the {count} it states', { count }))
  }
}

function settled(response: Promise<ListResponse>): Promise<Settled> {
  return response.then(
    (value) => ({ response: value }),
    (error: unknown) => ({ error }),
  )
}

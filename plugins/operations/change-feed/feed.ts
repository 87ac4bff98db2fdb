import { runDetached, type PluginContext } from '../../../kernel/index.ts'
import { StreamedResponse, type ResponseStream } from '../../library/long-work/index.ts'
import { withoutDependencies } from '../../library/caching/index.ts'
import type { Change } from '../../storage/changes/index.ts'
import { errors } from './errors.ts'
import { eventsOf, type Events } from './events.ts'
import { wanted } from './filter.ts'
import { MissedChanges, CHANGES_PER_PAGE } from './missed.ts'
import type { SeenChange, SeenChanges } from './seen-change.ts'
import type { Start } from './start.ts'
import { Subscriber } from './subscriber.ts'

/** How many subscribers there may be, and how often they hear that the connection is alive. */
export interface FeedLimits {
  readonly streams: number
  readonly perNetwork: number
  /** Seconds. */
  readonly heartbeat: number
}

/** Milliseconds that changes are waited for, so that those of several transactions are told together. */
const GATHER_INTERVAL_MS = 20
/** Milliseconds between two looks at what other processes have changed. */
const LOOK_INTERVAL_MS = 500
/** Milliseconds after which what failed is tried again. */
const RETRY_DELAY_MS = 1000

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=UTF-8',
  'Cache-Control': 'private, no-store, no-transform',
  // Proxies that gather responses would tell nothing for hours.
  'X-Accel-Buffering': 'no',
}

/** Kinds of changes by which credentials may be good no more, or good for something else. */
const OF_USERS: ReadonlySet<string> = new Set(['user', 'session', 'application_password'])

/** Tells subscribers of changes as they come: what has changed is read once for all of them. */
export class Feed {
  readonly #plugin: PluginContext
  readonly #seen: SeenChanges
  readonly #limits: FeedLimits
  readonly #all = new Set<Subscriber>()
  readonly #networks = new Map<string, number>()
  readonly #missed: MissedChanges
  /** Those that have been told of all up to `#last`. */
  readonly #live = new Set<Subscriber>()
  #last = 0
  #timers: NodeJS.Timeout[] = []
  #soon: NodeJS.Timeout | null = null
  #isTelling = false

  constructor(plugin: PluginContext, seen: SeenChanges, limits: FeedLimits) {
    this.#plugin = plugin
    this.#seen = seen
    this.#missed = new MissedChanges(plugin, seen)
    this.#limits = limits
  }

  /**
   * The response to a client that listens.
   * @param head number of the newest change
   * @throws rest_changes_busy
   */
  respond(
    parts: Omit<ConstructorParameters<typeof Subscriber>[0], 'last'>,
    start: Start,
    head: number,
  ): StreamedResponse {
    if (this.#isFull(parts.network)) throw errors.rest_changes_busy()
    return new StreamedResponse((stream) => this.#add(parts, start, head, stream), HEADERS)
  }

  /** To be called when something has changed. */
  readonly wake = (): void => {
    if (this.#all.size > 0) this.#tellIn(GATHER_INTERVAL_MS)
  }

  /** Numbers from this on are needed still; null for none. */
  needed(): number | null {
    const waiting = [...this.#all].filter((one) => !this.#live.has(one)).map(({ last }) => last)
    return this.#all.size === 0 ? null : Math.min(this.#last, ...waiting) + 1
  }

  /**
   * To be called when the database has lost changes. Sends each subscriber the event `reset` with the latest number, and
   * closes the connection. Clients connect again and continue from that number.
   */
  readonly restart = (): void => {
    void runDetached(() => withoutDependencies(() => this.#restart()))
  }

  async #restart(): Promise<void> {
    try {
      const { last } = await this.#plugin.services.changeHistory.bounds()
      this.#last = last
      for (const subscriber of this.#all) subscriber.reset(last)
    } catch (err) {
      this.#plugin.log.warn({ err }, 'the event reset could not be sent after the database was restored')
    }
    for (const subscriber of this.#all) subscriber.end()
  }

  /** Ends all. */
  stop(): void {
    for (const subscriber of this.#all) subscriber.end()
    clearTimeout(this.#soon ?? undefined)
  }

  #isFull(network: string): boolean {
    const { streams, perNetwork } = this.#limits
    return this.#all.size >= streams || (this.#networks.get(network) ?? 0) >= perNetwork
  }

  #add(parts: Parameters<Feed['respond']>[0], start: Start, head: number, stream: ResponseStream): (() => void) | void {
    // Others have come since it was asked for; its client is back in a moment, and told so.
    if (this.#isFull(parts.network)) return stream.end()
    const subscriber = new Subscriber({ ...parts, last: start.last }, stream)
    const { network } = subscriber
    if (this.#all.size === 0) this.#open(head)
    this.#all.add(subscriber)
    this.#networks.set(network, (this.#networks.get(network) ?? 0) + 1)
    if (start.fault === null) subscriber.begin()
    else subscriber.reset(start.last)
    void this.#catchUp(subscriber)
    return () => this.#remove(subscriber)
  }

  #remove(subscriber: Subscriber): void {
    const { network } = subscriber
    subscriber.ended()
    this.#live.delete(subscriber)
    if (!this.#all.delete(subscriber)) return
    const left = this.#networks.get(network)! - 1
    if (left > 0) this.#networks.set(network, left)
    else this.#networks.delete(network)
    if (this.#all.size === 0) for (const timer of this.#timers.splice(0)) clearInterval(timer)
  }

  /** Begins to listen for the first subscriber. */
  #open(head: number): void {
    this.#last = head
    const { changes } = this.#plugin.services
    this.#timers = [
      // Who listens for what others have changed hears of it.
      setInterval(() => void changes.state(), LOOK_INTERVAL_MS).unref(),
      setInterval(() => void this.#beat(), this.#limits.heartbeat * 1000).unref(),
    ]
    // What has changed since `head` was read.
    this.#tellIn(GATHER_INTERVAL_MS)
  }

  /** Tells one subscriber of all that it has missed, page by page, as fast as it takes them. */
  async #catchUp(subscriber: Subscriber): Promise<void> {
    try {
      while (!subscriber.isOver && subscriber.last < this.#last) {
        await subscriber.check()
        if (subscriber.isOver) return
        const missed = await this.#missed.next(subscriber)
        if ('reset' in missed) {
          subscriber.reset(missed.reset)
          continue
        }
        for (const events of missed.events) {
          subscriber.send(events)
          await subscriber.drained()
        }
      }
      if (subscriber.isOver) return
      subscriber.resetIfChanged()
      this.#live.add(subscriber)
    } catch (err) {
      // Its client is back in a moment, and goes on from where it was.
      this.#plugin.log.warn({ err }, 'a subscriber of the changes could not be told of what it had missed')
      subscriber.end()
    }
  }

  #tellIn(milliseconds: number): void {
    if (this.#soon !== null) return
    const tell = () => {
      this.#soon = null
      void this.#tell()
    }
    // Whoever has changed something does not wait for it.
    this.#soon = runDetached(() => withoutDependencies(() => setTimeout(tell, milliseconds).unref()))
  }

  async #tell(): Promise<void> {
    if (this.#isTelling) return this.#tellIn(GATHER_INTERVAL_MS)
    this.#isTelling = true
    try {
      let hasMore = true
      while (hasMore && this.#all.size > 0) hasMore = await this.#tellNext()
    } catch (err) {
      this.#plugin.log.warn({ err }, 'subscribers could not be told of changes')
      this.#tellIn(RETRY_DELAY_MS)
    } finally {
      this.#isTelling = false
    }
  }

  /** Tells all of the next changes. @returns whether there are more */
  async #tellNext(): Promise<boolean> {
    const from = this.#last
    const changes = await this.#plugin.services.changeHistory.after(from, CHANGES_PER_PAGE)
    if (changes.length === 0) return false
    await this.#checkUsers(changes)
    const listening = new Set(this.#live)
    const seen = new Map<string, SeenChange[]>()
    for (const { identity } of listening)
      if (!seen.has(identity.key)) seen.set(identity.key, await this.#seen.seenBy(identity.user, changes))
    // The database was restored during these reads.
    if (this.#last !== from) return true
    // From here on nothing waits, so that nobody comes or goes in between.
    this.#last = changes.at(-1)!.id
    const told = new Map<string, Events[]>()
    // Those that catch up may be back among them at once.
    const live = Array.from(this.#live)
    for (const subscriber of live) {
      const { identity, wants, filter } = subscriber
      const own = seen.get(identity.key)
      const key = `${identity.key} ${wants}`
      if (own !== undefined && !told.has(key)) told.set(key, eventsOf(wanted(own, filter), this.#last))
      const events = told.get(key)
      const isNext = listening.has(subscriber) && subscriber.last === from
      if (!isNext || events === undefined || events.length > 1) {
        // Who has just come, or is told of much, goes on at a pace of their own.
        this.#live.delete(subscriber)
        void this.#catchUp(subscriber)
        continue
      }
      subscriber.send(events[0]!)
      subscriber.resetIfChanged()
    }
    return changes.length === CHANGES_PER_PAGE
  }

  /** Ends those whose credentials are good no more, and notes which may do other things than before. */
  async #checkUsers(changes: readonly Change[]): Promise<void> {
    const users = new Set(changes.flatMap(({ kind, object }) => (OF_USERS.has(kind) ? [Number(object)] : [])))
    const isAll = changes.some(({ kind }) => kind === 'all')
    for (const subscriber of Array.from(this.#live))
      if (isAll || users.has(subscriber.identity.user.id)) await subscriber.check()
  }

  async #beat(): Promise<void> {
    for (const subscriber of this.#live) subscriber.beat()
    try {
      // Sessions end, and plugins change what roles may do, without a change that tells it.
      for (const subscriber of Array.from(this.#live)) {
        await subscriber.check()
        if (this.#live.has(subscriber)) subscriber.resetIfChanged()
      }
    } catch (err) {
      this.#plugin.log.warn({ err }, 'subscribers of the changes could not be looked at')
    }
  }
}

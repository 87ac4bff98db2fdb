import { runDetached, type PluginContext } from '../../../kernel/index.ts'
import { StreamedResponse, type ResponseStream } from '../../library/long-work/index.ts'
import { withoutDependencies } from '../../library/caching/index.ts'
import type { Change } from '../../storage/changes/index.ts'
import { errors } from './errors.ts'
import { eventsOf, type Events } from './events.ts'
import { filterChanges } from './filter.ts'
import { MissedChanges, CHANGES_PER_PAGE } from './missed.ts'
import type { SeenChange, SeenChanges } from './seen-change.ts'
import type { Start } from './start.ts'
import { Subscriber } from './subscriber.ts'

/** Limits of subscribers, and the interval of keep-alive messages. */
export interface FeedLimits {
  readonly streams: number
  readonly perNetwork: number
  /** Seconds. */
  readonly heartbeat: number
}

/** Milliseconds to wait for further changes, so that several transactions are sent together. */
const GATHER_INTERVAL_MS = 20
/** Milliseconds between two checks for changes by other processes. */
const CHECK_INTERVAL_MS = 500
/** Milliseconds before a failed attempt is retried. */
const RETRY_DELAY_MS = 1000

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=UTF-8',
  'Cache-Control': 'private, no-store, no-transform',
  // Proxies that buffer responses would hold events back for hours.
  'X-Accel-Buffering': 'no',
}

/** Kinds of changes that may affect the validity or permissions of credentials. */
const USER_KINDS: ReadonlySet<string> = new Set(['user', 'session', 'application_password'])

/** Sends changes to subscribers as they are committed. Each change is read once for all subscribers. */
export class Feed {
  readonly #plugin: PluginContext
  readonly #seenChanges: SeenChanges
  readonly #limits: FeedLimits
  readonly #subscribers = new Set<Subscriber>()
  readonly #networks = new Map<string, number>()
  readonly #missedChanges: MissedChanges
  /** Subscribers that have received all changes up to `#last`. */
  readonly #live = new Set<Subscriber>()
  #last = 0
  #timers: NodeJS.Timeout[] = []
  #sendTimer: NodeJS.Timeout | null = null
  #isSending = false

  constructor(plugin: PluginContext, seen: SeenChanges, limits: FeedLimits) {
    this.#plugin = plugin
    this.#seenChanges = seen
    this.#missedChanges = new MissedChanges(plugin, seen)
    this.#limits = limits
  }

  /**
   * Creates the response to a subscribing client.
   * @param head ID of the newest change
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

  /** Call this when something has changed. */
  readonly wake = (): void => {
    if (this.#subscribers.size > 0) this.#sendIn(GATHER_INTERVAL_MS)
  }

  /** The oldest change ID that is still needed; null if there are no subscribers. */
  oldestNeeded(): number | null {
    const waiting = [...this.#subscribers].filter((one) => !this.#live.has(one)).map(({ last }) => last)
    return this.#subscribers.size === 0 ? null : Math.min(this.#last, ...waiting) + 1
  }

  /**
   * Call this when the database has lost changes. Sends each subscriber the event `reset` with the latest ID, and
   * closes the connection. Clients connect again and continue from that ID.
   */
  readonly restart = (): void => {
    void runDetached(() => withoutDependencies(() => this.#restart()))
  }

  async #restart(): Promise<void> {
    try {
      const { last } = await this.#plugin.services.changeHistory.bounds()
      this.#last = last
      for (const subscriber of this.#subscribers) subscriber.sendReset(last)
    } catch (err) {
      this.#plugin.log.warn({ err }, 'sending the event "reset" after the database was restored failed')
    }
    for (const subscriber of this.#subscribers) subscriber.end()
  }

  /** Ends all streams. */
  stop(): void {
    for (const subscriber of this.#subscribers) subscriber.end()
    clearTimeout(this.#sendTimer ?? undefined)
  }

  #isFull(network: string): boolean {
    const { streams, perNetwork } = this.#limits
    return this.#subscribers.size >= streams || (this.#networks.get(network) ?? 0) >= perNetwork
  }

  #add(parts: Parameters<Feed['respond']>[0], start: Start, head: number, stream: ResponseStream): (() => void) | void {
    // Other subscribers have arrived since the request was checked. The client reconnects and gets rest_changes_busy.
    if (this.#isFull(parts.network)) return stream.end()
    const subscriber = new Subscriber({ ...parts, last: start.last }, stream)
    const { network } = subscriber
    if (this.#subscribers.size === 0) this.#startTimers(head)
    this.#subscribers.add(subscriber)
    this.#networks.set(network, (this.#networks.get(network) ?? 0) + 1)
    if (start.fault === null) subscriber.sendReady()
    else subscriber.sendReset(start.last)
    void this.#catchUp(subscriber)
    return () => this.#remove(subscriber)
  }

  #remove(subscriber: Subscriber): void {
    const { network } = subscriber
    subscriber.onEnd()
    this.#live.delete(subscriber)
    if (!this.#subscribers.delete(subscriber)) return
    const remaining = this.#networks.get(network)! - 1
    if (remaining > 0) this.#networks.set(network, remaining)
    else this.#networks.delete(network)
    if (this.#subscribers.size === 0) for (const timer of this.#timers.splice(0)) clearInterval(timer)
  }

  /** Starts the timers for the first subscriber. */
  #startTimers(head: number): void {
    this.#last = head
    const { changes } = this.#plugin.services
    this.#timers = [
      // Reading the state announces changes by other processes.
      setInterval(() => void changes.state(), CHECK_INTERVAL_MS).unref(),
      setInterval(() => void this.#beat(), this.#limits.heartbeat * 1000).unref(),
    ]
    // Changes may have been committed since `head` was read.
    this.#sendIn(GATHER_INTERVAL_MS)
  }

  /** Sends a subscriber all the changes it has missed, page by page, as fast as the client reads them. */
  async #catchUp(subscriber: Subscriber): Promise<void> {
    try {
      while (!subscriber.isOver && subscriber.last < this.#last) {
        await subscriber.check()
        if (subscriber.isOver) return
        const missed = await this.#missedChanges.next(subscriber)
        if ('reset' in missed) {
          subscriber.sendReset(missed.reset)
          continue
        }
        for (const events of missed.events) {
          subscriber.send(events)
          await subscriber.waitForDrain()
        }
      }
      if (subscriber.isOver) return
      subscriber.sendResetIfChanged()
      this.#live.add(subscriber)
    } catch (err) {
      // The client reconnects and continues where it was.
      this.#plugin.log.warn({ err }, 'sending missed changes to a subscriber failed')
      subscriber.end()
    }
  }

  #sendIn(milliseconds: number): void {
    if (this.#sendTimer !== null) return
    const send = () => {
      this.#sendTimer = null
      void this.#sendNew()
    }
    // Detached from the request that triggered it, which must not wait for the sending.
    this.#sendTimer = runDetached(() => withoutDependencies(() => setTimeout(send, milliseconds).unref()))
  }

  async #sendNew(): Promise<void> {
    if (this.#isSending) return this.#sendIn(GATHER_INTERVAL_MS)
    this.#isSending = true
    try {
      let hasMore = true
      while (hasMore && this.#subscribers.size > 0) hasMore = await this.#sendNext()
    } catch (err) {
      this.#plugin.log.warn({ err }, 'sending changes to subscribers failed')
      this.#sendIn(RETRY_DELAY_MS)
    } finally {
      this.#isSending = false
    }
  }

  /** Sends the next changes to all subscribers. @returns whether there are more */
  async #sendNext(): Promise<boolean> {
    const from = this.#last
    const changes = await this.#plugin.services.changeHistory.after(from, CHANGES_PER_PAGE)
    if (changes.length === 0) return false
    await this.#checkUsers(changes)
    const listening = new Set(this.#live)
    const seen = new Map<string, SeenChange[]>()
    for (const { identity } of listening)
      if (!seen.has(identity.key)) seen.set(identity.key, await this.#seenChanges.seenBy(identity.user, changes))
    // The database was restored during these reads.
    if (this.#last !== from) return true
    // No await from here on: subscribers must not be added or removed in between.
    this.#last = changes.at(-1)!.id
    const eventsByKey = new Map<string, Events[]>()
    // A copy: subscribers that catch up may be added back immediately.
    const live = Array.from(this.#live)
    for (const subscriber of live) {
      const { identity, filterKey, filter } = subscriber
      const own = seen.get(identity.key)
      const key = `${identity.key} ${filterKey}`
      if (own !== undefined && !eventsByKey.has(key))
        eventsByKey.set(key, eventsOf(filterChanges(own, filter), this.#last))
      const events = eventsByKey.get(key)
      const isNext = listening.has(subscriber) && subscriber.last === from
      if (!isNext || events === undefined || events.length > 1) {
        // New subscribers, and those with many changes, continue at their own pace.
        this.#live.delete(subscriber)
        void this.#catchUp(subscriber)
        continue
      }
      subscriber.send(events[0]!)
      subscriber.sendResetIfChanged()
    }
    return changes.length === CHANGES_PER_PAGE
  }

  /** Ends subscribers whose credentials are no longer valid, and marks those whose permissions have changed. */
  async #checkUsers(changes: readonly Change[]): Promise<void> {
    const users = new Set(changes.flatMap(({ kind, object }) => (USER_KINDS.has(kind) ? [Number(object)] : [])))
    const isAll = changes.some(({ kind }) => kind === 'all')
    for (const subscriber of Array.from(this.#live))
      if (isAll || users.has(subscriber.identity.user.id)) await subscriber.check()
  }

  async #beat(): Promise<void> {
    for (const subscriber of this.#live) subscriber.beat()
    try {
      // Sessions expire, and plugins change the capabilities of roles, without a change that announces it.
      for (const subscriber of Array.from(this.#live)) {
        await subscriber.check()
        if (this.#live.has(subscriber)) subscriber.sendResetIfChanged()
      }
    } catch (err) {
      this.#plugin.log.warn({ err }, 'checking the credentials of subscribers failed')
    }
  }
}

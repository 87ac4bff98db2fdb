import { currentWork } from '../../kernel/index.ts'
import { Gate, type Patience } from './gate.ts'
import { LruMap } from './lru-map.ts'
import { ConnectionLost, type PostgresConnection } from './postgres-connection.ts'

/** Connections over which reads are spread as long as none of them is slow. */
const usualLanes = 3
/** Connections at most. */
const laneLimit = 8
/** How many slow reads are executed at once. */
const slowLimit = 3
/** Milliseconds without an answer after which a read counts as slow. */
const slowTime = 100
/** Milliseconds for which reads of the same SQL are taken for slow then. */
const slowMemory = 60_000
/** How many times a read is given to the server. */
const attempts = 3

type Act = (connection: PostgresConnection) => unknown

/** A read under way. */
interface Read {
  readonly sql: string
  readonly act: Act
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
  /** Its caller has the result, or wants none any more. */
  settled: boolean
  /** Whether another lane has been asked as well. */
  moved: boolean
  /** Whether it may fail because another read was cancelled. */
  endangered: boolean
  attempts: number
}

/**
 * The connections of those who read outside of transactions. They are pipelined: a read is sent before the ones ahead of it
 * are answered, so that few connections serve many callers, but one that takes long holds up all behind it. So
 *
 * - those behind a slow one are sent over another connection as well, and the first answer counts;
 * - SQL that was slow a short while ago is executed alone on its connection, a few at a time;
 * - a slow one that nobody waits for any more is cancelled.
 *
 * Reads change nothing, so one that failed with its connection, or was cancelled in place of another, is sent again.
 */
export class Lanes {
  readonly #connect: () => Promise<PostgresConnection>
  readonly #lanes: Lane[] = []
  readonly #slowUntil = new LruMap<string, number>(500)
  readonly #slowOnes = new Gate(slowLimit)
  #clock: NodeJS.Timeout | undefined
  #closed = false

  constructor(connect: () => Promise<PostgresConnection>) {
    this.#connect = connect
  }

  /** Executes a read. @param sql its text; @param act may be called more than once */
  async read<T>(sql: string, act: (connection: PostgresConnection) => T | Promise<T>, patience: Patience): Promise<T> {
    if ((this.#slowUntil.get(sql) ?? 0) < performance.now()) return this.#start<T>(sql, act, false).result
    // The place is free once the server is done, which may be later than the caller knows.
    const started = Promise.withResolvers<T>()
    this.#slowOnes
      .run(() => {
        const { result, done } = this.#start<T>(sql, act, true)
        result.then(started.resolve, started.reject)
        return done
      }, patience)
      .catch(started.reject)
    return started.promise
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#clock)
    await Promise.all(this.#lanes.map((lane) => lane.close()))
  }

  #start<T>(sql: string, act: Act, alone: boolean): { result: Promise<T>; done: Promise<void> } {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const read: Read = {
      sql,
      act,
      resolve: resolve as Read['resolve'],
      reject,
      settled: false,
      moved: false,
      endangered: false,
      attempts: 0,
    }
    const done = this.#send(read, alone ? this.#emptyLane() : this.#quickLane(), alone)
    this.#giveUpWithWork(read, promise)
    return { result: promise, done }
  }

  /** Tells the caller at once when nobody waits for the answer any more. */
  #giveUpWithWork(read: Read, result: Promise<unknown>): void {
    const signal = currentWork()?.signal
    if (signal === undefined) return
    const aborted = () => {
      settle(read, () => read.reject(signal.reason as Error))
      for (const lane of this.#lanes) lane.cancelUnwanted()
    }
    const heard = () => signal.removeEventListener('abort', aborted)
    signal.addEventListener('abort', aborted)
    result.then(heard, heard)
  }

  /** Resolves once the server is done with the read. */
  async #send(read: Read, lane: Lane, alone = false): Promise<void> {
    read.attempts++
    this.#watch()
    try {
      const result = await lane.execute(read, alone)
      settle(read, () => read.resolve(result))
    } catch (error) {
      if (read.settled) return
      const again = error instanceof ConnectionLost || (read.endangered && isCancelled(error))
      if (again && read.attempts < attempts && !this.#closed) return this.#send(read, this.#quickLane(lane), alone)
      settle(read, () => read.reject(error as Error))
    }
  }

  /** The lane on which a read waits least. */
  #quickLane(not?: Lane): Lane {
    let best: Lane | undefined
    for (const lane of this.#lanes) {
      if (lane !== not && lane.open && (best === undefined || lane.load < best.load)) best = lane
    }
    if (best === undefined) return this.#newLane() ?? this.#leastLoaded()
    return best.load > 0 && this.#lanes.length < usualLanes ? this.#newLane()! : best
  }

  /** A lane with nothing on it, if that can be had. */
  #emptyLane(): Lane {
    return this.#lanes.find((lane) => lane.open && lane.load === 0) ?? this.#newLane() ?? this.#leastLoaded()
  }

  #leastLoaded(): Lane {
    return this.#lanes.reduce((best, lane) => (lane.load < best.load ? lane : best))
  }

  #newLane(): Lane | undefined {
    if (this.#lanes.length >= laneLimit) return undefined
    const lane = new Lane(this.#connect)
    this.#lanes.push(lane)
    return lane
  }

  /** Looks at the lanes from time to time, as long as anything is under way. */
  #watch(): void {
    // An answer that has come while this process was busy is taken first, so that it counts as none of the server's time.
    this.#clock ??= setInterval(() => setImmediate(() => this.#look()), slowTime / 2).unref()
  }

  #look(): void {
    let busy = false
    for (const lane of this.#lanes) {
      busy ||= lane.load > 0
      const slow = lane.slowRead()
      if (slow === undefined) continue
      this.#slowUntil.set(slow.sql, performance.now() + slowMemory)
      for (const read of lane.behind(slow)) {
        if (read.settled || read.moved) continue
        read.moved = true
        void this.#send(read, this.#quickLane(lane))
      }
      lane.cancelUnwanted()
    }
    if (busy) return
    clearInterval(this.#clock)
    this.#clock = undefined
  }
}

/** One pipelined connection, made when it is needed and made anew when it broke. */
class Lane {
  readonly #connect: () => Promise<PostgresConnection>
  #connection: Promise<PostgresConnection> | undefined
  #connected: PostgresConnection | undefined
  /** In the order in which the server executes them. */
  readonly #reads = new Set<Read>()
  /** The first of them, and since when it is. */
  #first: { read: Read; since: number } | undefined
  /** Whether nothing else is to be sent for now. */
  #stalled = false
  #alone = false
  #cancelling = false

  constructor(connect: () => Promise<PostgresConnection>) {
    this.#connect = connect
  }

  /** How many reads are under way. */
  get load(): number {
    return this.#reads.size
  }

  /** Whether what is sent is answered soon. */
  get open(): boolean {
    return !this.#stalled && !this.#alone && !this.#cancelling
  }

  async execute(read: Read, alone: boolean): Promise<unknown> {
    this.#reads.add(read)
    if (this.#cancelling) read.endangered = true
    if (alone) this.#alone = true
    try {
      const connection = await (this.#connection ??= this.#made())
      return read.settled ? undefined : await read.act(connection)
    } finally {
      this.#reads.delete(read)
      if (alone) this.#alone = false
    }
  }

  /** The read that has been executed for a long time now. To be called at intervals. */
  slowRead(): Read | undefined {
    const [read] = this.#reads
    const now = performance.now()
    if (read !== this.#first?.read) {
      this.#first = read && { read, since: now }
      this.#stalled = false
    }
    // A connection that is being made tells nothing about a statement.
    if (this.#connected === undefined || this.#first === undefined || now - this.#first.since < slowTime)
      return undefined
    this.#stalled = true
    return read
  }

  /** Those that wait for a read to end. */
  behind(first: Read): Read[] {
    return [...this.#reads].filter((read) => read !== first)
  }

  /** Has the server stop a read that takes long, or is alone, and whose caller has gone. */
  cancelUnwanted(): void {
    const [read] = this.#reads
    const connection = this.#connected
    if (read?.settled !== true || !(this.#stalled || this.#alone) || this.#cancelling || connection === undefined)
      return
    // Should the read end in this moment, the next one is met.
    for (const endangered of this.#reads) endangered.endangered = true
    this.#cancelling = true
    connection.cancel()
    void connection.settled().then(() => {
      this.#cancelling = false
    })
  }

  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined)
    await connection?.end()
  }

  async #made(): Promise<PostgresConnection> {
    const forget = () => {
      this.#connection = undefined
      this.#connected = undefined
    }
    try {
      const connection = await this.#connect()
      connection.onEnd(forget)
      this.#connected = connection
      return connection
    } catch (error) {
      forget()
      throw error
    }
  }
}

function settle(read: Read, how: () => void): void {
  if (read.settled) return
  read.settled = true
  how()
}

/** query_canceled: somebody, or its time limit, has stopped it. */
function isCancelled(error: unknown): boolean {
  return (error as { code?: unknown }).code === '57014'
}

import { Semaphore, type WaitOptions } from '../../../../kernel/index.ts'
import { tooMany } from '../errors.ts'
import { SlowSql } from '../slow-sql.ts'
import { isConnectionLost, type PostgresConnection } from './connection.ts'
import { Lane, slowTime, type Read } from './lane.ts'

/** Connections over which reads are spread as long as none of them is slow. */
const usualLanes = 3
const laneLimit = 8
/**
 * Reads that a lane has under way before another lane is opened: those of one request. The server starts a process for each
 * connection, which took it 25 ms of processor where this was measured.
 */
const enough = 4
/**
 * How many other reads are sent at once: enough to keep the lanes busy while responses travel. The rest waits in this
 * process, where it can still be given up: the server works off all that it was sent.
 */
const quickLimit = 12
const slowLimit = 3
/** How many times a read is given to the server. */
const attemptLimit = 3

/**
 * The connections of those who read outside of transactions. They are pipelined: a read is sent before the ones ahead of it
 * are answered, so that few connections serve many callers, but one that takes long holds up all behind it. So
 *
 * - those behind a slow one are sent over another connection as well, and the first answer counts;
 * - SQL that was slow a short while ago is executed alone on its connection, a few at a time;
 * - a slow one that nobody waits for any more is cancelled, and one that others need the connection of has to wait;
 * - so many are sent at once, and those that wait behind them are never sent where their callers give up.
 *
 * Reads change nothing, so one that failed with its connection, or was cancelled in place of another, is sent again.
 */
export class Lanes {
  readonly #connect: () => Promise<PostgresConnection>
  readonly #lanes: Lane[] = []
  readonly #slow = new SlowSql()
  readonly #quickOnes = new Semaphore(quickLimit, Infinity, tooMany)
  readonly #slowOnes = new Semaphore(slowLimit, Infinity, tooMany)
  #clock: NodeJS.Timeout | undefined
  #closed = false

  constructor(connect: () => Promise<PostgresConnection>) {
    this.#connect = connect
  }

  read<T>(sql: string, act: (connection: PostgresConnection) => T | Promise<T>, patience: WaitOptions): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const read: Read = {
      sql,
      act,
      patience,
      resolve: resolve as Read['resolve'],
      reject,
      settled: false,
      lane: undefined,
      leave: () => {},
      endangered: false,
      attempts: 0,
    }
    void this.#dispatch(read)
    const { signal } = patience
    if (signal !== undefined) this.#giveUpWith(signal, read, promise)
    return promise
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#clock)
    await Promise.all(this.#lanes.map((lane) => lane.close()))
  }

  /** Tells the caller at once when nobody waits for the result any more. */
  #giveUpWith(signal: AbortSignal, read: Read, result: Promise<unknown>): void {
    const aborted = () => {
      settle(read, () => read.reject(signal.reason as Error))
      for (const lane of this.#lanes) lane.cancelUnwanted()
    }
    const heard = () => signal.removeEventListener('abort', aborted)
    signal.addEventListener('abort', aborted)
    result.then(heard, heard)
  }

  async #dispatch(read: Read): Promise<void> {
    try {
      if (!this.#slow.has(read.sql)) return await this.#quickOnes.run(() => this.#sendQuick(read), read.patience)
      // The place is free once the server is done, which may be later than the caller knows.
      await this.#slowOnes.run(() => this.#send(read, this.#emptyLane(), true), read.patience)
    } catch (error) {
      settle(read, () => read.reject(error as Error))
    }
  }

  /** Resolves once another read may be sent in its place: it is answered, or its lane is known to be held up. */
  async #sendQuick(read: Read): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    read.leave = resolve
    void this.#send(read, this.#quickLane()).then(resolve)
    await promise
  }

  /** Resolves once the server is done with the read. */
  async #send(read: Read, lane: Lane, alone = false): Promise<void> {
    read.lane = lane
    read.attempts++
    this.#watch()
    try {
      const result = await lane.execute(read, alone)
      settle(read, () => read.resolve(result))
      read.leave()
    } catch (error) {
      if (read.settled || read.lane !== lane) return
      const again = isConnectionLost(error) || (read.endangered && isCancelled(error))
      if (!again || read.attempts >= attemptLimit || this.#closed)
        return settle(read, () => read.reject(error as Error))
      if (alone) return this.#send(read, this.#emptyLane(), true)
      read.leave()
      return this.#dispatch(read)
    }
  }

  /** The lane on which a read waits least. */
  #quickLane(): Lane {
    let best: Lane | undefined
    for (const lane of this.#lanes) if (lane.open && (best === undefined || lane.load < best.load)) best = lane
    if (best === undefined) return this.#newLane() ?? this.#leastLoaded()
    return best.load >= enough && this.#lanes.length < usualLanes ? this.#newLane()! : best
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
    for (const lane of this.#lanes) {
      const slow = lane.look(this.#slow)
      if (slow !== undefined) this.#slow.note(slow.sql)
    }
    const stalled = this.#lanes.filter((lane) => lane.stalled)
    if (this.#lanes.length === laneLimit && !this.#lanes.some((lane) => lane.open))
      stalled.findLast(({ alone }) => !alone)?.cancel()
    for (const lane of stalled) {
      const reads = [...lane.reads]
      for (const read of reads) read.leave()
      for (const read of reads.slice(1)) {
        // What is slow as well is in good company.
        if (!read.settled && read.lane === lane && !this.#slow.has(read.sql)) void this.#send(read, this.#quickLane())
      }
      lane.cancelUnwanted()
    }
    if (this.#lanes.some((lane) => lane.load > 0)) return
    clearInterval(this.#clock)
    this.#clock = undefined
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

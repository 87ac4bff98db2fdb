import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Store } from '../store/index.ts'

/** Limits how often something that needs a secret may be tried, where the secret is wrong. */
export interface Attempts {
  /**
   * Counts an attempt, before it is made: attempts that run at the same time cannot slip past the limit together.
   *
   * The limit bites those who failed: an address that failed at nothing lately may try, however often others failed at
   * the same account. Attempts that are refused do not count.
   *
   * @param subject what is tried, in lower case where case does not matter: `login:anna`
   * @param address address of the client
   * @returns seconds to wait; 0 when it may be tried
   */
  take(this: void, subject: string, address: string): Promise<number>
  /** The attempt was counted and the secret was right: neither it nor what failed before from this address counts. */
  succeeded(this: void, subject: string, address: string): Promise<void>
  /**
   * The same for a secret that is compared in no time, such as the password of a post: a wrong one is counted, for a
   * right one nothing is written. Those of one address are judged one after the other, so that none slips past the limit.
   *
   * @param right whether the secret is right
   * @returns seconds to wait, before which nobody is told whether it was; 0 when they may be
   */
  judge(this: void, subject: string, address: string, right: boolean): Promise<number>
}

/** How much is allowed. */
export interface Limit {
  /** Failures for one subject from one address that are within the limit. */
  readonly tries: number
  /** Seconds after which all of them are forgotten, one after the other. */
  readonly window: number
}

/** An address, and a subject, may fail so many times as often as both together: people share them. */
const SHARED = 4
/** How many keys are remembered before the memory begins anew. */
const MOST_KEYS = 10_000
/** Milliseconds between two removals of rows that count no more. */
const SWEEP = 600_000

/**
 * A limit that processes on one database share. For each key one number is kept: until when it takes to forget all
 * that failed. An attempt moves it on by its share of the window; it may not move further away than the window.
 */
export function createAttempts(store: Store, { tries, window }: Limit, now: () => number = Date.now): Attempts {
  const span = window * 1000
  const known = new Map<string, number>()
  /** The last judgement under way of each address. */
  const turns = new Map<string, Promise<unknown>>()
  let swept = now()

  const keysOf = (subject: string, address: string) => {
    const network = networkOf(address)
    return {
      pair: { key: keyOf('pair', subject, network), cost: span / tries },
      address: { key: keyOf('address', network), cost: span / (tries * SHARED) },
      subject: { key: keyOf('subject', subject), cost: span / (tries * SHARED) },
    }
  }
  /** Milliseconds until an attempt of this cost is within the limit; `until` is what it was before. */
  const waitFor = (until: number, cost: number, at: number) => Math.max(until, at) + cost - span - at
  const remember = (key: string, until: number) => {
    if (known.size >= MOST_KEYS) known.clear()
    known.set(key, until)
  }

  /** Seconds until an attempt is within all its limits; `untilOf` tells what each key was before. */
  const waitOf = (keys: ReturnType<typeof keysOf>, at: number, untilOf: (key: string) => number) => {
    const waits = [keys.pair, keys.address].map(({ key, cost }) => waitFor(untilOf(key), cost, at))
    const failed = [keys.pair, keys.address].some(({ key }) => untilOf(key) > at)
    if (failed) waits.push(waitFor(untilOf(keys.subject.key), keys.subject.cost, at))
    // Clocks differ a little, also between two attempts of one moment.
    return Math.floor(Math.max(0, ...waits) / 1000)
  }
  /** The same without an attempt: as others on the same database know it, too. */
  const waitNow = async (subject: string, address: string) => {
    const at = Math.floor(now())
    const keys = keysOf(subject, address)
    const names = Object.values(keys).map(({ key }) => key)
    const rows = await store.all(store.db.selectFrom('attempts').select(['key', 'until']).where('key', 'in', names))
    const stored = new Map(rows.map(({ key, until }) => [key, until]))
    return waitOf(keys, at, (key) => stored.get(key) ?? 0)
  }

  const attempts: Attempts = {
    async take(subject, address) {
      const at = Math.floor(now())
      const keys = keysOf(subject, address)
      const early = waitOf(keys, at, (key) => known.get(key) ?? 0)
      if (early > 0) return early

      if (at - swept > SWEEP) {
        swept = at
        await store.run(store.db.deleteFrom('attempts').where('until', '<', at))
      }
      const costs = new Map(Object.values(keys).map(({ key, cost }) => [key, Math.ceil(cost)]))
      // In one order, so that two processes never wait for each other.
      const rows = [...costs].map(([key, cost]) => ({ key, until: at + cost })).sort((a, b) => (a.key < b.key ? -1 : 1))
      const [most, least] = store.dialect === 'sqlite' ? (['max', 'min'] as const) : (['greatest', 'least'] as const)
      const moved = sql<number>`${sql.raw(least)}(${sql.raw(most)}(attempts.until, ${at}) + excluded.until - ${at}, excluded.until + ${span})`
      const written = await store.all<{ key: string; until: number }>(
        store.db
          .insertInto('attempts')
          .values(rows)
          .onConflict((conflict) => conflict.column('key').doUpdateSet({ until: moved }))
          .returning(['key', 'until']),
      )
      const before = new Map(written.map(({ key, until }) => [key, until - costs.get(key)!]))
      for (const { key, until } of written) remember(key, until)
      return waitOf(keys, at, (key) => before.get(key) ?? 0)
    },

    async succeeded(subject, address) {
      const { pair, ...shared } = keysOf(subject, address)
      known.delete(pair.key)
      await store.run(store.db.deleteFrom('attempts').where('key', '=', pair.key))
      const cost = Math.ceil(shared.address.cost)
      const keys = Object.values(shared).map(({ key }) => key)
      for (const key of keys) remember(key, (known.get(key) ?? 0) - cost)
      const less = { until: sql<number>`until - ${cost}` }
      await store.run(store.db.updateTable('attempts').set(less).where('key', 'in', keys))
    },

    judge(subject, address, right) {
      const network = networkOf(address)
      const judgement = (turns.get(network) ?? Promise.resolve()).then(() =>
        right ? waitNow(subject, address) : attempts.take(subject, address),
      )
      const turn = judgement
        .catch(() => {})
        .finally(() => {
          if (turns.get(network) === turn) turns.delete(network)
        })
      turns.set(network, turn)
      return judgement
    },
  }
  return attempts
}

/** What is typed as a login may be a password: nothing of it is stored. */
function keyOf(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}

/** What one client has: an address of IPv4, the first half of one of IPv6. */
function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail] = address.toLowerCase().split('%', 1)[0]!.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const missing = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length)
  const groups = [...before, ...Array.from({ length: missing }, () => '0'), ...after]
  return groups
    .slice(0, 4)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':')
}

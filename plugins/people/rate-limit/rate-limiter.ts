import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { lazily, networksOf, runWork, Work } from '../../../kernel/index.ts'
import { sql, type SqlQuery, type Store } from '../../storage/store/index.ts'

/** Limits how often something that needs a secret may be tried, where the secret is wrong. */
export type RateLimiter = ReturnType<typeof createRateLimiter>

/** How much is allowed. */
export interface Limit {
  /** Failures for one subject from one IP address that are within the limit. */
  readonly tries: number
  /** Seconds after which all of them are forgotten, one after the other. */
  readonly window: number
}

/** An IP address, and a subject, may fail so many times as often as both together: users share them. */
const SHARED = 4
/** A network of 48 bits of IPv6 may fail so many times as often as one of its networks of 64 bits. */
const SITE = 4
/** How many keys are remembered. */
const MOST_KEYS = 10_000
/** Milliseconds between two removals of rows that count no more. */
const SWEEP = 600_000
/** Milliseconds for which an IP address is known after a success: 90 days. */
const KNOWN = 90 * 86_400_000

/**
 * Whom limits bite: a stranger by all of them; who is known by that of the IP address and the subject together alone; a
 * reader by that of the subject only after a failure.
 */
type Who = 'stranger' | 'known' | 'reader'

/** One count of failures, and what one failure adds to it. */
interface Count {
  readonly key: string
  readonly cost: number
}

/** The counts of one attempt. */
interface Counts {
  readonly pair: Count
  readonly subject: Count
  /** Of the IP address and the networks it is in. */
  readonly networks: readonly Count[]
}

/**
 * A limit that processes on one database share. For each key one number is kept: until when it takes to forget all
 * that failed. An attempt moves it on by its share of the window; it may not move further away than the window.
 */
export function createRateLimiter(store: Store, { tries, window }: Limit, now: () => number = Date.now) {
  const span = window * 1000
  const { db } = store
  // Created when it is first used: it allocates room for all keys.
  const known = lazily(() => new LRUCache<string, number>({ max: MOST_KEYS }))
  /** The last decision under way of each IP address. */
  const turns = new Map<string, Promise<unknown>>()
  let swept = now()

  const countsOf = (subject: string, ip: string): Counts => {
    const { client, site } = networksOf(ip)
    const count = (failures: number, ...parts: readonly string[]) => ({ key: keyOf(...parts), cost: span / failures })
    const networks = [count(tries * SHARED, 'address', client)]
    if (site !== null) networks.push(count(tries * SHARED * SITE, 'address', site))
    return {
      pair: count(tries, 'pair', subject, client),
      subject: count(tries * SHARED, 'subject', subject),
      networks,
    }
  }
  const allOf = ({ pair, subject, networks }: Counts): Count[] => [pair, subject, ...networks]
  /** Milliseconds until an attempt of this cost is within the limit; `until` is what it was before. */
  const waitFor = (until: number, cost: number, at: number) => Math.max(until, at) + cost - span - at

  /** Seconds until an attempt is within all its limits; `untilOf` tells what each key was before. */
  const waitOf = ({ pair, subject, networks }: Counts, at: number, who: Who, untilOf: (key: string) => number) => {
    const bites = [pair]
    if (who !== 'known') bites.push(...networks)
    const failed = bites.some(({ key }) => untilOf(key) > at)
    if (who === 'stranger' || (who === 'reader' && failed)) bites.push(subject)
    const waits = bites.map(({ key, cost }) => waitFor(untilOf(key), cost, at))
    // Clocks differ a little, also between two attempts of one moment.
    return Math.floor(Math.max(0, ...waits) / 1000)
  }
  const storedUntil = async (keys: readonly string[]) => {
    const rows = await store.all(db.selectFrom('attempts').select(['key', 'until']).where('key', 'in', keys))
    const stored = new Map(rows.map(({ key, until }) => [key, until]))
    return (key: string) => stored.get(key) ?? 0
  }
  /** The same without an attempt: as others on the same database know it, too. */
  const waitNow = async (subject: string, ip: string) => {
    const counts = countsOf(subject, ip)
    const untilOf = await storedUntil(allOf(counts).map(({ key }) => key))
    return waitOf(counts, Math.floor(now()), 'reader', untilOf)
  }

  /** Counts an attempt, unless this process knows already that it is refused. */
  const count = async (counts: Counts, who: Who) => {
    const at = Math.floor(now())
    const early = waitOf(counts, at, who, (key) => known().get(key) ?? 0)
    if (early > 0) return early
    return apart(() => countStored(counts, who, at))
  }
  const countStored = async (counts: Counts, who: Who, at: number) => {
    if (at - swept > SWEEP) {
      swept = at
      await store.run(db.deleteFrom('attempts').where('until', '<', at))
    }
    const costs = new Map(allOf(counts).map(({ key, cost }) => [key, Math.ceil(cost)]))
    // In one order, so that two processes never wait for each other.
    const rows = [...costs].map(([key, cost]) => ({ key, until: at + cost })).sort((a, b) => (a.key < b.key ? -1 : 1))
    const [most, least] = store.dialect === 'sqlite' ? (['max', 'min'] as const) : (['greatest', 'least'] as const)
    const moved = sql<number>`${sql.raw(least)}(${sql.raw(most)}(attempts.until, ${at}) + excluded.until - ${at}, excluded.until + ${span})`
    const written = await store.all<{ key: string; until: number }>(
      db
        .insertInto('attempts')
        .values(rows)
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ until: moved }))
        .returning(['key', 'until']),
    )
    const before = new Map(written.map(({ key, until }) => [key, until - costs.get(key)!]))
    for (const { key, until } of written) known().set(key, until)
    return waitOf(counts, at, who, (key) => before.get(key) ?? 0)
  }
  /** Changes rows by their keys, in the order in which they are counted: two processes never wait for each other. */
  const change = (changes: readonly { key: string; query: SqlQuery }[]) =>
    apart(() =>
      store.transaction(async (tx) => {
        for (const { query } of [...changes].sort((a, b) => (a.key < b.key ? -1 : 1))) await tx.run(query)
      }),
    )
  const less = ({ key, cost }: Count) => {
    known().set(key, (known().get(key) ?? 0) - Math.ceil(cost))
    const until = sql<number>`until - ${Math.ceil(cost)}`
    return { key, query: db.updateTable('attempts').set({ until }).where('key', '=', key) }
  }

  return {
    /**
     * Counts an attempt, before it is made: attempts that run at the same time cannot slip past the limit together.
     *
     * Each subject also has a limit for all IP addresses together. Addresses from which the secret was right before are
     * exempt, so that failures elsewhere do not lock out its owner. Attempts that are refused do not count.
     * @param subject the account or object that is tried, by one name for every spelling: `login:12`
     * @param ip IP address of the client
     * @param isKnown the result of `knows`
     * @returns seconds to wait; 0 when it may be tried
     */
    take: (subject: string, ip: string, isKnown = false): Promise<number> =>
      count(countsOf(subject, ip), isKnown ? 'known' : 'stranger'),

    /** Whether the secret was right from this IP address before, within the last months. */
    async knows(this: void, subject: string, ip: string): Promise<boolean> {
      const key = knownKey(subject, ip)
      return (await storedUntil([key]))(key) > now()
    },

    /**
     * The attempt was counted and the secret was right: neither it nor what failed before from this IP address counts,
     * and the IP address is known from now on.
     */
    async succeeded(this: void, subject: string, ip: string): Promise<void> {
      const counts = countsOf(subject, ip)
      known().delete(counts.pair.key)
      const row = { key: knownKey(subject, ip), until: Math.floor(now()) + KNOWN }
      const insert = db.insertInto('attempts').values(row)
      await change([
        { key: counts.pair.key, query: db.deleteFrom('attempts').where('key', '=', counts.pair.key) },
        ...[counts.subject, ...counts.networks].map(less),
        {
          key: row.key,
          query: insert.onConflict((conflict) => conflict.column('key').doUpdateSet({ until: row.until })),
        },
      ])
    },

    /** The attempt was counted, but not made after all: it does not count. */
    giveBack: (subject: string, ip: string): Promise<void> => change(allOf(countsOf(subject, ip)).map(less)),

    /**
     * The same for a secret that is quick to compare and shared by many users, such as the password of a post: a wrong one
     * is counted, a right one writes nothing. Attempts of one IP address are checked one after another, so that none
     * exceeds the limit. The limit of all IP addresses together applies only to addresses with recent failures.
     * @param right whether the secret is right
     * @returns seconds to wait until the client may learn whether it is right; 0 if it may now
     */
    check(this: void, subject: string, ip: string, right: boolean): Promise<number> {
      const { client } = networksOf(ip)
      const decision = (turns.get(client) ?? Promise.resolve()).then(() =>
        right ? waitNow(subject, ip) : count(countsOf(subject, ip), 'reader'),
      )
      const turn = decision
        .catch(() => {})
        .finally(() => {
          if (turns.get(client) === turn) turns.delete(client)
        })
      turns.set(client, turn)
      return decision
    },
  }
}

/**
 * Does what is counted of a request as a work of its own: who goes away has tried all the same, and that it was counted
 * makes no request one that has changed something.
 */
const apart = <T>(act: () => Promise<T>): Promise<T> => runWork(new Work(), act)

const knownKey = (subject: string, ip: string) => keyOf('known', subject, networksOf(ip).client)

/** What is typed as a login may be a password: nothing of it is stored. */
function keyOf(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}

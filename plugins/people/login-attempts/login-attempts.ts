import { createHash } from 'node:crypto'
import type { RateLimiterRes } from 'rate-limiter-flexible'
import { runWork, Work, type PluginContext } from '../../../kernel/index.ts'
import { addDeprecatedMembers } from '../../library/deprecated-names/index.ts'
import { lazily } from '../../library/long-work/index.ts'
import { networksOf } from '../../requests/limits/index.ts'
import type { Store } from '../../storage/store/index.ts'
import type { StoredLimiter } from './stored-limiter.ts'

/** A limit of failures. */
export interface AttemptLimit {
  /** Allowed failures for one subject from one IP address; 5 by default. */
  readonly tries: number
  /** Seconds from the first failure until all expire; 300 by default. */
  readonly window: number
}

/**
 * The limits per IP address and per subject are this many times the limit of both together (20 failures by default),
 * because several users can share an address or try a subject.
 */
const SHARED_FACTOR = 4
/** The limit of an IPv6 /48 network is this many times that of one of its /64 networks (80 failures by default). */
const SITE_FACTOR = 4
/** Seconds for which an IP address is known after a success: 90 days. */
const KNOWN_SECONDS = 90 * 86_400

/**
 * Decides which limits apply. Stranger: all. Known client: only the limit of IP address and subject together. Reader:
 * the limit of the subject only after a recent failure from the same IP address, and all other limits.
 */
type Client = 'stranger' | 'known' | 'reader'

/** A counter to which an attempt belongs. */
interface Count {
  readonly of: 'pair' | 'network' | 'subject'
  readonly key: string
  readonly limiter: StoredLimiter
}

/** A limiter per kind of counter, and one for clients that have succeeded. */
type Limiters = Readonly<Record<'pair' | 'network' | 'site' | 'subject' | 'knownClients', StoredLimiter>>

/** Limits attempts to guess a secret. Processes on one database share the counters. */
export class LoginAttempts {
  /** @deprecated Use `consume`. */
  declare readonly take: LoginAttempts['consume']
  /** @deprecated Use `refund`. */
  declare readonly giveBack: LoginAttempts['refund']
  /** @deprecated Use `isKnown`. */
  declare readonly knows: LoginAttempts['isKnown']
  /** @deprecated Use `recordSuccess`. */
  declare readonly succeeded: LoginAttempts['recordSuccess']
  readonly #store: Store
  readonly #log: Pick<PluginContext['log'], 'warn'>
  /** Loads the library at the first attempt, because a start does not need it. */
  readonly #limiters: () => Promise<Limiters>
  /** The last decision in progress per network. */
  readonly #turns = new Map<string, Promise<unknown>>()

  constructor(store: Store, limit: AttemptLimit, log: Pick<PluginContext['log'], 'warn'>) {
    this.#store = store
    this.#log = log
    this.#limiters = lazily(() => createLimiters(store, limit))
  }

  /**
   * Counts an attempt, before it is made: attempts that run at the same time cannot slip past the limit together.
   *
   * Each subject also has a limit for all IP addresses together. Addresses from which the secret was right before are
   * exempt, so that failures elsewhere do not lock out its owner. Attempts that are refused do not count.
   * @param subject the account or object that is tried, by one name for every spelling: `login:12`
   * @param ip IP address of the client
   * @param isKnown the result of `isKnown`
   * @returns seconds to wait; 0 when it may be tried
   */
  async consume(subject: string, ip: string, isKnown = false): Promise<number> {
    return this.#count(await this.#countsOf(subject, ip), isKnown ? 'known' : 'stranger')
  }

  /** Whether the secret was right from this IP address within the last months. */
  async isKnown(subject: string, ip: string): Promise<boolean> {
    const { knownClients } = await this.#limiters()
    return (await knownClients.get(knownKey(subject, ip))) !== null
  }

  /**
   * Records that a counted attempt succeeded: it and earlier failures from this IP address no longer count, and the IP
   * address is known from now on.
   */
  async recordSuccess(subject: string, ip: string): Promise<void> {
    await this.#change(async () => {
      for (const { of, limiter, key } of await this.#countsOf(subject, ip))
        await (of === 'pair' ? limiter.delete(key) : limiter.reward(key))
      const { knownClients } = await this.#limiters()
      await knownClients.set(knownKey(subject, ip), 1, KNOWN_SECONDS)
    })
  }

  /** Removes a counted attempt that was not made. */
  async refund(subject: string, ip: string): Promise<void> {
    await this.#change(async () => {
      for (const { limiter, key } of await this.#countsOf(subject, ip)) await limiter.reward(key)
    })
  }

  /**
   * Checks and counts in one call, for a secret that is quick to compare and shared by many users, such as the password
   * of a post: a wrong one is counted, a right one writes nothing. Attempts of one IP address are checked one after
   * another, so that none exceeds the limit. The limit of all IP addresses together applies only to addresses with
   * recent failures.
   * @param isRight whether the secret is right
   * @returns seconds to wait until the client can be given the result; 0 if it can now
   */
  check(subject: string, ip: string, isRight: boolean): Promise<number> {
    // Programs that ban clients read this event (docs/guides/operating.md).
    if (!isRight) this.#log.warn({ event: 'password_failed', ip, subject }, 'wrong password')
    const { client } = networksOf(ip)
    const decision = (this.#turns.get(client) ?? Promise.resolve()).then(async () => {
      const counts = await this.#countsOf(subject, ip)
      return isRight ? (await this.#read(counts, 'reader')).wait : this.#count(counts, 'reader')
    })
    const turn = decision
      .catch(() => {})
      .finally(() => {
        if (this.#turns.get(client) === turn) this.#turns.delete(client)
      })
    this.#turns.set(client, turn)
    return decision
  }

  /** Returns the counters of an attempt, in the order in which every process locks their rows. */
  async #countsOf(subject: string, ip: string): Promise<Count[]> {
    const { client, site } = networksOf(ip)
    const { pair, network, site: siteLimiter, subject: subjectLimiter } = await this.#limiters()
    return [
      { of: 'pair', key: keyOf('pair', subject, client), limiter: pair },
      ...(site === null ? [] : [{ of: 'network' as const, key: keyOf('address', site), limiter: siteLimiter }]),
      { of: 'network', key: keyOf('address', client), limiter: network },
      { of: 'subject', key: keyOf('subject', subject), limiter: subjectLimiter },
    ]
  }

  /** Returns the limits that apply to a client, and the seconds until an attempt is within all of them. */
  async #read(counts: readonly Count[], client: Client): Promise<{ applying: ReadonlySet<Count>; wait: number }> {
    const results = await Promise.all(counts.map(async (count) => [count, await count.limiter.get(count.key)] as const))
    const hasFailed = results.some(([{ of }, result]) => of !== 'subject' && (result?.consumedPoints ?? 0) > 0)
    const applies = ({ of }: Count) => {
      if (client === 'known') return of === 'pair'
      return of !== 'subject' || client === 'stranger' || hasFailed
    }
    const applying = results.filter(([count]) => applies(count))
    const full = applying.map(([, result]) => result).filter((result) => result?.remainingPoints === 0)
    return { applying: new Set(applying.map(([count]) => count)), wait: Math.max(0, ...full.map(secondsOf)) }
  }

  /**
   * Counts an attempt that is within the limits. Concurrent attempts are counted in turn; the first full limit refuses
   * them.
   */
  async #count(counts: readonly Count[], client: Client): Promise<number> {
    const { applying, wait } = await this.#read(counts, client)
    if (wait > 0) return wait
    return this.#change(async () => {
      for (const count of counts) {
        const refused = await refusalOf(count)
        if (refused > 0 && applying.has(count)) return refused
      }
      return 0
    })
  }

  /**
   * Changes counters in one transaction, as separate work: an attempt counts even if the client disconnects, and does
   * not mark the request as one that has written.
   */
  #change<T>(act: () => Promise<T>): Promise<T> {
    return runWork(new Work(), () => this.#store.transaction(act))
  }
}

addDeprecatedMembers(LoginAttempts.prototype, 'services.loginAttempts', {
  take: 'consume',
  giveBack: 'refund',
  knows: 'isKnown',
  succeeded: 'recordSuccess',
})

async function createLimiters(store: Store, { tries, window }: AttemptLimit): Promise<Limiters> {
  const { StoredLimiter } = await import('./stored-limiter.ts')
  const limiter = (points: number) => new StoredLimiter(store, points, window)
  return {
    pair: limiter(tries),
    network: limiter(tries * SHARED_FACTOR),
    site: limiter(tries * SHARED_FACTOR * SITE_FACTOR),
    subject: limiter(tries * SHARED_FACTOR),
    knownClients: new StoredLimiter(store, 1, KNOWN_SECONDS),
  }
}

/** Counts one attempt. Returns the seconds to wait if it exceeds the limit, for which the library rejects; else 0. */
async function refusalOf({ key, limiter }: Count): Promise<number> {
  try {
    await limiter.consume(key)
    return 0
  } catch (error) {
    if (error instanceof Error) throw error
    return secondsOf(error as RateLimiterRes)
  }
}

function secondsOf(result: RateLimiterRes | null): number {
  return result === null ? 0 : Math.max(1, Math.ceil(result.msBeforeNext / 1000))
}

const knownKey = (subject: string, ip: string) => keyOf('known', subject, networksOf(ip).client)

/** Hashed, because a text typed as a login may be a password. */
function keyOf(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}

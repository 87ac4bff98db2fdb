import { createHash } from 'node:crypto'
import type { RateLimiterRes } from 'rate-limiter-flexible'
import { runWork, Work, type PluginContext } from '../../../kernel/index.ts'
import { lazily } from '../../library/long-work/index.ts'
import { networksOf } from '../../requests/limits/index.ts'
import type { Store } from '../../storage/store/index.ts'
import type { StoredLimiter } from './stored-limiter.ts'

/** How many failures are allowed. */
export interface AttemptLimit {
  /** Failures for one subject from one IP address that are within the limit. */
  readonly tries: number
  /** Seconds from the first of them until they are forgotten. */
  readonly window: number
}

/** An IP address, and a subject, may fail so many times as often as both together: users share them. */
const SHARED_FACTOR = 4
/** A network of 48 bits of IPv6 may fail so many times as often as one of its networks of 64 bits. */
const SITE_FACTOR = 4
/** Seconds for which an IP address is known after a success: 90 days. */
const KNOWN_SECONDS = 90 * 86_400

/**
 * To whom limits apply: to a stranger all of them; to a known client that of the IP address and the subject together alone;
 * to a reader that of the subject only after a failure.
 */
type Client = 'stranger' | 'known' | 'reader'

/** One of the counts to which an attempt belongs. */
interface Count {
  readonly of: 'pair' | 'network' | 'subject'
  readonly key: string
  readonly limiter: StoredLimiter
}

/** A limiter for each kind of count, and one for clients that have succeeded. */
type Limiters = Readonly<Record<'pair' | 'network' | 'site' | 'subject' | 'known', StoredLimiter>>

/** Limits how often a secret may be guessed. Processes on one database count together. */
export class LoginAttempts {
  readonly #store: Store
  readonly #log: Pick<PluginContext['log'], 'warn'>
  /** Loads the library with the first attempt: a start needs none of it. */
  readonly #limiters: () => Promise<Limiters>
  /** The last decision in progress for each network. */
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
   * @param isKnown the result of `knows`
   * @returns seconds to wait; 0 when it may be tried
   */
  async take(subject: string, ip: string, isKnown = false): Promise<number> {
    return this.#count(await this.#countsOf(subject, ip), isKnown ? 'known' : 'stranger')
  }

  /** Whether the secret was right from this IP address before, within the last months. */
  async knows(subject: string, ip: string): Promise<boolean> {
    const { known } = await this.#limiters()
    return (await known.get(knownKey(subject, ip))) !== null
  }

  /**
   * The attempt was counted and the secret was right: neither it nor earlier failures from this IP address count, and the
   * IP address is known from now on.
   */
  async succeeded(subject: string, ip: string): Promise<void> {
    await this.#change(async () => {
      for (const { of, limiter, key } of await this.#countsOf(subject, ip))
        await (of === 'pair' ? limiter.delete(key) : limiter.reward(key))
      const { known } = await this.#limiters()
      await known.set(knownKey(subject, ip), 1, KNOWN_SECONDS)
    })
  }

  /** The attempt was counted, but not made after all: it does not count. */
  async giveBack(subject: string, ip: string): Promise<void> {
    await this.#change(async () => {
      for (const { limiter, key } of await this.#countsOf(subject, ip)) await limiter.reward(key)
    })
  }

  /**
   * The same for a secret that is quick to compare and shared by many users, such as the password of a post: a wrong one
   * is counted, a right one writes nothing. Attempts of one IP address are checked one after another, so that none
   * exceeds the limit. The limit of all IP addresses together applies only to addresses with recent failures.
   * @param right whether the secret is right
   * @returns seconds to wait until the client may learn whether it is right; 0 if it may now
   */
  check(subject: string, ip: string, right: boolean): Promise<number> {
    // Read by programs that ban clients (docs/guides/operating.md).
    if (!right) this.#log.warn({ event: 'password_failed', ip, subject }, 'a password was wrong')
    const { client } = networksOf(ip)
    const decision = (this.#turns.get(client) ?? Promise.resolve()).then(async () => {
      const counts = await this.#countsOf(subject, ip)
      return right ? (await this.#read(counts, 'reader')).wait : this.#count(counts, 'reader')
    })
    const turn = decision
      .catch(() => {})
      .finally(() => {
        if (this.#turns.get(client) === turn) this.#turns.delete(client)
      })
    this.#turns.set(client, turn)
    return decision
  }

  /** The counts of an attempt, in the order in which each process locks their rows. */
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

  /** The limits that apply to a client, and the seconds until an attempt is within all of them. */
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

  /** Counts an attempt that is within the limits. Concurrent ones are counted in turn, and refused by the first full limit. */
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
   * Changes counts in one transaction, as separate work: a client that leaves has tried all the same, and a counted attempt
   * does not turn a request into one that has changed something.
   */
  #change<T>(act: () => Promise<T>): Promise<T> {
    return runWork(new Work(), () => this.#store.transaction(act))
  }
}

async function createLimiters(store: Store, { tries, window }: AttemptLimit): Promise<Limiters> {
  const { StoredLimiter } = await import('./stored-limiter.ts')
  const limiter = (points: number) => new StoredLimiter(store, points, window)
  return {
    pair: limiter(tries),
    network: limiter(tries * SHARED_FACTOR),
    site: limiter(tries * SHARED_FACTOR * SITE_FACTOR),
    subject: limiter(tries * SHARED_FACTOR),
    known: new StoredLimiter(store, 1, KNOWN_SECONDS),
  }
}

/** Counts one attempt. Returns the seconds to wait if it is one too many, which the library rejects with; else 0. */
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

/** Text typed as a login may be a password: nothing of it is stored. */
function keyOf(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}

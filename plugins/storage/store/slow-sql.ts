import { LRUCache } from 'lru-cache'

const limit = 1000
/** Milliseconds for which SQL that was slow is taken for slow. */
const memory = 60_000

/** What is known of SQL that was quick, or that may have been slow. */
const QUICK = -1
const SUSPECT = -2
const UNKNOWN = 0

/** SQL that others must not wait behind: known by its text, since whoever took long takes long again. */
export class SlowSql {
  /** Until when it is slow, in milliseconds of the process's clock; or `QUICK`, `SUSPECT`, `UNKNOWN`. */
  readonly #until = new LRUCache<string, number>({ max: limit })
  readonly #always: (sql: string) => boolean

  /** @param always whether SQL is slow by nature; asked once for each text */
  constructor(always: (sql: string) => boolean = () => false) {
    this.#always = always
  }

  /** Whether SQL was slow a short while ago, or is by nature. */
  has(sql: string): boolean {
    const until = this.#get(sql)
    return until > 0 && until > performance.now()
  }

  /** Whether SQL was quick, and never slow since. */
  isQuick(sql: string): boolean {
    return this.#get(sql) === QUICK
  }

  /** Whether SQL may have been slow: it has to show that it was something else that took long. */
  isSuspect(sql: string): boolean {
    return this.#get(sql) === SUSPECT
  }

  /** Notes that SQL was slow this time. */
  note(sql: string): void {
    if (this.#get(sql) !== Infinity) this.#until.set(sql, performance.now() + memory)
  }

  /** Notes that SQL may have been slow this time. */
  markSuspect(sql: string): void {
    if (this.#get(sql) <= performance.now()) this.#until.set(sql, SUSPECT)
  }

  /** Notes that SQL was quick this time. */
  markQuick(sql: string): void {
    const until = this.#get(sql)
    if (until !== QUICK && until <= performance.now()) this.#until.set(sql, QUICK)
  }

  #get(sql: string): number {
    let until = this.#until.get(sql)
    if (until === undefined) {
      until = this.#always(sql) ? Infinity : UNKNOWN
      this.#until.set(sql, until)
    }
    return until
  }
}

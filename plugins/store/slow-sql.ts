import { LruMap } from './lru-map.ts'

/** How many statements are known. */
const limit = 1000
/** Milliseconds for which SQL that was slow is taken for slow. */
const memory = 60_000

/** SQL that others must not wait behind: known by its text, since whoever took long takes long again. */
export class SlowSql {
  /** Until when, in milliseconds of the process's clock. */
  readonly #until = new LruMap<string, number>(limit)
  readonly #always: (sql: string) => boolean

  /** @param always whether SQL is slow by nature; asked once for each text */
  constructor(always: (sql: string) => boolean = () => false) {
    this.#always = always
  }

  has(sql: string): boolean {
    let until = this.#until.get(sql)
    if (until === undefined) {
      until = this.#always(sql) ? Infinity : 0
      this.#until.set(sql, until)
    }
    return until > 0 && until > performance.now()
  }

  /** Notes that SQL was slow this time. */
  note(sql: string): void {
    if (this.#until.get(sql) !== Infinity) this.#until.set(sql, performance.now() + memory)
  }
}

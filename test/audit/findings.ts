import type { Case } from './cases.ts'
import { curlOf } from './curl.ts'
import type { Line } from './report.ts'

/** What a run of the fuzzer has found, by all its servers. */
export class Findings {
  readonly #seed: number
  /** What broke, by what is the same about it. */
  readonly #broken = new Map<string, { times: number; first: string }>()
  readonly #statuses = new Map<number, number>()
  #times = 0
  #slowest = 0
  #most = 0
  #stall = 0

  constructor(seed: number) {
    this.#seed = seed
  }

  answered(status: number, took: number): void {
    this.#times += 1
    this.#slowest = Math.max(this.#slowest, took)
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1)
  }

  /** Bytes that a process held at the most. */
  held(bytes: number): void {
    this.#most = Math.max(this.#most, bytes)
  }

  /** Milliseconds for which one request kept everybody else waiting. */
  stalled(milliseconds: number): void {
    this.#stall = Math.max(this.#stall, milliseconds)
  }

  /** Counts what broke; the same words again are the same, whatever numbers stand in them. */
  note(what: string, details: () => string = () => ''): void {
    const known = this.#broken.get(sameOf(what))
    if (known === undefined) this.#broken.set(sameOf(what), { times: 1, first: what + details() })
    else known.times += 1
  }

  knows(what: string): boolean {
    return this.#broken.has(sameOf(what))
  }

  /** Lines of commands that repeat requests. */
  curl(asked: readonly Case[], home: string): string {
    return asked.map((one) => `\n  ${curlOf(one, home, this.#seed)}`).join('')
  }

  tell(line: Line, block: number): void {
    line.times += this.#times
    for (const { times, first } of this.#broken.values()) {
      line.broken.push(times === 1 ? first : `${first}\n  (and ${times - 1} more like it)`)
    }
    const statuses = [...this.#statuses].sort(([a], [b]) => a - b)
    const told = statuses.map(([status, times]) => `${status || 'none'}: ${times}`)
    const stall = this.#stall <= block ? `below ${block}` : Math.round(this.#stall)
    const size = `${Math.round(this.#most / 1e6)} MB`
    line.note = `${told.join(', ')}; slowest ${Math.round(this.#slowest)} ms; ${size}; others waited ${stall} ms`
  }
}

/** What is the same about two sentences. */
function sameOf(what: string): string {
  return what.replace(/\d+/g, '0').slice(0, 80)
}

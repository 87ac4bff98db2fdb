import type { Case } from './cases.ts'
import { curlOf } from './curl.ts'
import type { Line } from './report.ts'

/** Findings of a run of the fuzzer, of all its servers. */
export class Findings {
  readonly #seed: number
  /** Problems by their normalized text. */
  readonly #broken = new Map<string, { times: number; first: string }>()
  readonly #statuses = new Map<number, number>()
  #times = 0
  #slowest = 0
  #peakMemory = 0
  #stall = 0

  constructor(seed: number) {
    this.#seed = seed
  }

  answered(status: number, took: number): void {
    this.#times += 1
    this.#slowest = Math.max(this.#slowest, took)
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1)
  }

  /** Records the peak memory of a process in bytes. */
  held(bytes: number): void {
    this.#peakMemory = Math.max(this.#peakMemory, bytes)
  }

  /** Records the milliseconds for which one request blocked all others. */
  stalled(milliseconds: number): void {
    this.#stall = Math.max(this.#stall, milliseconds)
  }

  /** Counts a problem. Texts that differ only in numbers count as the same problem. */
  note(problem: string, details: () => string = () => ''): void {
    const entry = this.#broken.get(sameOf(problem))
    if (entry === undefined) this.#broken.set(sameOf(problem), { times: 1, first: problem + details() })
    else entry.times += 1
  }

  has(problem: string): boolean {
    return this.#broken.has(sameOf(problem))
  }

  /** Returns commands that repeat requests, one per line. */
  curl(requests: readonly Case[], home: string): string {
    return requests.map((one) => `\n  ${curlOf(one, home, this.#seed)}`).join('')
  }

  addTo(line: Line, block: number): void {
    line.times += this.#times
    for (const { times, first } of this.#broken.values()) {
      line.broken.push(times === 1 ? first : `${first}\n  (and ${times - 1} more like it)`)
    }
    const statuses = [...this.#statuses].sort(([a], [b]) => a - b)
    const counts = statuses.map(([status, times]) => `${status || 'none'}: ${times}`)
    const stall = this.#stall <= block ? `below ${block}` : Math.round(this.#stall)
    const size = `${Math.round(this.#peakMemory / 1e6)} MB`
    line.note = `${counts.join(', ')}; slowest ${Math.round(this.#slowest)} ms; ${size}; others waited ${stall} ms`
  }
}

/** Normalizes a text: removes numbers and other details. */
function sameOf(problem: string): string {
  return problem.replace(/\d+/g, '0').slice(0, 80)
}

/** Tags of which a version is kept; of the others nothing is known but that they have not changed since `#floor`. */
const MOST_TAGS = 200_000

interface Version {
  /** The state in which it changed last. */
  state: number
  /** Unix milliseconds. */
  time: number
}

/**
 * Which tags have changed when, as far as this process knows. States are numbers that grow with each change it learns of.
 */
export class Versions {
  readonly #versions = new Map<string, Version>()
  #floor: Version
  #state = 1

  /** @param time Unix milliseconds: nothing is known to be older */
  constructor(time = Date.now()) {
    this.#floor = { state: 0, time }
  }

  /** The state that what is made now will have. */
  get state(): number {
    return this.#state
  }

  /** Notes that tags have changed. @param time Unix milliseconds */
  change(tags: Iterable<string>, time: number): void {
    this.#state += 1
    const version = { state: this.#state, time }
    for (const tag of tags) {
      // The latest are last, so that those that have not changed for long go first.
      this.#versions.delete(tag)
      this.#versions.set(tag, version)
    }
    for (const [tag, oldest] of this.#versions) {
      if (this.#versions.size <= MOST_TAGS) break
      this.#versions.delete(tag)
      this.#floor = oldest
    }
  }

  /** Notes that anything may have changed. */
  changeAll(time: number): void {
    this.#state += 1
    this.#versions.clear()
    this.#floor = { state: this.#state, time }
  }

  /** Whether none of the tags has changed since a state. */
  unchanged(tags: readonly string[], since: number): boolean {
    if (since < this.#floor.state) return false
    for (const tag of tags) if ((this.#versions.get(tag)?.state ?? 0) > since) return false
    return true
  }

  /** When one of the tags changed last, in Unix milliseconds; the start of the process where that is not known. */
  changedAt(tags: readonly string[]): number {
    let latest = this.#floor.time
    for (const tag of tags) latest = Math.max(latest, this.#versions.get(tag)?.time ?? 0)
    return latest
  }
}

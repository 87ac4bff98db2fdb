/**
 * Maximum number of tags with a stored version. Beyond it, the oldest versions are dropped. `#floor` is the latest
 * dropped version; tags without a stored version count as last changed then.
 */
const MAX_TAGS = 200_000

interface Version {
  /** State in which it last changed. */
  state: number
  /** Unix milliseconds. */
  time: number
}

/** Records when tags have last changed. A state is a number that grows with each change that this process learns of. */
export class Versions {
  readonly #versions = new Map<string, Version>()
  #floor: Version
  #state = 1

  /** @param time start time in Unix milliseconds, the earliest time of any change */
  constructor(time = Date.now()) {
    this.#floor = { state: 0, time }
  }

  /** The current state. */
  get state(): number {
    return this.#state
  }

  /** Records a change of tags. @param time Unix milliseconds */
  change(tags: Iterable<string>, time: number): void {
    this.#state += 1
    const version = { state: this.#state, time }
    for (const tag of tags) {
      // Moves the tags to the end, so that the tags unchanged for longest are dropped first.
      this.#versions.delete(tag)
      this.#versions.set(tag, version)
    }
    for (const [tag, oldest] of this.#versions) {
      if (this.#versions.size <= MAX_TAGS) break
      this.#versions.delete(tag)
      this.#floor = oldest
    }
  }

  /** Records that any data may have changed. */
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

  /** Returns when one of the tags last changed, in Unix milliseconds; the start of the process if that is unknown. */
  changedAt(tags: readonly string[]): number {
    let latest = this.#floor.time
    for (const tag of tags) latest = Math.max(latest, this.#versions.get(tag)?.time ?? 0)
    return latest
  }
}

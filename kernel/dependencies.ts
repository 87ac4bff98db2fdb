import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * What something is made of, for those who keep it: the tags of all that was looked at while it was made. A tag names an
 * object (`post:12`, `option:title`), a list (`posts:author=1`), a table (`table:posts`), or whatever a plugin says has a
 * state (`stock:7`). What is kept is good as long as none of its tags has changed.
 */
export class Dependencies {
  readonly tags = new Set<string>()
  /** Why it must not be kept; null where it may. */
  #refusal: string | null = null
  /** What this is a part of: that depends on all that this depends on. */
  readonly #wholes = new Set<Dependencies>()

  constructor(whole: Dependencies | null = null) {
    if (whole !== null) this.#wholes.add(whole)
  }

  /** Makes this a part of something else as well, with what it depends on already and what is still to come. */
  join(whole: Dependencies): void {
    if (whole === this || this.#wholes.has(whole)) return
    this.#wholes.add(whole)
    whole.addAll(this.tags)
    if (this.#refusal !== null) whole.refuse(this.#refusal)
  }

  /** Why it must not be kept, for those who wonder; null where it may. */
  get refusal(): string | null {
    return this.#refusal
  }

  add(tag: string): void {
    // What has a tag already is part of what has it already.
    if (this.tags.has(tag)) return
    this.tags.add(tag)
    for (const whole of this.#wholes) whole.add(tag)
  }

  addAll(tags: Iterable<string>): void {
    for (const tag of tags) this.add(tag)
  }

  /** Says that it, and what it is a part of, must not be kept. */
  refuse(reason: string): void {
    if (this.#refusal !== null) return
    this.#refusal = reason
    for (const whole of this.#wholes) whole.refuse(reason)
  }
}

const current = new AsyncLocalStorage<Dependencies>()

/** What is being made by the running code, where somebody might keep it. */
export function currentDependencies(): Dependencies | undefined {
  return current.getStore()
}

/** Says what is being made depends on, by tags. Does nothing where nobody might keep it. */
export function dependsOn(...tags: readonly string[]): void {
  current.getStore()?.addAll(tags)
}

/** Says that what is being made must not be kept: it depends on what has no tag, such as the time, or is for one reader. */
export function doNotKeep(reason: string): void {
  current.getStore()?.refuse(reason)
}

/** What a part of what is being made depends on: that depends on the same. */
export function partOfCurrent(): Dependencies {
  return new Dependencies(current.getStore())
}

/** Runs `make`, which makes something that might be kept; what is made around it depends on the same. */
export function collectDependencies<T>(make: (dependencies: Dependencies) => T): T {
  const dependencies = partOfCurrent()
  return current.run(dependencies, () => make(dependencies))
}

/** Goes on making something in another step. */
export function collectInto<T>(dependencies: Dependencies, make: () => T): T {
  return current.run(dependencies, make)
}

/**
 * Runs `read`, which reads for several at once: what each of them depends on says who asks for it (`loaderOf`).
 */
export function withoutDependencies<T>(read: () => T): T {
  return current.exit(read)
}

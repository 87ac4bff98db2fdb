import { AsyncLocalStorage } from 'node:async_hooks'
import { START_SECONDS } from './deadline.ts'

type Undo = () => void | Promise<void>

let count = 0

/**
 * A number that grows whenever something is registered or taken back: a plugin, a tap, a route, a service, an entry of a
 * registry. What was made of all that, answers for one, is as it was while the number is.
 */
export function registrations(): number {
  return count
}

/**
 * The owner of registrations: a plugin, or the kernel. Everything registered while an owner is current belongs to it and is
 * undone, newest first, when the owner is removed.
 */
export class Owner {
  readonly name: string
  /** Seconds that each thing it does at the start may take. */
  readonly deadline: number
  /** Whether it need not say what its callbacks depend on, as the defaults. */
  readonly trusted: boolean
  readonly #undos = new Set<Undo>()
  #initial: Owner | null = null

  constructor(name: string, deadline = START_SECONDS, trusted = false) {
    this.name = name
    this.deadline = deadline
    this.trusted = trusted
  }

  /** Remembers how to undo a registration. Returns a function that forgets it again. */
  onRemove(undo: Undo): () => void {
    this.#undos.add(undo)
    count += 1
    return () => {
      this.#undos.delete(undo)
      count += 1
    }
  }

  /** Runs `work` with this owner as the current one, through all that it awaits. */
  run<T>(work: () => T): T {
    return current.run(this, work)
  }

  /** The owner of what the plugin registers while the server is initialised, which may happen again. */
  get initial(): Owner {
    this.#initial ??= new Owner(this.name, this.deadline, this.trusted)
    return this.#initial
  }

  /** Undoes everything, newest first. A failing undo does not keep the others from running; the first failure is thrown at the end. */
  async remove(): Promise<void> {
    const failures: unknown[] = []
    await this.#initial?.remove().catch((error: unknown) => failures.push(error))
    for (const undo of [...this.#undos].toReversed()) {
      this.#undos.delete(undo)
      try {
        await undo()
      } catch (error) {
        failures.push(error)
      }
      count += 1
    }
    if (failures.length > 0) throw failures[0]
  }

  /** How many registrations it has. */
  get size(): number {
    return this.#undos.size + (this.#initial?.size ?? 0)
  }
}

const current = new AsyncLocalStorage<Owner>()
const KERNEL = new Owner('kernel')

/** The owner of what is registered now: the plugin that is being applied, or whose tap runs; else the kernel. */
export function currentOwner(): Owner {
  return current.getStore() ?? KERNEL
}

/** Classes that plugins have handed to others, with whether these plugins are trusted. */
const handedOver = new WeakMap<object, boolean>()

/** Notes who hands a class to others, which will make routes of it. Whoever did so first has written it. */
export function noteAuthor(code: unknown): void {
  if (typeof code === 'function' && !handedOver.has(code)) handedOver.set(code, currentOwner().trusted)
}

/**
 * Runs `work`, which registers on behalf of a class that a plugin has handed over: the registrations belong to the current
 * owner, but are trusted only if that plugin is.
 */
export function registerFor(code: unknown, work: () => void): void {
  const owner = currentOwner()
  if (typeof code !== 'function' || handedOver.get(code) !== false) return work()
  const part = new Owner(owner.name, owner.deadline)
  owner.onRemove(() => part.remove())
  part.run(work)
}

/**
 * A map whose entries belong to the plugin that set them. A later entry of the same name replaces the earlier one; when
 * its owner is removed, the earlier one is back.
 */
export class OwnedMap<V> implements Iterable<[string, V]> {
  readonly #entries = new Map<string, { value: V; owner: Owner }[]>()
  #edition = 0

  /** Another number whenever an entry has come or gone. */
  get edition(): number {
    return this.#edition
  }

  /** Sets an entry for the current owner and returns a function that takes it back. */
  set(name: string, value: V): () => void {
    const owner = currentOwner()
    const entry = { value, owner }
    this.#edition += 1
    const stack = this.#entries.get(name)
    if (stack === undefined) this.#entries.set(name, [entry])
    else stack.push(entry)
    const take = () => {
      this.#edition += 1
      const left = (this.#entries.get(name) ?? []).filter((one) => one !== entry)
      if (left.length === 0) this.#entries.delete(name)
      else this.#entries.set(name, left)
    }
    const forget = owner.onRemove(take)
    return () => {
      forget()
      take()
    }
  }

  get(name: string): V | undefined {
    return this.#entries.get(name)?.at(-1)?.value
  }

  has(name: string): boolean {
    return this.#entries.has(name)
  }

  /** Name of the plugin whose entry is in force. */
  ownerOf(name: string): string | undefined {
    return this.#entries.get(name)?.at(-1)?.owner.name
  }

  keys(): IterableIterator<string> {
    return this.#entries.keys()
  }

  values(): V[] {
    return [...this.#entries.values()].map((stack) => stack.at(-1)!.value)
  }

  [Symbol.iterator](): Iterator<[string, V]> {
    return [...this.#entries].map(([name, stack]): [string, V] => [name, stack.at(-1)!.value])[Symbol.iterator]()
  }
}

import { AsyncLocalStorage } from 'node:async_hooks'
import { START_SECONDS } from './deadline.ts'

type Undo = () => void | Promise<void>

/**
 * The owner of registrations: a plugin, or the kernel. Everything registered while an owner is current belongs to it and is
 * undone, newest first, when the owner is removed.
 */
export class Owner {
  readonly name: string
  /** Whether it is one of the default plugins, of which is known what their answers depend on. */
  readonly isDefault: boolean
  /** Seconds that each thing it does at the start may take. */
  readonly deadline: number
  readonly #undos = new Set<Undo>()
  #initial: Owner | null = null

  constructor(name: string, deadline = START_SECONDS, isDefault = false) {
    this.name = name
    this.deadline = deadline
    this.isDefault = isDefault
  }

  /** Remembers how to undo a registration. Returns a function that forgets it again. */
  onRemove(undo: Undo): () => void {
    this.#undos.add(undo)
    return () => void this.#undos.delete(undo)
  }

  /** Runs `work` with this owner as the current one, through all that it awaits. */
  run<T>(work: () => T): T {
    return current.run(this, work)
  }

  /** The owner of what the plugin registers while the server is initialised, which may happen again. */
  get initial(): Owner {
    this.#initial ??= new Owner(this.name, this.deadline, this.isDefault)
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

/**
 * A map whose entries belong to the plugin that set them. A later entry of the same name replaces the earlier one; when
 * its owner is removed, the earlier one is back.
 */
export class OwnedMap<V> implements Iterable<[string, V]> {
  readonly #entries = new Map<string, { value: V; owner: Owner }[]>()

  /** Sets an entry for the current owner and returns a function that takes it back. */
  set(name: string, value: V): () => void {
    const owner = currentOwner()
    const entry = { value, owner }
    const stack = this.#entries.get(name)
    if (stack === undefined) this.#entries.set(name, [entry])
    else stack.push(entry)
    const take = () => {
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

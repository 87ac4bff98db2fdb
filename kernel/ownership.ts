import { AsyncLocalStorage } from 'node:async_hooks'
import { START_SECONDS } from './deadline.ts'

type Undo = () => void | Promise<void>

/** What a registration is, and which: `{ kind: 'route', name: 'GET /shop/v1/prices' }`. */
export interface Label {
  readonly kind: string
  readonly name: string
}

/** A registration as `svc plugins NAME --owned` lists it, with those that were made for it. */
export interface Owned extends Label {
  readonly parts?: readonly Owned[]
}

interface Entry extends Label {
  readonly undo: Undo
  /** Who owns what was made for it. */
  readonly part: Owner | null
  readonly shapes: boolean
}

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
  readonly #entries = new Set<Entry>()
  #initial: Owner | null = null

  constructor(name: string, deadline = START_SECONDS, trusted = false) {
    this.name = name
    this.deadline = deadline
    this.trusted = trusted
  }

  /**
   * Remembers how to undo a registration.
   * @param shapes whether what answers look like may depend on it, so that none that was kept is good any more
   * @returns a function that forgets it again
   */
  onRemove(undo: Undo, label: Label, shapes = true): () => void {
    return this.#add({ ...label, undo, part: null, shapes })
  }

  /** Makes an owner of what is registered for one thing; it is removed with this one. */
  part(label: Label, trusted = this.trusted): Owner {
    const part = new Owner(this.name, this.deadline, trusted)
    this.#add({ ...label, undo: () => part.remove(), part, shapes: true })
    return part
  }

  #add(entry: Entry): () => void {
    this.#entries.add(entry)
    if (entry.shapes) count += 1
    return () => {
      if (this.#entries.delete(entry) && entry.shapes) count += 1
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
    for (const entry of [...this.#entries].toReversed()) {
      this.#entries.delete(entry)
      try {
        await entry.undo()
      } catch (error) {
        failures.push(error)
      }
      if (entry.shapes) count += 1
    }
    if (failures.length > 0) throw failures[0]
  }

  /** How many registrations it has, with those of its parts. */
  get size(): number {
    let size = this.#initial?.size ?? 0
    for (const { part } of this.#entries) size += 1 + (part?.size ?? 0)
    return size
  }

  /** Its registrations in their order, with what was made for each of them. */
  owned(): Owned[] {
    const list = [...this.#entries].map(({ kind, name, part }) =>
      part === null ? { kind, name } : { kind, name, parts: part.owned() },
    )
    const made = this.#initial?.owned() ?? []
    return made.length === 0 ? list : [...list, { kind: 'hook run', name: 'rest_api_init', parts: made }]
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
  owner.part({ kind: 'class', name: code.name }, false).run(work)
}

/**
 * A map whose entries belong to the plugin that set them. A later entry of the same name replaces the earlier one; when
 * its owner is removed, the earlier one is back.
 */
export class OwnedMap<V> implements Iterable<[string, V]> {
  /** What an entry is, in the words of those who register it: `content type`. */
  readonly kind: string
  readonly #changed: () => void
  readonly #entries = new Map<string, { value: V; owner: Owner }[]>()
  #edition = 0

  /** @param changed called whenever an entry has come or gone */
  constructor(kind: string, changed: () => void = () => {}) {
    this.kind = kind
    this.#changed = changed
  }

  /** Another number whenever an entry has come or gone. */
  get edition(): number {
    return this.#edition
  }

  /**
   * Sets an entry for the current owner and returns a function that takes it back.
   * @param shown how the entry is listed, where its name in the map is not for readers
   */
  set(name: string, value: V, shown = name): () => void {
    const owner = currentOwner()
    const entry = { value, owner }
    const stack = this.#entries.get(name)
    if (stack === undefined) this.#entries.set(name, [entry])
    else stack.push(entry)
    this.#change()
    const take = () => {
      const left = (this.#entries.get(name) ?? []).filter((one) => one !== entry)
      if (left.length === 0) this.#entries.delete(name)
      else this.#entries.set(name, left)
      this.#change()
    }
    const forget = owner.onRemove(take, { kind: this.kind, name: shown })
    return () => {
      forget()
      take()
    }
  }

  #change(): void {
    this.#edition += 1
    this.#changed()
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

/** Listeners, each of which belongs to the plugin that added it. */
export class OwnedList<V> implements Iterable<V> {
  readonly #kind: string
  readonly #entries = new Set<{ readonly value: V }>()
  #values: readonly V[] = []

  constructor(kind: string) {
    this.#kind = kind
  }

  get size(): number {
    return this.#values.length
  }

  /** Adds one for the current owner and returns a function that takes it back. */
  add(value: V, name = ''): () => void {
    const entry = { value }
    this.#entries.add(entry)
    this.#change()
    const take = () => {
      this.#entries.delete(entry)
      this.#change()
    }
    const forget = currentOwner().onRemove(take, { kind: this.#kind, name }, false)
    return () => {
      forget()
      take()
    }
  }

  /** In the order in which they were added. One that comes or goes meanwhile does not count. */
  [Symbol.iterator](): Iterator<V> {
    return this.#values[Symbol.iterator]()
  }

  #change(): void {
    this.#values = [...this.#entries].map(({ value }) => value)
  }
}

import { derivedOfAll, OwnedMap, type Registrant } from '../../kernel/index.ts'

interface Layer<S> {
  readonly spec: S
  /** Whether it changes what was registered before, and registers nothing itself. */
  readonly isChange: boolean
}

interface Made<S, T> {
  readonly spec: S
  readonly definition: T
}

/**
 * What plugins register by name, and others change: each definition is made of all that is registered for it now, so that
 * it does not matter in which order plugins come and go.
 */
export class Definitions<S extends object, T> {
  readonly #layers: OwnedMap<Layer<S>>
  readonly #make: (name: string, spec: S) => T
  readonly #made = derivedOfAll(() => new Map<string, Made<S, T>>())

  /**
   * @param kind what one is, in the words of those who register it: `content type`
   * @param make makes a definition of what it was registered with, and of the changes
   */
  constructor(kind: string, make: (name: string, spec: S) => T) {
    this.#layers = new OwnedMap(kind)
    this.#make = make
  }

  /** Registers a definition, or replaces the one with the same name. */
  register(name: string, spec: S, override: boolean): T {
    this.#layers.set(name, { spec, isChange: false }, name, override)
    return this.get(name)!
  }

  /** Changes some of what a definition, which is there, was registered with. */
  change(name: string, changes: S): T {
    this.#layers.set(name, { spec: changes, isChange: true }, name, true)
    return this.get(name)!
  }

  has(name: string): boolean {
    return this.#of(name) !== undefined
  }

  /** The definition of a name; undefined where none is registered. */
  get(name: string): T | undefined {
    return this.#of(name)?.definition
  }

  /** What a definition was registered with, and the changes; undefined where it is not there. */
  specOf(name: string): S | undefined {
    return this.#of(name)?.spec
  }

  #of(name: string): Made<S, T> | undefined {
    const made = this.#made()
    const known = made.get(name)
    if (known !== undefined) return known
    const layers = this.#layers.allOf(name)
    const first = layers.findLastIndex(({ isChange }) => !isChange)
    if (first < 0) return undefined
    const spec = Object.assign({}, ...layers.slice(first).map((layer) => layer.spec)) as S
    const one = { spec, definition: this.#make(name, spec) }
    made.set(name, one)
    return one
  }

  /** In order of registration. */
  all(): T[] {
    return this.names().map((name) => this.get(name)!)
  }

  /** The names, in order of registration. */
  names(): string[] {
    return [...this.#layers.keys()].filter((name) => this.has(name))
  }

  /** Who registered a definition, or changed it last. */
  registrantOf(name: string): Registrant | undefined {
    return this.#layers.registrantOf(name)
  }
}

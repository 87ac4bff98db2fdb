import { derivedOfAll, OwnedMap, type Registrant } from '../../kernel/index.ts'

interface Layer<S> {
  readonly spec: S
  /** True for a layer that changes an earlier registration. */
  readonly isChange: boolean
}

interface CachedDefinition<S, T> {
  readonly spec: S
  readonly definition: T
}

/**
 * Definitions that plugins register by name and other plugins change. Each definition is derived from all layers that
 * are registered for its name now, so the order in which plugins come and go does not matter.
 */
export class Definitions<S extends object, T> {
  readonly #layers: OwnedMap<Layer<S>>
  readonly #create: (name: string, spec: S) => T
  readonly #cache = derivedOfAll(() => new Map<string, CachedDefinition<S, T>>())

  /**
   * @param kind singular noun for error messages, such as `content type`
   * @param create creates a definition from its registered spec with all changes applied
   */
  constructor(kind: string, create: (name: string, spec: S) => T) {
    this.#layers = new OwnedMap(kind)
    this.#create = create
  }

  /** Registers a definition, or replaces the one with the same name. */
  register(name: string, spec: S, override: boolean): T {
    this.#layers.set(name, { spec, isChange: false }, name, override)
    return this.get(name)!
  }

  /** Changes part of the spec of a registered definition. */
  change(name: string, changes: S): T {
    this.#layers.set(name, { spec: changes, isChange: true }, name, true)
    return this.get(name)!
  }

  has(name: string): boolean {
    return this.#entryOf(name) !== undefined
  }

  /** Returns the definition of a name, or undefined if none is registered. */
  get(name: string): T | undefined {
    return this.#entryOf(name)?.definition
  }

  /** Returns the registered spec with all changes applied, or undefined if no definition has this name. */
  specOf(name: string): S | undefined {
    return this.#entryOf(name)?.spec
  }

  #entryOf(name: string): CachedDefinition<S, T> | undefined {
    const cache = this.#cache()
    const cached = cache.get(name)
    if (cached !== undefined) return cached
    const layers = this.#layers.allOf(name)
    const first = layers.findLastIndex(({ isChange }) => !isChange)
    if (first < 0) return undefined
    const spec = Object.assign({}, ...layers.slice(first).map((layer) => layer.spec)) as S
    const entry = { spec, definition: this.#create(name, spec) }
    cache.set(name, entry)
    return entry
  }

  /** All definitions, in order of registration. */
  all(): T[] {
    return this.names().map((name) => this.get(name)!)
  }

  /** All names, in order of registration. */
  names(): string[] {
    return [...this.#layers.keys()].filter((name) => this.has(name))
  }

  /** The plugin that registered a definition, or the last one that changed it. */
  registrantOf(name: string): Registrant | undefined {
    return this.#layers.registrantOf(name)
  }
}

import type { ImportedIds } from '../posts/block-ids.ts'
import type { OldSite } from './old-site.ts'

/** Kinds of objects that values refer to. */
export type TargetKind = 'post' | 'term' | 'user' | 'comment'

/**
 * An object of the old site that a value refers to. The taxonomy of a term is `''` if the value does not name it. The
 * kind `later` stands for data that a plugin awaits.
 */
export type Target = readonly [kind: TargetKind | 'later', taxonomy: string, oldId: number]

type Keeps = (kind: TargetKind, oldId: number) => boolean

/**
 * Resolves references to objects of the old site, and collects those to objects that are not here.
 */
export class Links {
  readonly #site: OldSite
  readonly #typeName: (name: string) => string
  /** Kinds whose missing objects will have their old IDs when they come. */
  #expected: ReadonlySet<TargetKind> = new Set()
  /** Whether references to a missing object keep its old ID. */
  #keeps: Keeps
  #mode: 'collect' | 'resolve' = 'resolve'
  #targets: Target[] = []

  constructor(site: OldSite, typeName: (name: string) => string) {
    this.#site = site
    this.#typeName = typeName
    this.#keeps = this.#isExpected
  }

  /** Sets the kinds whose missing objects are expected to come with their old IDs. */
  expect(kinds: readonly TargetKind[]): void {
    this.#expected = new Set(kinds)
  }

  /** Whether missing objects of a kind are expected to come with their old IDs. */
  expects(kind: TargetKind): boolean {
    return this.#expected.has(kind)
  }

  readonly #isExpected: Keeps = (kind) => this.#expected.has(kind)

  /** Returns the ID on this site. If the object is not here: the old ID if references keep it, otherwise 0. */
  to(kind: TargetKind, oldId: number, taxonomy = ''): number {
    if (this.#mode === 'collect') {
      this.#targets.push([kind, taxonomy, oldId])
      return oldId
    }
    const id = this.find(kind, oldId, taxonomy)
    if (id !== 0) return id
    this.#targets.push([kind, taxonomy, oldId])
    return this.#keeps(kind, oldId) ? oldId : 0
  }

  /** Returns the ID on this site without collecting a missing object; 0 for none. */
  find(kind: TargetKind, oldId: number, taxonomy = ''): number {
    return this.#site.newIdOf(kind, oldId, taxonomy)
  }

  /** Asks for the value to be mapped again at the end of this import, and of later ones. */
  later(): void {
    this.#targets.push(['later', '', 0])
  }

  /**
   * Maps a value, and returns it with the missing objects.
   * @param keeps whether references to a missing object keep its old ID; by default if it is expected to come with it
   */
  resolve<T>(map: () => T, keeps: Keeps = this.#isExpected): { value: T; missing: Target[] } {
    this.#targets = []
    this.#keeps = keeps
    const value = map()
    const missing = this.#targets
    this.#targets = []
    this.#keeps = this.#isExpected
    return { value, missing }
  }

  /** Returns all objects that a value refers to. */
  collect(map: () => void): Target[] {
    this.#mode = 'collect'
    try {
      return this.resolve(map).missing
    } finally {
      this.#mode = 'resolve'
    }
  }

  /** Loads the objects of targets, so that they can be resolved. */
  async load(targets: readonly Target[]): Promise<void> {
    // Terms and users are all in memory.
    for (const wanted of ['post', 'comment'] as const) {
      const ids = targets.flatMap(([kind, , oldId]) => (kind === wanted ? [oldId] : []))
      if (ids.length > 0) await this.#site.load(wanted, ids)
    }
  }

  /** Whether one of the targets is here. */
  hasAny(targets: readonly Target[]): boolean {
    return targets.some(([kind, taxonomy, oldId]) => kind === 'later' || this.find(kind, oldId, taxonomy) !== 0)
  }

  /**
   * The functions that map the IDs in texts.
   * @param unclear called for a block whose `id` may or may not be an ID of an imported object
   */
  idsFor(unclear: (block: string) => void): ImportedIds {
    return {
      item: (id) => this.to('post', id),
      term: (taxonomy, id) => this.to('term', id, this.#typeName(taxonomy)),
      user: (id) => this.to('user', id),
      unclear: (block) => {
        if (this.#mode === 'resolve') unclear(block)
      },
    }
  }
}

import type { PluginContext } from '../../public.ts'
import { readDefinitionPosts } from '../definition-posts.ts'
import { type CustomDefinitions, type TaxonomyDefinition, type TypeDefinition, type Values } from './definitions.ts'
import { draftDefinitions, type DraftDefinition } from './drafts.ts'
import { errors } from './errors.ts'
import {
  storedDefinitions,
  TAXONOMIES_OPTION,
  taxonomyFromOption,
  typeFromOption,
  TYPES_OPTION,
} from './option-definitions.ts'
import { TAXONOMY_POSTS, taxonomyFromPost, typeFromPost, TYPE_POSTS } from './post-definitions.ts'

export type { DraftDefinition } from './drafts.ts'

/** Kind of a definition. */
export type DefinitionKind = DraftDefinition['kind']

/** Content types and taxonomies that the database defines. Changes take effect when the server has restarted. */
export interface CustomTypes {
  /** Returns the definitions in the form of Custom Post Type UI, by name, without definitions of other plugins. */
  stored(kind: DefinitionKind): Promise<ReadonlyMap<string, Values>>
  /**
   * Stores a definition, and replaces the one with the same name.
   * @param values in the form of Custom Post Type UI
   * @throws CUSTOM_TYPE_INVALID
   */
  save(kind: DefinitionKind, name: string, values: Values): Promise<void>
  /** Removes a definition. Its posts or terms remain in the database, and are no longer served. */
  remove(kind: DefinitionKind, name: string): Promise<void>
  /** Derives definitions of the types and taxonomies that have posts or terms, but no definition. */
  drafts(): Promise<DraftDefinition[]>
  /**
   * Stores the drafts with these names.
   * @returns the stored drafts
   * @throws CUSTOM_TYPE_UNKNOWN
   */
  confirm(names: readonly string[]): Promise<DraftDefinition[]>
}

const OPTION_OF: Readonly<Record<DefinitionKind, string>> = { type: TYPES_OPTION, taxonomy: TAXONOMIES_OPTION }
const NAMES: Readonly<Record<DefinitionKind, RegExp>> = {
  type: /^[a-z0-9_-]{1,20}$/,
  taxonomy: /^[a-z0-9_-]{1,32}$/,
}

/** The service `customTypes`. */
export class CustomTypeService implements CustomTypes {
  readonly #plugin: PluginContext
  /** Names that other plugins had registered before this plugin registered its definitions. */
  readonly #reserved: Readonly<Record<DefinitionKind, ReadonlySet<string>>>

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
    const { contentTypes, taxonomies } = plugin.services
    this.#reserved = {
      type: new Set(contentTypes.all().map(({ name }) => name)),
      taxonomy: new Set(taxonomies.all().map(({ name }) => name)),
    }
  }

  /** Reads all definitions. The definitions of Custom Post Type UI, which users change in the admin, take precedence. */
  async read(): Promise<CustomDefinitions> {
    const { branding } = this.#plugin
    const word = branding.blockMark
    const posts = await readDefinitionPosts(this.#plugin, [TYPE_POSTS, TAXONOMY_POSTS])
    const ofPosts = Map.groupBy(posts, ({ type }) => type)
    const types = [
      ...(ofPosts.get(TYPE_POSTS) ?? []).map((post) => typeFromPost(post, word)),
      ...[...(await this.stored('type'))].map(([name, values]) => typeFromOption(name, values, word)),
    ]
    const taxonomies = [
      ...(ofPosts.get(TAXONOMY_POSTS) ?? []).map((post) => taxonomyFromPost(post, word)),
      ...[...(await this.stored('taxonomy'))].map(([name, values]) => taxonomyFromOption(name, values, word)),
    ]
    return { types: byName(types), taxonomies: byName(taxonomies) }
  }

  /** Registers definitions. Definitions with invalid names, or names of other plugins' types, are left out with a warning. */
  register({ types, taxonomies }: CustomDefinitions): void {
    const { contentTypes, taxonomies: registry } = this.#plugin.services
    for (const { name, spec } of types.values())
      this.#attempt('type', name, () => void contentTypes.register(name, spec))
    for (const { name, types: objectTypes, spec } of taxonomies.values())
      this.#attempt('taxonomy', name, () => void registry.register(name, objectTypes, spec))
  }

  /** Returns a value that differs if the definitions do. */
  async fingerprint(): Promise<unknown> {
    const { types, taxonomies } = await this.read()
    return [[...types.values()], [...taxonomies.values()]]
  }

  async stored(kind: DefinitionKind): Promise<ReadonlyMap<string, Values>> {
    return storedDefinitions(await this.#plugin.services.options.get(OPTION_OF[kind]))
  }

  async save(kind: DefinitionKind, name: string, values: Values): Promise<void> {
    if (!NAMES[kind].test(name)) throw errors.CUSTOM_TYPE_INVALID(name)
    if (this.#reserved[kind].has(name)) throw errors.CUSTOM_TYPE_TAKEN(name)
    await this.#plugin.services.options.update(OPTION_OF[kind], (option) => ({
      ...Object.fromEntries(storedDefinitions(option)),
      [name]: { ...values, name },
    }))
  }

  async remove(kind: DefinitionKind, name: string): Promise<void> {
    await this.#plugin.services.options.update(OPTION_OF[kind], (option) => {
      const { [name]: _, ...others } = Object.fromEntries(storedDefinitions(option))
      return others
    })
  }

  drafts(): Promise<DraftDefinition[]> {
    return draftDefinitions(this.#plugin)
  }

  async confirm(names: readonly string[]): Promise<DraftDefinition[]> {
    const drafts = await this.drafts()
    const unknown = names.find((name) => !drafts.some((draft) => draft.name === name))
    if (unknown !== undefined) throw errors.CUSTOM_TYPE_UNKNOWN(unknown)
    const confirmed = drafts.filter(({ name }) => names.includes(name))
    for (const { kind, name, values } of confirmed) await this.save(kind, name, values)
    return confirmed
  }

  #attempt(kind: DefinitionKind, name: string, register: () => void): void {
    const { log } = this.#plugin
    if (this.#reserved[kind].has(name)) {
      log.warn({ name }, `a stored ${kind} is left out because a plugin registers the name`)
      return
    }
    try {
      register()
    } catch (err) {
      log.warn({ err, name }, `a stored ${kind} is left out because its definition is invalid`)
    }
  }
}

function byName<T extends TypeDefinition | TaxonomyDefinition>(definitions: readonly T[]): ReadonlyMap<string, T> {
  return new Map(definitions.map((definition) => [definition.name, definition]))
}

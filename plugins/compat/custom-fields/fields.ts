import type { CurrentUser, PluginContext, RequestCache, RestRequest } from '../../public.ts'
import { FactsReader } from './facts.ts'
import { lightValue } from './light.ts'
import { applies, canApply, postReads, testsRequestingUser, type PostReads } from './locations.ts'
import { isSet, textSetting, type Field, type FieldGroup } from './model.ts'
import { referencesOf, type Reference } from './references.ts'
import { isEmpty, settled, shapeOf, valueFields, visitLeaves, type ReadKey } from './shape.ts'
import { StandardFormat } from './standard.ts'
import { addStored, type StoredChanges } from './stored.ts'
import { targetTypes, type Target, type TargetType } from './targets.ts'

/** Formats of values: as stored, or as the settings of each field say. */
export type ValueFormat = 'light' | 'standard'

/** The groups of an object type. */
interface TypeGroups {
  readonly type: TargetType
  readonly groups: readonly FieldGroup[]
  readonly reads: PostReads
}

const VISITOR_FACTS = { id: 0, roles: [] }

/** Reads and writes the values of fields. */
export class FieldValues {
  /** All groups, also hidden and switched-off ones, in their order. */
  readonly groups: readonly FieldGroup[]
  readonly #plugin: PluginContext
  readonly #facts: FactsReader
  readonly #standard: StandardFormat
  #types: ReadonlyMap<string, TypeGroups> | null = null

  constructor(plugin: PluginContext, groups: readonly FieldGroup[]) {
    this.#plugin = plugin
    this.groups = groups
    this.#facts = new FactsReader(plugin)
    this.#standard = new StandardFormat(plugin)
  }

  /** Read at the first use, when plugins have registered their types. */
  get #byType(): ReadonlyMap<string, TypeGroups> {
    this.#types ??= new Map(
      targetTypes(this.#plugin).map((type): [string, TypeGroups] => {
        const own = this.groups.filter((group) => canApply(group, type))
        return [type.objectType, { type, groups: own, reads: postReads(own) }]
      }),
    )
    return this.#types
  }

  /** Returns the object types to which a group can apply that the REST API shows. */
  shownTypes(): TargetType[] {
    return [...this.#byType.values()].flatMap(({ type, groups }) => (groups.some(isShown) ? [type] : []))
  }

  typeOf(objectType: string): TargetType | undefined {
    return this.#byType.get(objectType)?.type
  }

  /** Returns the groups of a type that the REST API shows, in their order. */
  shownGroupsOf(objectType: string): readonly FieldGroup[] {
    return this.groupsOf(objectType).filter(isShown)
  }

  /** Returns the groups that can apply to a type, in their order. */
  groupsOf(objectType: string): readonly FieldGroup[] {
    return this.#byType.get(objectType)?.groups ?? []
  }

  /**
   * Returns an object with the fields of all groups that apply to it.
   * @param user the requesting user; by default a visitor
   */
  async target(
    objectType: string,
    id: number,
    { scope, user = VISITOR_FACTS }: { scope: RequestCache; user?: Pick<CurrentUser, 'id' | 'roles'> },
  ): Promise<Target | null> {
    const found = this.#byType.get(objectType)
    if (found === undefined) return null
    const facts = await this.#facts.read(found.type, id, user, { scope, reads: found.reads })
    const groups = found.groups.filter((group) => isShown(group) && applies(group, facts))
    return { type: found.type, id, fields: groups.flatMap(({ fields }) => valueFields(fields)) }
  }

  /** Returns the object types that forms of the admin edit, and to which an active group can apply. */
  editedTypes(): TargetType[] {
    return [...this.#byType.values()].flatMap(({ type, groups }) =>
      !type.isRevision && type.kind !== 'comment' && groups.some(({ isActive }) => isActive) ? [type] : [],
    )
  }

  /**
   * Returns the active groups that apply to an object in the form of a user, including groups that the REST API hides.
   * @param id 0 for a new object
   */
  async editedGroups(
    { objectType }: TargetType,
    id: number,
    { scope, user }: { scope: RequestCache; user: Pick<CurrentUser, 'id' | 'roles'> },
  ): Promise<FieldGroup[]> {
    const found = this.#byType.get(objectType)
    if (found === undefined) return []
    const facts = await this.#facts.read(found.type, id, user, { scope, reads: found.reads })
    return found.groups.filter((group) => group.isActive && applies(group, { ...facts, isInAdmin: true }))
  }

  /**
   * Returns an object with the fields whose values it stores, whether or not their groups apply to it now. Groups that
   * the REST API does not show, or that do not apply to the requesting user, are left out.
   */
  async storedTarget(objectType: string, id: number, { scope, user }: RestRequest): Promise<Target | null> {
    const found = this.#byType.get(objectType)
    if (found === undefined) return null
    const rows = await this.#plugin.services.meta.rows(found.type.kind, id, scope)
    const references = new Map(rows.map(({ key, value }) => [key, value]))
    const facts = await this.#facts.read(found.type, id, user, { scope, reads: found.reads })
    const groups = this.groups.filter(
      (group) => isShown(group) && (!testsRequestingUser(group) || applies(group, facts)),
    )
    const fields = groups
      .flatMap((group) => valueFields(group.fields))
      .filter(({ key, name }) => references.has(name) && references.get(`_${name}`) === key)
    return { type: found.type, id, fields }
  }

  /** Returns a function that reads the stored values of an object. */
  async reader({ type, id, fields }: Target, scope: RequestCache): Promise<ReadKey> {
    const { meta, terms } = this.#plugin.services
    const rows = await meta.rows(type.kind, id, scope)
    const values = new Map<string, unknown>()
    for (const { key, value } of rows) if (!values.has(key)) values.set(key, value)
    const loaded = fieldsWithTerms(fields)
    if (loaded.length > 0) {
      const ofPost = type.kind === 'post' ? await terms.ofPosts(scope).load(id) : new Map<string, { id: number }[]>()
      for (const field of loaded) {
        const ids = (ofPost.get(textSetting(field, 'taxonomy')) ?? []).map((term) => term.id)
        values.set(field.name, ids.length > 0 ? ids : false)
      }
    }
    return (key) => values.get(key)
  }

  /** Returns the values of an object by name. */
  async values(target: Target, read: ReadKey, request: RestRequest, format: ValueFormat) {
    const leaf =
      format === 'light'
        ? lightValue
        : (field: Field, stored: unknown) => this.#standard.value(field, stored, { target, request })
    if (format === 'standard') await this.#preload(target, read, request.scope)
    const entries = target.fields.map((field) => [field.name, shapeOf(field, read, leaf)] as const)
    const values = Object.fromEntries(entries)
    return format === 'light' ? values : ((await settled(values)) as Record<string, unknown>)
  }

  /** Returns the values of an object by name in the format `light`. */
  lightValues({ fields }: Target, read: ReadKey): Record<string, unknown> {
    return Object.fromEntries(fields.map((field) => [field.name, shapeOf(field, read, lightValue)]))
  }

  references(target: Target, read: ReadKey): Reference[] {
    return referencesOf(target.fields, read)
  }

  /**
   * Stores values of an object by names or keys of fields. Values of other names are ignored. Call it in the transaction
   * that stores the object.
   */
  async write(
    target: Target,
    values: Readonly<Record<string, unknown>>,
    { scope, user }: Pick<RestRequest, 'scope' | 'user'>,
  ): Promise<void> {
    const { meta, posts } = this.#plugin.services
    const read = await this.reader(target, scope)
    const changes: StoredChanges = new Map()
    const terms = new Map<string, number[]>()
    for (const [name, value] of Object.entries(values)) {
      const field = target.fields.find((one) => one.name === name || one.key === name)
      if (field === undefined) continue
      addStored(field, value, changes, read)
      if (field.type === 'taxonomy' && isSet(field, 'save_terms') && target.type.kind === 'post')
        terms.set(textSetting(field, 'taxonomy'), isEmpty(value) ? [] : [value].flat().map(Number))
    }
    if (changes.size === 0) return
    const stored = [...changes].map(([key, value]) => [key, value === null ? [] : [value]] as const)
    await meta.writeAll(target.type.kind, target.id, Object.fromEntries(stored), scope)
    if (terms.size > 0) await posts.update(target.id, { terms }, { user, scope })
  }

  /** Loads the objects that the values refer to, so that reads of several objects share statements. */
  async #preload(target: Target, read: ReadKey, scope: RequestCache): Promise<void> {
    const ids = this.references(target, read).flatMap(({ kind, id }) => (kind === 'post' ? [id] : []))
    visitLeaves(target.fields, read, ({ type }, stored) => {
      if (!['image', 'file', 'gallery'].includes(type)) return
      for (const value of [stored].flat()) if (Number(value) > 0) ids.push(Number(value))
    })
    await this.#plugin.services.posts.loadAll(ids.filter(Number.isSafeInteger), scope)
  }
}

/** Whether the REST API shows a group. */
export const isShown = ({ isActive, showsInRest }: FieldGroup): boolean => isActive && showsInRest

function fieldsWithTerms(fields: readonly Field[]): Field[] {
  return fields.filter((field) => field.type === 'taxonomy' && isSet(field, 'load_terms'))
}

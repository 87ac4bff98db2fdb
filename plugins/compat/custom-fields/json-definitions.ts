import { VISITOR, RequestCache, type PluginContext } from '../../public.ts'
import { DISABLED, readDefinitionPosts, type DefinitionPost } from '../definition-posts.ts'
import { plainPhp, writePhp, type PhpMap } from '../php-values.ts'
import { FIELD_POSTS, GROUP_POSTS } from './definitions.ts'
import { errors } from './errors.ts'

/** A group or field in the JSON of Advanced Custom Fields. */
type Definition = Record<string, unknown>

/** Keys of a definition that are columns of its post; the other keys are its content. */
const GROUP_COLUMNS = ['ID', 'key', 'title', 'fields', 'menu_order', 'active', 'modified', 'local', 'local_file']
const FIELD_COLUMNS = ['ID', 'key', 'label', 'name', 'parent', 'menu_order', 'sub_fields', 'prefix', 'value', '_name']
const STATUSES = ['publish', DISABLED]
/** Groups and fields in one file, at most. */
const MAX_DEFINITIONS = 5000
const MAX_DEPTH = 12

/** Reads and writes definitions in the JSON of Advanced Custom Fields: lists of groups, or one group as in Local JSON. */
export class JsonDefinitions {
  readonly #plugin: PluginContext

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  /** Returns all groups with their fields. */
  async export(): Promise<Definition[]> {
    return groupsOf(await this.#posts(), settingsOf)
  }

  /**
   * Returns a group with its fields, whose choices are maps in their order, and its version, which each save changes;
   * undefined if no group has the key.
   */
  async group(key: string): Promise<{ group: Definition; version: number } | undefined> {
    const posts = await this.#posts()
    const group = groupsOf(posts, orderedSettingsOf).find((one) => one['key'] === key)
    return group === undefined ? undefined : { group, version: versionIn(posts, key) }
  }

  /**
   * Stores a group, and replaces the one with the same key.
   * @param version the version from which the group was edited; omitted if the group is new
   * @returns false, and stores nothing, if the group has another version by now
   */
  async save(group: Definition, version = 0): Promise<boolean> {
    return this.#plugin.services.transactions.inTurn(async () => {
      const stored = await this.#posts()
      if (versionIn(stored, textOf(group['key'])) !== version) return false
      await this.#storeGroup(group, stored)
      return true
    })
  }

  /** Removes a group with its fields. Objects keep the values. */
  async remove(key: string): Promise<void> {
    await this.#plugin.services.transactions.inTurn(async () => this.#removeGroup(key, await this.#posts()))
  }

  #posts(): Promise<DefinitionPost[]> {
    return readDefinitionPosts(this.#plugin, [GROUP_POSTS, FIELD_POSTS], STATUSES)
  }

  /**
   * Stores groups, and replaces the ones with the same keys. They take effect when the server has restarted.
   * @param json a list of groups, or one group
   * @returns the titles of the groups
   * @throws FIELD_JSON_INVALID
   */
  async import(json: unknown): Promise<string[]> {
    const groups = [json].flat().filter(isDefinition)
    const found = groups.filter(({ key }) => typeof key === 'string' && key.startsWith('group_'))
    if (found.length === 0) throw errors.FIELD_JSON_INVALID('it contains no group of fields')
    if (countOf(found) > MAX_DEFINITIONS)
      throw errors.FIELD_JSON_INVALID(`it has more than ${MAX_DEFINITIONS} groups and fields`)
    await this.#plugin.services.transactions.inTurn(async () => {
      const stored = await this.#posts()
      for (const group of found) await this.#storeGroup(group, stored)
    })
    return found.map(({ title }) => textOf(title))
  }

  async #removeGroup(key: unknown, stored: readonly DefinitionPost[]): Promise<void> {
    const former = stored.find(({ slug, type }) => type === GROUP_POSTS && slug === key)
    if (former === undefined) return
    for (const id of [...idsBelow(former.id, stored, 0), former.id])
      await this.#plugin.services.posts.remove(id, writeOf())
  }

  async #storeGroup(group: Definition, stored: readonly DefinitionPost[]): Promise<void> {
    await this.#removeGroup(group['key'], stored)
    const id = await this.#create(GROUP_POSTS, group, GROUP_COLUMNS, {
      title: textOf(group['title']),
      excerpt: textOf(group['title']).toLowerCase().replaceAll(' ', '-'),
      status: group['active'] === false ? DISABLED : 'publish',
      menu_order: Number(group['menu_order'] ?? 0) || 0,
    })
    await this.#storeFields(group['fields'], id, 0)
  }

  async #storeFields(fields: unknown, parent: number, depth: number, layout?: string): Promise<void> {
    if (depth > MAX_DEPTH) return
    for (const [order, field] of listOf(fields).entries()) {
      const layouts = listOf(field['layouts'])
      const named = layouts.map((one) => {
        const { sub_fields: _, ...settings } = one
        return [textOf(one['key']), settings] as const
      })
      const own = {
        ...field,
        ...(layouts.length > 0 && { layouts: Object.fromEntries(named) }),
        ...(layout !== undefined && { parent_layout: layout }),
      }
      const id = await this.#create(FIELD_POSTS, own, FIELD_COLUMNS, {
        title: textOf(field['label']),
        excerpt: textOf(field['name']),
        status: 'publish',
        menu_order: order,
        parent_id: parent,
      })
      await this.#storeFields(field['sub_fields'], id, depth + 1)
      for (const one of layouts) await this.#storeFields(one['sub_fields'], id, depth + 1, textOf(one['key']))
    }
  }

  async #create(
    type: string,
    definition: Definition,
    columns: readonly string[],
    values: { title: string; excerpt: string; status: string; menu_order: number; parent_id?: number },
  ): Promise<number> {
    const settings = Object.entries(definition).filter(([name]) => !columns.includes(name))
    const content = writePhp(Object.fromEntries(settings))
    const post = { ...values, type, slug: textOf(definition['key']), content, comment_status: 'closed' as const }
    return (await this.#plugin.services.posts.create(post, writeOf())).id
  }
}

/** Returns the groups of the posts with their fields. */
function groupsOf(
  posts: readonly DefinitionPost[],
  settingsOfPost: (post: DefinitionPost) => Definition,
): Definition[] {
  const byParent = Map.groupBy(posts, ({ parent_id: parent }) => parent)
  return posts
    .filter(({ type }) => type === GROUP_POSTS)
    .map((post) => ({
      key: post.slug,
      title: post.title,
      fields: fieldsOf(post.id, byParent, 0, settingsOfPost),
      ...settingsOfPost(post),
      menu_order: post.menu_order,
      active: post.status !== DISABLED,
    }))
}

/** Returns the version of a group: the ID of its post, which a save replaces. */
function versionIn(posts: readonly DefinitionPost[], key: string): number {
  return posts.find(({ slug, type }) => type === GROUP_POSTS && slug === key)?.id ?? 0
}

const writeOf = () => ({ user: VISITOR, scope: new RequestCache() })
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const isDefinition = (value: unknown): value is Definition =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the definitions of a list; layouts can be an object. */
function listOf(value: unknown): Definition[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).filter(isDefinition)
}

function countOf(definitions: readonly Definition[], depth = 0): number {
  if (depth > MAX_DEPTH) return 0
  const below = definitions.flatMap(({ fields, sub_fields: inner, layouts }) =>
    [fields, inner, layouts].map((list) => countOf(listOf(list), depth + 1)),
  )
  return below.reduce((sum, count) => sum + count, definitions.length)
}

function idsBelow(parent: number, posts: readonly DefinitionPost[], depth: number): number[] {
  const below = posts.filter((post) => post.type === FIELD_POSTS && post.parent_id === parent)
  return depth > MAX_DEPTH ? [] : below.flatMap(({ id }) => [...idsBelow(id, posts, depth + 1), id])
}

function settingsOf({ settings }: DefinitionPost): Definition {
  return plainPhp(settings) as Definition
}

/** Keeps the order of choices, which objects sort if they are numbers. */
function orderedSettingsOf(post: DefinitionPost): Definition {
  const choices = post.settings.get('choices')
  const list = Array.isArray(choices) ? new Map(choices.map((label, index) => [String(index), label])) : choices
  return { ...settingsOf(post), ...(list instanceof Map && { choices: list as PhpMap }) }
}

function fieldsOf(
  parent: number,
  byParent: ReadonlyMap<number, readonly DefinitionPost[]>,
  depth: number,
  settingsOfPost: (post: DefinitionPost) => Definition,
): Definition[] {
  if (depth > MAX_DEPTH) return []
  return (byParent.get(parent) ?? []).map((post) => {
    const { layouts, parent_layout: _, ...settings } = settingsOfPost(post)
    const below = fieldsOf(post.id, byParent, depth + 1, settingsOfPost)
    const parents = (byParent.get(post.id) ?? []).map((one) => one.settings.get('parent_layout'))
    const shown = listOf(layouts).map((layout) => ({
      ...layout,
      sub_fields: below.filter((_field, index) => parents[index] === layout['key']),
    }))
    const field = { key: post.slug, label: post.title, name: post.excerpt, ...settings }
    if (settings['type'] === 'flexible_content') return { ...field, layouts: shown }
    return below.length > 0 ? { ...field, sub_fields: below } : field
  })
}

import type { PluginContext, RestRequest } from '../../public.ts'
import { isShown, type FieldValues } from './fields.ts'
import { testsRequestingUser } from './locations.ts'
import type { Field } from './model.ts'
import { valueFields, type ReadKey } from './shape.ts'
import { addStored, type StoredChanges } from './stored.ts'
import type { Target } from './targets.ts'

/** Reads and writes the values of option pages, which are options with the name of the page before each key. */
export class OptionPages {
  readonly #plugin: PluginContext
  readonly #values: FieldValues

  constructor(plugin: PluginContext, values: FieldValues) {
    this.#plugin = plugin
    this.#values = values
  }

  /** Returns the stored values of a page in the format `standard`, by name. */
  async read(page: string, request: RestRequest): Promise<Record<string, unknown>> {
    const read = await this.#reader(page)
    const stored = this.#fields().filter(({ key, name }) => read(`_${name}`) === key && read(name) !== undefined)
    const type = { objectType: 'option', kind: 'term', subtype: '', isRevision: false } as const
    const target: Target = { type, id: 0, fields: stored }
    return this.#values.values(target, read, request, 'standard')
  }

  /** Stores values by names of fields. Values of other names are ignored. Does not check permissions. */
  async write(page: string, values: Readonly<Record<string, unknown>>): Promise<void> {
    const { options } = this.#plugin.services
    const read = await this.#reader(page)
    const changes: StoredChanges = new Map()
    for (const [name, value] of Object.entries(values)) {
      const field = this.#fields().find((one) => one.name === name || one.key === name)
      if (field !== undefined) addStored(field, value, changes, read)
    }
    for (const [key, value] of changes) {
      const name = nameOf(page, key)
      await (value === null ? options.delete(name) : options.set(name, value))
    }
  }

  /** The fields of the groups of all option pages. */
  #fields(): Field[] {
    const groups = this.#values.groups.filter(
      (group) =>
        isShown(group) &&
        !testsRequestingUser(group) &&
        group.location.some((rules) => rules.some(({ param }) => param === 'options_page')),
    )
    return groups.flatMap(({ fields }) => valueFields(fields))
  }

  async #reader(page: string): Promise<ReadKey> {
    const { store } = this.#plugin.services
    const { db } = store
    const prefixes = [nameOf(page, ''), nameOf(page, '_')]
    const rows = await store.all(
      db
        .selectFrom('options')
        .select(['name', 'value'])
        .where((of) => of.or(prefixes.map((prefix) => of('name', 'like', `${prefix.replaceAll('%', '')}%`)))),
    )
    // `_` stands for any character in patterns.
    const named = rows.filter(({ name }) => prefixes.some((prefix) => name.startsWith(prefix)))
    const values = new Map(named.map(({ name, value }) => [keyOf(page, name), JSON.parse(value) as unknown]))
    return (key) => values.get(key)
  }
}

/** Returns the name of the option that stores a key. */
function nameOf(page: string, key: string): string {
  return key.startsWith('_') ? `_${page}_${key.slice(1)}` : `${page}_${key}`
}

function keyOf(page: string, name: string): string {
  return name.startsWith('_') ? `_${name.slice(page.length + 2)}` : name.slice(page.length + 1)
}

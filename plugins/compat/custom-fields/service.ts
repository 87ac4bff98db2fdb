import type { PluginContext, RestRequest } from '../../public.ts'
import type { FieldValues, ValueFormat } from './fields.ts'
import { isShown } from './fields.ts'
import type { JsonDefinitions } from './json-definitions.ts'
import type { FieldGroup } from './model.ts'
import { OptionPages } from './option-pages.ts'
import { valueFields } from './shape.ts'

/** Values by names of fields. */
export type NamedValues = Record<string, unknown>

/** The fields that the database defines, and their values. Methods for values do not check permissions. */
export interface CustomFields {
  /** Returns all groups of fields, also hidden and switched-off ones, in their order. */
  groups(): readonly FieldGroup[]
  /** Returns the object types of the REST API to which groups can apply. */
  objectTypes(): readonly string[]
  /** Returns the names of the fields that apply to an object, as the requesting user sees it. */
  names(objectType: string, id: number, request: RestRequest): Promise<string[]>
  /** Returns the values of the fields that apply to an object. */
  values(objectType: string, id: number, request: RestRequest, format: ValueFormat): Promise<NamedValues>
  /** Returns the values that an object stores, in the format `standard`, without fields of hidden groups. */
  storedValues(objectType: string, id: number, request: RestRequest): Promise<NamedValues>
  /** Stores values of an object, by names or keys of fields. Values of other names are ignored. */
  write(objectType: string, id: number, values: Readonly<NamedValues>, request: RestRequest): Promise<void>
  /** Returns the values that an option page stores, in the format `standard`. */
  pageValues(page: string, request: RestRequest): Promise<NamedValues>
  /** Stores values of an option page. */
  writePage(page: string, values: Readonly<NamedValues>): Promise<void>
  /** Returns all groups in the JSON of Advanced Custom Fields. */
  exportJson(): Promise<NamedValues[]>
  /**
   * Stores groups in this JSON, a list or one group, and replaces the ones with the same keys.
   * @returns the titles of the groups
   * @throws FIELD_JSON_INVALID
   */
  importJson(json: unknown): Promise<string[]>
  /**
   * Returns the names of fields whose rules exclude content types only. For objects without stored values, ACF to REST
   * API shows them even if the objects are no posts.
   */
  unboundNames(): string[]
}

/** The service `customFields`. */
export class CustomFieldService implements CustomFields {
  readonly #values: FieldValues
  readonly #pages: OptionPages
  readonly #definitions: JsonDefinitions

  constructor(plugin: PluginContext, values: FieldValues, definitions: JsonDefinitions) {
    this.#values = values
    this.#definitions = definitions
    this.#pages = new OptionPages(plugin, values)
  }

  groups(): readonly FieldGroup[] {
    return this.#values.groups
  }

  objectTypes(): readonly string[] {
    return this.#values.shownTypes().map(({ objectType }) => objectType)
  }

  async names(objectType: string, id: number, request: RestRequest): Promise<string[]> {
    const target = await this.#values.target(objectType, id, request)
    return (target?.fields ?? []).map(({ name }) => name)
  }

  async values(objectType: string, id: number, request: RestRequest, format: ValueFormat): Promise<NamedValues> {
    const target = await this.#values.target(objectType, id, request)
    if (target === null) return {}
    return this.#values.values(target, await this.#values.reader(target, request.scope), request, format)
  }

  async storedValues(objectType: string, id: number, request: RestRequest): Promise<NamedValues> {
    const target = await this.#values.storedTarget(objectType, id, request)
    if (target === null) return {}
    return this.#values.values(target, await this.#values.reader(target, request.scope), request, 'standard')
  }

  async write(objectType: string, id: number, values: Readonly<NamedValues>, request: RestRequest): Promise<void> {
    const target = await this.#values.target(objectType, id, request)
    if (target !== null) await this.#values.write(target, values, request)
  }

  pageValues(page: string, request: RestRequest): Promise<NamedValues> {
    return this.#pages.read(page, request)
  }

  writePage(page: string, values: Readonly<NamedValues>): Promise<void> {
    return this.#pages.write(page, values)
  }

  exportJson(): Promise<NamedValues[]> {
    return this.#definitions.export()
  }

  importJson(json: unknown): Promise<string[]> {
    return this.#definitions.import(json)
  }

  unboundNames(): string[] {
    const groups = this.#values.groups.filter(
      (group) =>
        isShown(group) &&
        group.location.some((rules) => rules.every(({ param, isNegated }) => param === 'post_type' && isNegated)),
    )
    return groups.flatMap(({ fields }) => valueFields(fields).map(({ name }) => name))
  }
}

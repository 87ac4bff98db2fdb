import type { ItemContext, PropertySchema } from './item-schema.ts'
import type { RestRequest } from '../../kernel/index.ts'

/** The fields of an object that a request gets: the ones of the context that `_fields` selects. */
export class Selection {
  readonly context: ItemContext
  /** Paths of the selected fields: `title`, `title.rendered`. */
  readonly shown: ReadonlySet<string>
  /** Whether links are selected. */
  readonly links: boolean

  constructor(allowed: ReadonlySet<string>, context: ItemContext, request: RestRequest) {
    // A set, because lists look up each field for each item.
    this.shown = request.fields === null ? allowed : new Set([...allowed].filter((field) => request.wants(field)))
    this.context = context
    this.links = request.wants('_links') || request.wants('_embedded')
  }

  /**
   * Returns whether a field is selected, such as `title` or `title.raw`. Other fields must be neither read nor
   * rendered.
   */
  has(field: string): boolean {
    return this.shown.has(field)
  }

  /** Calls the functions of the selected fields only, and returns their values. */
  read(fields: Readonly<Record<string, () => unknown>>): Record<string, unknown> {
    const shown: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(fields)) if (this.shown.has(name)) shown[name] = value()
    return shown
  }

  /** Returns the selected ones of available values. */
  pick(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const shown: Record<string, unknown> = {}
    for (const name of Object.keys(values)) if (this.shown.has(name)) shown[name] = values[name]
    return shown
  }

  /** Returns the selected properties of a field: `parts('title', { raw, rendered })`. */
  parts(field: string, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const shown: Record<string, unknown> = {}
    for (const name of Object.keys(values)) if (this.shown.has(`${field}.${name}`)) shown[name] = values[name]
    return shown
  }
}

/** Returns the paths of all fields in a context, two levels deep: `title`, `title.rendered`. */
export function shownIn(properties: Readonly<Record<string, PropertySchema>>, context: string, above = ''): string[] {
  return Object.entries(properties).flatMap(([name, property]) => {
    if (property.context !== undefined && !property.context.includes(context)) return []
    const path = `${above}${name}`
    return [path, ...(above === '' ? shownIn(property.properties ?? {}, context, `${path}.`) : [])]
  })
}

/**
 * Removes properties from a value that its schema does not include in a context, at every depth. For values from
 * plugins.
 */
export function filterByContext(value: unknown, schema: PropertySchema, context: string): unknown {
  if (Array.isArray(value)) {
    const items = schema.items
    return items === undefined ? value : value.map((item) => filterByContext(item, items, context))
  }
  if (typeof value !== 'object' || value === null || schema.properties === undefined) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const property = Object.hasOwn(schema.properties!, name) ? schema.properties![name] : undefined
      if (property === undefined) return [[name, inner]]
      if (property.context !== undefined && !property.context.includes(context)) return []
      return [[name, filterByContext(inner, property, context)]]
    }),
  )
}

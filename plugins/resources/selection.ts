import type { ItemContext, PropertySchema } from './item-schema.ts'
import type { RestRequest } from '../../kernel/index.ts'

/** Which fields of an object one request gets: those of the context that `_fields` asks for. */
export class Selection {
  readonly context: ItemContext
  /** The paths of the fields that show: `title`, `title.rendered`. */
  readonly shown: ReadonlySet<string>
  /** Whether links are wanted. */
  readonly links: boolean

  constructor(allowed: ReadonlySet<string>, context: ItemContext, request: RestRequest) {
    // A list asks for each field once for each item.
    this.shown = request.fields === null ? allowed : new Set([...allowed].filter((field) => request.wants(field)))
    this.context = context
    this.links = request.wants('_links') || request.wants('_embedded')
  }

  /** Whether a field shows, such as `title` or `title.raw`. What does not show is neither read nor rendered. */
  has(field: string): boolean {
    return this.shown.has(field)
  }

  /** The values of those fields that show; the others are not read. */
  read(fields: Readonly<Record<string, () => unknown>>): Record<string, unknown> {
    const shown: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(fields)) if (this.shown.has(name)) shown[name] = value()
    return shown
  }

  /** Those fields that show, of values that are there anyway. */
  pick(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const shown: Record<string, unknown> = {}
    for (const name of Object.keys(values)) if (this.shown.has(name)) shown[name] = values[name]
    return shown
  }

  /** Those properties of a field that show: `parts('title', { raw, rendered })`. */
  parts(field: string, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const shown: Record<string, unknown> = {}
    for (const name of Object.keys(values)) if (this.shown.has(`${field}.${name}`)) shown[name] = values[name]
    return shown
  }
}

/** The paths of all fields that show in a context, two levels deep: `title`, `title.rendered`. */
export function shownIn(properties: Readonly<Record<string, PropertySchema>>, context: string, above = ''): string[] {
  return Object.entries(properties).flatMap(([name, property]) => {
    if (property.context !== undefined && !property.context.includes(context)) return []
    const path = `${above}${name}`
    return [path, ...(above === '' ? shownIn(property.properties ?? {}, context, `${path}.`) : [])]
  })
}

/** Leaves out of a value what its schema does not show in a context, at every depth. For values that plugins made. */
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

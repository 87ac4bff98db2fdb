import { definePlugin } from '../../kernel/index.ts'
import { ItemBody, ListBody, type Json } from '../library/caching/index.ts'
import { parseFields } from '../resources/index.ts'

/** Selected properties of an object: a whole property (null), or a part of its nested properties. */
type FieldTree = Map<string, FieldTree | null>

/** Removes properties from responses that `_fields` does not list (specification 4.5). */
export default definePlugin({
  name: 'fields-parameter',
  formerNames: ['fields'],
  apply({ hooks }) {
    // Runs before other taps and the handler, so that fields that are not listed are neither read nor rendered.
    hooks.rest_pre_dispatch.tap({ name: 'fields-parameter', stage: -1000 }, (result, _server, request) => {
      request.fields = parseFields(request.get('_fields'))
      return result
    })
    hooks.rest_post_dispatch.tap('fields-parameter', (response, _server, request) => {
      if (response.isError || request.fields === null) return response
      const fieldTree = toFieldTree(request.fields.names)
      const { body } = response
      // Stored texts also store their selections, for requests with the same fields.
      const part = (item: Json) => item.derive('fields', (value) => pick(value, fieldTree))
      if (body instanceof ItemBody) response.body = body.withData(part(body.data))
      if (body instanceof ListBody) response.body = new ListBody(body.items.map(part))
      if (body !== null) return response
      const { data } = response
      response.data = Array.isArray(data) ? data.map((item) => pick(item, fieldTree)) : pick(data, fieldTree)
      return response
    })
  },
})

/** Converts dotted names to a tree. A name selects the whole property even if others select parts of it. */
function toFieldTree(names: readonly string[]): FieldTree {
  const root: FieldTree = new Map()
  for (const name of names) {
    const path = name.split('.')
    let level = root
    for (const [depth, part] of path.entries()) {
      const below = level.get(part)
      if (below === null) break
      if (depth === path.length - 1) level.set(part, null)
      else if (below !== undefined) level = below
      else {
        const next: FieldTree = new Map()
        level.set(part, next)
        level = next
      }
    }
  }
  return root
}

/**
 * Returns the selected parts of a value. An object without selected properties becomes an empty list, as clients
 * expect.
 */
function pick(value: unknown, fieldTree: FieldTree): unknown {
  if (typeof value !== 'object' || value === null) return value
  const entries: [string, unknown][] = []
  for (const name of Object.keys(value)) {
    const below = fieldTree.get(name)
    if (below === undefined) continue
    const inner = (value as Record<string, unknown>)[name]
    entries.push([name, below === null ? inner : pick(inner, below)])
  }
  return entries.length === 0
    ? []
    : Array.isArray(value)
      ? entries.map(([, item]) => item)
      : Object.fromEntries(entries)
}

import { definePlugin } from '../../kernel/index.ts'
import { ItemBody, ListBody, type Json } from '../library/caching/index.ts'
import { parseFields } from '../resources/index.ts'

/** What is kept of an object: a property whole (null), or some of the properties below it. */
type Kept = Map<string, Kept | null>

/** Leaves out of responses what `_fields` does not name (specification 4.5). */
export default definePlugin({
  name: 'fields-parameter',
  formerNames: ['fields'],
  apply({ hooks }) {
    // Before anything is made of the request: what is not asked for is neither read nor rendered.
    hooks.rest_pre_dispatch.tap({ name: 'fields-parameter', stage: -1000 }, (result, _server, request) => {
      request.fields = parseFields(request.get('_fields'))
      return result
    })
    hooks.rest_post_dispatch.tap('fields-parameter', (response, _server, request) => {
      if (response.isError || request.fields === null) return response
      const kept = keptBy(request.fields.names)
      const { body } = response
      // Of texts that are kept, so are the parts: they are kept for requests that name the same fields.
      const part = (item: Json) => item.derive('fields', (value) => pick(value, kept))
      if (body instanceof ItemBody) response.body = body.withData(part(body.data))
      if (body instanceof ListBody) response.body = new ListBody(body.items.map(part))
      if (body !== null) return response
      const { data } = response
      response.data = Array.isArray(data) ? data.map((item) => pick(item, kept)) : pick(data, kept)
      return response
    })
  },
})

/** Names with dots as a tree; a property that is named whole is kept whole, whatever else is named below it. */
function keptBy(names: readonly string[]): Kept {
  const root: Kept = new Map()
  for (const name of names) {
    const path = name.split('.')
    let level = root
    for (const [depth, part] of path.entries()) {
      const below = level.get(part)
      if (below === null) break
      if (depth === path.length - 1) level.set(part, null)
      else if (below !== undefined) level = below
      else {
        const next: Kept = new Map()
        level.set(part, next)
        level = next
      }
    }
  }
  return root
}

/** The parts of a value that are kept; an object of which nothing is left is an empty list, as clients know it. */
function pick(value: unknown, kept: Kept): unknown {
  if (typeof value !== 'object' || value === null) return value
  const entries: [string, unknown][] = []
  for (const name of Object.keys(value)) {
    const below = kept.get(name)
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

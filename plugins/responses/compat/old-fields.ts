import { definePlugin } from '../../../kernel/index.ts'
import { FieldSet, parseFields } from '../../resources/index.ts'

/** `_fields` before revision 5.3: it lists top-level keys, and dots have no special meaning. */
export default definePlugin({
  name: 'old-fields',
  apply({ hooks }) {
    hooks.rest_pre_dispatch.tap({ name: 'old-fields', stage: -1000 }, (result, _server, request) => {
      const requested = parseFields(request.get('_fields'))
      // No field name contains a dot, so such a name selects nothing.
      request.fields = requested === null ? null : new FieldSet(requested.names.filter((name) => !name.includes('.')))
      return result
    })
    hooks.rest_post_dispatch.tap('old-fields', (response, _server, { fields }) => {
      if (response.isError || fields === null) return response
      const selectedNames = new Set(fields.names)
      const { data } = response
      response.data = Array.isArray(data) ? data.map((item) => pick(item, selectedNames)) : pick(data, selectedNames)
      return response
    })
  },
})

/** Returns the selected properties of an object. Without any, it returns an empty list, as clients expect. */
function pick(value: unknown, selectedNames: ReadonlySet<string>): unknown {
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([name]) => selectedNames.has(name))
  return entries.length === 0 ? [] : Object.fromEntries(entries)
}

import { definePlugin } from '../../../kernel/index.ts'
import { FieldSet, parseFields } from '../../resources/index.ts'

/** `_fields` as it was before revision 5.3: it names keys at the top of an object, and a dot is a part of a name. */
export default definePlugin({
  name: 'old-fields',
  apply({ hooks }) {
    hooks.rest_pre_dispatch.tap({ name: 'old-fields', stage: -1000 }, (result, _server, request) => {
      const asked = parseFields(request.get('_fields'))
      // No field has a dot in its name: such a name keeps nothing.
      request.fields = asked === null ? null : new FieldSet(asked.names.filter((name) => !name.includes('.')))
      return result
    })
    hooks.rest_post_dispatch.tap('old-fields', (response, _server, { fields }) => {
      if (response.isError || fields === null) return response
      const kept = new Set(fields.names)
      const { data } = response
      response.data = Array.isArray(data) ? data.map((item) => pick(item, kept)) : pick(data, kept)
      return response
    })
  },
})

/** The parts of an object that are kept; an empty list where none are, as clients know it. */
function pick(value: unknown, kept: ReadonlySet<string>): unknown {
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([name]) => kept.has(name))
  return entries.length === 0 ? [] : Object.fromEntries(entries)
}

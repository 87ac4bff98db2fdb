import { definePlugin } from '../../public.ts'
import { IMPORT_RULES } from '../import-rules.ts'
import { FieldReferences } from './field-references.ts'

/** Maps the IDs in the data of popular WordPress plugins to the IDs of this site during imports. */
export default definePlugin({
  name: 'imported-ids',
  description: 'Maps IDs in the data of plugins of imported sites, also for optional plugins that are off.',
  after: ['importer'],
  apply({ has, hooks }) {
    if (!has('importer')) return
    const fields = new FieldReferences()
    hooks.import_objects_stored.tapPromise('imported-ids', (tx) => fields.readDefinitions(tx))
    hooks.import_finished.tap('imported-ids', () => fields.forget())
    hooks.import_value.tap('imported-ids', (value, about) => {
      let mapped: unknown = fields.mapped(value, about)
      for (const rule of IMPORT_RULES) mapped = rule(mapped, about)
      return mapped as typeof value
    })
  },
})

import { definePlugin } from '../../public.ts'
import { IMPORT_RULES } from '../import-rules.ts'

/** Maps the IDs in the data of popular WordPress plugins to those of this site during imports. */
export default definePlugin({
  name: 'imported-ids',
  description: 'Maps IDs in the data of plugins of imported sites, also for optional plugins that are off.',
  after: ['importer'],
  apply({ has, hooks }) {
    if (!has('importer')) return
    hooks.import_value.tap('imported-ids', (value, about) => {
      let mapped: unknown = value
      for (const rule of IMPORT_RULES) mapped = rule(mapped, about)
      return mapped as typeof value
    })
  },
})

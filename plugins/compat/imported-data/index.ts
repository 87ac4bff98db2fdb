import { definePlugin } from '../../public.ts'

/**
 * Completes the report of an import: switches on the optional plugins whose data the import found, and lists the data
 * that no plugin serves.
 */
export default definePlugin({
  name: 'imported-data',
  needs: ['optional-plugins', 'content-types', 'taxonomies', 'meta', 'settings'],
  after: ['importer'],
  apply(plugin) {
    if (!plugin.has('importer')) return
    plugin.hooks.import_finished.tapPromise('imported-data', async (report, found) => {
      const { completeReport } = await import('./complete-report.ts')
      await completeReport(plugin, report, found)
    })
  },
})

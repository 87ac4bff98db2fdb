import { definePlugin } from '../../../kernel/index.ts'
// Registers the errors with the plugin; the code that throws them is loaded on demand.
import './errors.ts'
import type { Exporter } from './types.ts'

export { parseSize } from './parse-size.ts'
export { formatExportReport } from './report.ts'
export type { Exporter, ExportFilter, ExportFormat, ExportOptions, ExportProgress, ExportReport } from './types.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Exports the content of the site into files.
     * @example
     * const report = await services.exporter.run({ file: 'site.xml', uploads: 'uploads.tar.gz' })
     */
    exporter: Exporter
  }
}

/** Exports the site: posts of every type, terms, comments, users, media files and settings. */
export default definePlugin({
  name: 'exporter',
  needs: ['store', 'settings', 'roles', 'users', 'meta', 'content-types', 'taxonomies', 'permalinks'],
  provides: ['exporter'],
  apply(plugin) {
    plugin.provide('exporter', {
      async run(options) {
        // Loaded on demand: most servers never export.
        const { exportSite } = await import('./export-site.ts')
        return await exportSite(plugin, options)
      },
      async *stream(options) {
        const { streamSite } = await import('./stream-site.ts')
        yield* streamSite(plugin, options)
      },
    })
  },
})

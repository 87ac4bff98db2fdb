import { definePlugin } from '../../../kernel/index.ts'
// Registers the errors with the plugin; the code that throws them is loaded on demand.
import './errors.ts'
import { completeImages } from './image-sizes.ts'
import { importerHooks } from './hooks.ts'
import { migrations } from './old-sites/tables.ts'
import { OwnImportRuns } from './runs.ts'
import type { ImportRuns } from './run-types.ts'
import type { LiveImporter } from './live/types.ts'
import type { Importer } from './types.ts'
export type { FoundSources, NamedSource } from './sources/sources.ts'
export type { WxrLimits } from './wxr/types.ts'

export type { TargetKind } from './old-sites/links.ts'
export type { MappedKind } from './old-sites/tables.ts'
export type { ImportFile, ImportRuns, ImportState, LiveRunOptions, NewImportRun, NewLiveRun } from './run-types.ts'
export type { ImportFindings, NameCounts } from './findings.ts'
export type { ImportedValue } from './values.ts'
export { looksSerialised, readValue, type Value } from './php-values.ts'
export type { NoteGroup } from './notes.ts'
export {
  ownPhrase,
  type NoteAdvice,
  type NoteText,
  type ReportPhrase,
  type PhraseValues,
  type ReportReason,
  type ReportText,
} from './phrases.ts'
export { REPAIRS, type Repair, type RepairCode } from './repairs.ts'
export {
  formatNote,
  formatReport,
  phraseIn,
  type FoundName,
  type ImportNote,
  type ImportReport,
  type KindCount,
  type ReportedPlugin,
} from './report.ts'
export type { SiteFile, SiteUser } from './site-file.ts'
/** Loads the functions that find the exports and media files in a list of sources. */
export const loadSources = () => import('./sources/sources.ts')
/** Loads the functions that copy the files of themes. */
export const loadThemeFiles = () => import('./theme-files.ts')
export { formatLiveReport, formatProbe, formatProgress } from './live/format.ts'
export { COMPARISONS } from './live/types.ts'
export type {
  Comparison,
  LiveComparison,
  LiveDifference,
  LiveGap,
  LiveImporter,
  LiveImportOptions,
  LiveProbe,
  LiveProgress,
  LiveReport,
  ProbedKind,
} from './live/types.ts'
export type { DownloadOptions, Importer, ImportOptions, ImportProgress } from './types.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Imports the content of other sites.
     * @example
     * const report = await services.importer.run({ source: createReadStream('export.wxr.xml') })
     */
    importer: Importer & LiveImporter
    /**
     * Runs imports in the background, one at a time.
     * @example
     * await services.importRuns.start({ name: 'export.xml', wxr: bytes })
     * const state = await services.importRuns.state()
     */
    importRuns: ImportRuns
  }
}

/** Imports exports of other sites: posts of every type, terms, users, comments, media files, settings. */
export default definePlugin({
  name: 'importer',
  formerNames: ['import'],
  needs: ['store', 'settings', 'roles', 'html', 'passwords', 'content-types'],
  // For downloads, the limit of revisions, the sizes of images, old URLs, the report, and imports of running sites.
  uses: ['media', 'meta', 'outgoing', 'permalinks', 'posts', 'revisions', 'taxonomies', 'terms', 'themes', 'users'],
  after: ['jobs'],
  provides: ['importer', 'importRuns'],
  migrations,
  hooks: importerHooks,
  apply(plugin) {
    const importer: Importer & LiveImporter = {
      async run(options) {
        await plugin.services.accountChanges.check('user')
        // Loaded on demand: most servers never import.
        const { runImport } = await import('./importer.ts')
        return await runImport(plugin, options)
      },
      async runLive(options) {
        await plugin.services.accountChanges.check('user')
        const { LiveImport } = await import('./live/live-import.ts')
        return await new LiveImport(plugin, options).run()
      },
      async probeLive(options) {
        const { probe } = await import('./live/probe.ts')
        return await probe(plugin, options)
      },
    }
    const runs = new OwnImportRuns(plugin, importer)
    if (plugin.has('jobs')) completeImages(plugin)
    plugin.provide('importer', importer)
    plugin.provide('importRuns', runs)
    // After the pages and redirects of other plugins.
    plugin.hooks.site_page.tapPromise({ name: 'importer', stage: 50 }, async (page, request) => {
      if (page.status !== 404 || !plugin.has('permalinks')) return page
      const { redirectOf } = await import('./old-addresses.ts')
      return (await redirectOf(plugin, request)) ?? page
    })
    plugin.hooks.server_finishing.tapPromise('importer', () => runs.ended())
    plugin.onRemove(() => runs.stop(), 'running import')
  },
})

import { action, syncFilter, type Action, type HookSpecs, type SyncFilter } from '../../../kernel/index.ts'
import type { Store } from '../../storage/store/index.ts'
import type { ImportFindings } from './findings.ts'
import type { Value } from './php-values.ts'
import type { ImportReport } from './report.ts'
import type { ImportedValue } from './values.ts'

interface ImporterHooks {
  /**
   * Filter: a value that an import is about to store, with the IDs of the old site: meta of posts, terms and comments,
   * contents and excerpts, descriptions of terms, and options. Replace the IDs that only your plugin knows by
   * `about.map`. Runs within the transaction of the import, also for values that no tap changes, so decide by
   * `about.kind` and `about.key` first. @since 0.1.0
   */
  import_value: SyncFilter<Value, [about: ImportedValue]>
  /**
   * Action: all objects of the import are stored, and references to objects that came late are about to be resolved.
   * Runs within the transaction `tx`, so a tap can read definitions that came with the import; `import_value` then runs
   * again for values whose taps called `about.later`. @since 0.1.0
   */
  import_objects_stored: Action<[tx: Store]>
  /**
   * Action: an import has been committed, and its media files are in place. `found` has the names of types, meta keys,
   * blocks and others that the import found. A tap can complete the report. @since 0.1.0
   */
  import_finished: Action<[report: ImportReport, found: ImportFindings]>
}

declare module '../../../kernel/index.ts' {
  interface Hooks extends ImporterHooks {}
}

export const importerHooks: HookSpecs<ImporterHooks> = {
  import_value: syncFilter('value', 'about'),
  import_objects_stored: action('tx'),
  import_finished: action('report', 'found'),
}

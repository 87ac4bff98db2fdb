import type { LiveImportOptions, LiveProgress, LiveReport } from './live/types.ts'
import type { ReportPhrase } from './phrases.ts'
import type { ImportReport } from './report.ts'
import type { ImportOptions, ImportProgress } from './types.ts'

/** A file of an import in the background. */
export interface ImportFile {
  /** Name for the report; folders in it are ignored. */
  readonly name: string
  readonly bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
  /** `uploads` for an archive of media files, `site` for a site file. Without it, the content of the file decides. */
  readonly use?: 'uploads' | 'site'
}

/** An import of files to run in the background. */
export interface NewImportRun extends Pick<ImportOptions, 'rewrite' | 'trustHtml'> {
  /** Name shown with the progress. */
  readonly name: string
  /** Exports (also as `.zip` or `.gz`), archives of media files, site files and dumps of options. */
  readonly files?: readonly ImportFile[]
  /** An export file. */
  readonly wxr?: Uint8Array
  /** A `.zip`, `.tar` or `.tar.gz` archive of the media files. */
  readonly uploads?: Uint8Array
  /** JSON files with data that the export lacks. */
  readonly siteFiles?: readonly Uint8Array[]
  /** Whether missing media files are downloaded from the old site. */
  readonly download?: boolean
}

/** Options of an import from a running site that its state stores. */
export interface LiveRunOptions extends Pick<
  LiveImportOptions,
  'url' | 'full' | 'revisions' | 'followDeletions' | 'compare' | 'rewrite' | 'trustHtml'
> {
  /** Login on the old site; null for a visitor. */
  readonly user: string | null
  /** Whether media files are downloaded. */
  readonly download: boolean
}

/** An import from a running site to run in the background. */
export interface NewLiveRun extends LiveRunOptions {
  /** Application password of the user. It stays in the memory of this process. */
  readonly password?: string
}

/** State of the current import, or of the last one. */
export interface ImportState {
  /** `unfinished`: its process ended early. The site is unchanged unless the progress says that the content is stored. */
  readonly status: 'running' | 'done' | 'failed' | 'unfinished' | 'cancelled'
  /** Names of the files, or URL of the old site. */
  readonly name: string
  /** Bytes of the export files; 0 for a running site. */
  readonly bytes: number
  /** Start time in Unix milliseconds. */
  readonly started: number
  readonly progress: ImportProgress
  /** Options of an import from a running site. */
  readonly live?: LiveRunOptions
  /** Progress of an import from a running site. */
  readonly liveProgress?: LiveProgress
  readonly report?: ImportReport | LiveReport
  /** Why the import failed. */
  readonly error?: string
  /** The same for translations, if the importer has written it. */
  readonly errorPhrase?: ReportPhrase
}

/** Runs imports in the background, one at a time across all processes of the site. */
export interface ImportRuns {
  /**
   * Starts an import of files. @throws import_runs_already, IMPORT_SOURCE_INVALID, IMPORT_UPLOADS_INVALID
   */
  start(run: NewImportRun): Promise<void>
  /**
   * Starts an import from a running site, or continues an interrupted one. It runs as a job: if this process is killed,
   * another one continues it, unless it needs the password. @throws import_runs_already, IMPORT_LIVE_URL, IMPORT_LIVE_OFF,
   *   IMPORT_LIVE_PASSWORD
   */
  startLive(run: NewLiveRun): Promise<void>
  /** Cancels the current import; returns false if no import is running. */
  cancel(): Promise<boolean>
  /** State of the current import, or of the last one; null if there was no import. */
  state(): Promise<ImportState | null>
}

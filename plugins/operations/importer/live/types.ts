import type { DownloadOptions, ImportOptions } from '../types.ts'
import type { ReportPhrase, ReportReason } from '../phrases.ts'
import type { ImportReport } from '../report.ts'

/** Imports running sites. */
export interface LiveImporter {
  /**
   * Imports a running site over its REST API. A run that was interrupted continues, and a further run reads only what has
   * changed since the last one.
   * @throws IMPORT_LIVE_OFF, IMPORT_LIVE_URL, IMPORT_LIVE_UNREACHABLE, IMPORT_LIVE_NO_API, IMPORT_LIVE_OTHER_HOST,
   *   IMPORT_LIVE_LOGIN, IMPORT_LIVE_PAUSED, IMPORT_LIVE_SPOOL, IMPORT_DOWNLOAD_OFF, import_runs_already; store errors
   */
  runLive(options: LiveImportOptions): Promise<LiveReport>
  /** Finds out what `runLive` would bring, and what not. Changes nothing. @throws IMPORT_LIVE_URL,
   *   IMPORT_LIVE_UNREACHABLE, IMPORT_LIVE_NO_API, IMPORT_LIVE_LOGIN */
  probeLive(options: LiveImportOptions): Promise<LiveProbe>
}

/** Which objects are compared after an import from a running site. */
export const COMPARISONS = ['all', 'sample', 'none'] as const
export type Comparison = (typeof COMPARISONS)[number]

/** Options of an import from a running site: `{ url: 'https://old.example', user: 'anna', password: '…' }`. */
export interface LiveImportOptions extends Pick<ImportOptions, 'rewrite' | 'trustHtml'> {
  /** URL of the old site, or of its REST API. */
  url: string
  /** Login name on the old site. Without it, only public content is imported. */
  user?: string
  /** Application password of the user. */
  password?: string
  /** Hosts and networks to allow in addition to the public internet, like the option `allow` of the plugin `outgoing`. */
  allow?: readonly string[]
  /** Number of concurrent requests to the old site. Default: 4. */
  concurrency?: number
  /** Milliseconds per request. Default: 60,000. */
  timeout?: number
  /** Milliseconds before the first repetition of a failed request; doubles with each further one. Default: 1,000. */
  retryDelay?: number
  /** Whether everything is read again, instead of the changes since the last import. */
  full?: boolean
  /** Whether revisions are imported. Default: true. */
  revisions?: boolean
  /** Downloads media files; false for none. */
  download?: DownloadOptions | false
  /** Whether objects that were deleted on the old site since the last import are moved to the trash here. */
  followDeletions?: boolean
  /** Default: `sample`. */
  compare?: Comparison
  /** Called at most a few times per second. */
  onProgress?(progress: LiveProgress): void
  signal?: AbortSignal
}

/** Progress of an import from a running site. */
export interface LiveProgress {
  phase: 'reading' | 'storing' | 'downloading' | 'comparing'
  /** Objects, or files, processed in this phase. */
  done: number
  /** Whether the content is stored, so that a later failure or cancellation does not undo it. */
  isStored: boolean
  /** Expected number of objects in this phase; 0 if unknown. */
  total: number
  /** Objects processed by this run per second, since the start of the phase. */
  rate: number
  /** Estimated seconds until the end of the phase; null if unknown. */
  secondsLeft: number | null
}

/** The number of objects of one kind on the old site. */
export interface ProbedKind {
  /** `post items`, `category terms`, `users`, `comments` … */
  kind: string
  route: string
  /** Null if the old site does not state it. */
  count: number | null
  /** Number of objects by status, if the kind has statuses. */
  statuses?: Record<string, number>
}

/** Something that does not come, with the reason. */
export interface LiveGap {
  /** Name of the objects, or their kind. */
  subject: string
  reason: string
  /** Both for translations; a string is a kind. */
  phrases?: { readonly subject: ReportPhrase | string; readonly reason: ReportPhrase }
}

/** The result of a probe: an import that reads and changes nothing. */
export interface LiveProbe {
  /** Home URL of the old site. */
  from: string
  /** URL of its REST API. */
  root: string
  /** Login of the user; null without one. */
  user: string | null
  kinds: ProbedKind[]
  gaps: LiveGap[]
  /** Plugins of the old site that add routes, recognized by their namespaces. */
  plugins: { name: string; namespace: string }[]
  /** Estimated number of requests, and seconds including the import. */
  requests: number
  seconds: number
}

/** A group of differences between the old site and this site with the same reason. */
export interface LiveDifference {
  route: string
  /** The field that differs; empty for whole objects or counts. */
  field: string
  reason: ReportReason
  /** Whether the reason is known. An unexplained difference is a fault of the import. */
  explained: boolean
  count: number
  /** At most three examples. */
  examples: string[]
}

/** The comparison of the old site with this site. */
export interface LiveComparison {
  /** Routes with the number of objects on both sites, and the number of compared objects. */
  routes: { route: string; old: number | null; here: number; compared: number }[]
  differences: LiveDifference[]
}

/** The result of an import from a running site. */
export interface LiveReport extends ImportReport {
  /** Whether only changes since an earlier import were read; the time of that import. */
  since: string | null
  gaps: LiveGap[]
  /** Objects that were deleted on the old site since the last import: `post 12`. */
  deleted: { object: string; followed: boolean }[]
  comparison: LiveComparison | null
  /** Number of requests to the old site. */
  requests: number
}

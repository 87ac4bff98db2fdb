import type { CurrentUser } from '../../../kernel/index.ts'

/** Exports the content of the site. */
export interface Exporter {
  /**
   * Writes export files. All data is read in one snapshot of the database, so an export of a serving site is
   * consistent; writers do not wait for it.
   * @throws EXPORT_TYPE_UNKNOWN, EXPORT_AUTHOR_UNKNOWN, EXPORT_CATEGORY_UNKNOWN, EXPORT_DATE_INVALID,
   *   EXPORT_SIZE_TOO_SMALL, EXPORT_UPLOADS_FORMAT; errors of the file system
   */
  run(options: ExportOptions): Promise<ExportReport>
  /**
   * Returns an export as pieces of text, for Markdown as the bytes of a zip archive, read as they are requested.
   * @throws EXPORT_TYPE_UNKNOWN, EXPORT_AUTHOR_UNKNOWN, EXPORT_CATEGORY_UNKNOWN, EXPORT_DATE_INVALID
   */
  stream(options: Pick<ExportOptions, 'filter' | 'format' | 'revisions' | 'user'>): AsyncIterable<string | Uint8Array>
}

/** The format of exported content. */
export type ExportFormat = 'wxr' | 'jsonl' | 'markdown'

/** The items of an export; without conditions, all of them. */
export interface ExportFilter {
  /** Content types, under the names of this site or of export files. */
  types?: readonly string[]
  statuses?: readonly string[]
  /** First and last day of the dates of items, `2025-06-30`. */
  after?: string
  before?: string
  /** Logins of authors. */
  authors?: readonly string[]
  /** Slugs of categories. */
  categories?: readonly string[]
}

/** Options of an export: `{ file: 'site.xml', uploads: 'uploads.tar.gz' }`. */
export interface ExportOptions {
  /** Path of the file to write; for Markdown of a `.zip` file, or of a folder. */
  file?: string
  /** Default: `wxr`. */
  format?: ExportFormat
  /** User whose permissions apply to JSON lines. Default: an administrator of the site. */
  user?: CurrentUser
  filter?: ExportFilter
  /** Whether revisions and autosaves are exported. Default: true. */
  revisions?: boolean
  /** Bytes of a file, above which the export continues in another file: `site.xml`, `site-2.xml` … WXR only. */
  maxSize?: number
  /** Path of the archive for media files: `.tar`, `.tar.gz`, `.tgz` or `.zip`. */
  uploads?: string
  /** Path of the JSON file for settings, users and other data that an export file lacks. */
  site?: string
  /** Whether the site file contains the hashes of passwords. Default: false. */
  passwordHashes?: boolean
  /** Called at most a few times per second. */
  onProgress?(progress: ExportProgress): void
}

export interface ExportProgress {
  items: number
  /** Media files written so far. */
  files: number
  bytes: number
}

/** The result of an export. */
export interface ExportReport {
  /** Paths of the written files, in order. */
  files: readonly string[]
  /** Number of exported objects by kind: `users`, `category terms`, `page items`, `comments`, `files`. */
  counts: Readonly<Record<string, number>>
  /** Differences between the site and the files, with reasons. */
  notes: readonly string[]
  bytes: number
  seconds: number
}

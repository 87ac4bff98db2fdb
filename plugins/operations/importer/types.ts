import type { ImportReport } from './report.ts'
import type { NamedSource } from './sources/sources.ts'
import type { WxrLimits } from './wxr/types.ts'

/** Imports exports of other sites. */
export interface Importer {
  /**
   * Imports export files (WXR) in one transaction: if it fails, the site is unchanged. Importing the same file again
   * adds only new objects. Other writes are blocked during the import.
   * @throws IMPORT_TRUNCATED, IMPORT_NOT_AN_EXPORT, IMPORT_DOCTYPE, IMPORT_TOO_DEEP,
   *   IMPORT_RECORD_TOO_LARGE, IMPORT_IN_FILE, IMPORT_SITE_INVALID, IMPORT_UPLOADS_INVALID, IMPORT_DOWNLOAD_OFF; store errors
   */
  run(options: ImportOptions): Promise<ImportReport>
}

/** Options of an import: `{ source: createReadStream('export.wxr.xml'), uploads: 'uploads.tar.gz' }`. */
export interface ImportOptions {
  /** The export file, read as a stream. Required without `sources`. */
  source?: AsyncIterable<Uint8Array>
  /** Several export files, read one after the other in the same transaction. */
  sources?: readonly NamedSource[]
  /** Whether a file that ends before the end of the export is imported as far as possible. Default: false. */
  acceptTruncated?: boolean
  /**
   * Paths of JSON files with data that an export lacks: users with roles and passwords, settings, terms, menus, the
   * theme. Later files take precedence.
   */
  siteFiles?: readonly string[]
  /** Path of the folder or archive with the media files. */
  uploads?: string
  /**
   * Downloads media files that are missing in the uploads folder from the old site, after everything else is stored.
   */
  download?: DownloadOptions
  /** Whether URLs of the old site are replaced with URLs of this site. Default: true. */
  rewrite?: boolean
  /**
   * Whether content keeps all HTML, regardless of the author's capabilities; `administrators` keeps it if administrators
   * of this site may write any HTML. Names, URLs and comments are always filtered. Default: false.
   */
  trustHtml?: boolean | 'administrators'
  /**
   * Whether objects of an earlier import that were deleted here are added again. Default: false, they stay deleted.
   */
  restore?: boolean
  limits?: WxrLimits
  /** Called at most a few times per second. */
  onProgress?(progress: ImportProgress): void
}

/** Progress of an import. */
export interface ImportProgress {
  /** Bytes of the file read so far. */
  bytes: number
  items: number
  /** During the download: number of media files processed, and number of missing ones. */
  files?: { done: number; missing: number }
  /** Whether the content is stored, so that a later failure or cancellation does not undo it. */
  isStored?: boolean
}

/** Options for downloading media files. */
export interface DownloadOptions {
  /**
   * Hosts and networks to allow in addition to the public internet, like the option `allow` of the plugin `outgoing`.
   */
  allow?: readonly string[]
  /** Milliseconds per request. Default: 120,000. */
  timeout?: number
  /** Further attempts of a request that failed for a temporary reason. Default: 3. */
  retries?: number
  /** Milliseconds before the second attempt; each further pause is twice as long. Default: 1,000. */
  pause?: number
  /** Maximum bytes of a file that the server sends in ranges. Default: 2 GiB. */
  fileBytes?: number
  /** Ends the download. The import is then rejected with the reason of the signal, and everything else stays imported. */
  signal?: AbortSignal
}

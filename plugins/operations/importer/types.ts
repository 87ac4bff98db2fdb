import type { ImportReport } from './report.ts'
import type { WxrLimits } from './wxr/types.ts'

/** Imports exports of other sites. */
export interface Importer {
  /**
   * Imports an export file (WXR), in one transaction: when it fails, the site is as it was. Run again with the same file it
   * brings only what is new. Others cannot write meanwhile.
   * @throws IMPORT_MALFORMED, IMPORT_TRUNCATED, IMPORT_NOT_AN_EXPORT, IMPORT_DOCTYPE, IMPORT_TOO_DEEP,
   *   IMPORT_RECORD_TOO_LARGE, IMPORT_SITE_INVALID, IMPORT_UPLOADS_INVALID, IMPORT_DOWNLOAD_OFF; the errors of the store
   */
  run(options: ImportOptions): Promise<ImportReport>
}

/** What is imported, and how: `{ source: createReadStream('export.wxr.xml'), uploads: 'uploads.tar.gz' }`. */
export interface ImportOptions {
  /** The export file; it is read as a stream. */
  source: AsyncIterable<Uint8Array>
  /**
   * Paths of JSON files with what an export lacks: users with roles and passwords, settings, terms, menus, the theme.
   * What a later one says wins.
   */
  siteFiles?: readonly string[]
  /** Path of the folder or archive with the media files. */
  uploads?: string
  /** Downloads the media files that are not among the uploads from the old site, once all else is stored. */
  download?: DownloadOptions
  /** Whether URLs of the old site become those of this one; they do by default. */
  rewrite?: boolean
  /** Whether content keeps all of its HTML, whoever wrote it; off by default. Names, URLs and comments never do. */
  trustHtml?: boolean
  limits?: WxrLimits
  /** Called a few times a second at most. */
  onProgress?(progress: ImportProgress): void
}

/** How far an import is. */
export interface ImportProgress {
  /** Bytes of the file that are read. */
  bytes: number
  items: number
  /** Media files that were asked for, of those that are missing; while they are downloaded. */
  files?: { done: number; missing: number }
}

/** How media files are downloaded. */
export interface DownloadOptions {
  /** Hosts and networks beside the public internet that may be asked, as in the option `allow` of the plugin `outgoing`. */
  allow?: readonly string[]
  /** Milliseconds for one file; 120,000 by default. */
  timeout?: number
}

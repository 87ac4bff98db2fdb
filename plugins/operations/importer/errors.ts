import { defineErrors } from '../../../kernel/index.ts'

/** Errors that end an import. The database is unchanged after each of them, unless the content was stored before. */
export const errors = defineErrors({
  IMPORT_TRUNCATED: [
    400,
    (line: number, column: number) =>
      `The export file is truncated at line ${line}, column ${column}. Export it again, or copy it completely.`,
  ],
  IMPORT_NOT_AN_EXPORT: [400, (reason: string) => `The file is not a valid export file: ${reason}.`],
  IMPORT_DOCTYPE: [
    400,
    (line: number) =>
      `The export file has a document type declaration (line ${line}). Exports have none, and its entities could be an attack: remove it.`,
  ],
  IMPORT_TOO_DEEP: [
    400,
    (line: number, limit: number) => `The export file nests elements deeper than ${limit} levels (line ${line}).`,
  ],
  IMPORT_RECORD_TOO_LARGE: [
    400,
    (line: number, limit: number) =>
      `An item of the export file (ending at line ${line}) has more than ${limit} characters.`,
  ],
  IMPORT_SOURCE_INVALID: [400, (reason: string) => `The source is invalid: ${reason}.`],
  IMPORT_IN_FILE: [400, (name: string, reason: string) => `${name}: ${reason}`],
  IMPORT_SITE_INVALID: [400, (reason: string) => `The site file is invalid: ${reason}.`],
  IMPORT_DOWNLOAD_OFF: [
    400,
    (plugin: string) =>
      `Media files cannot be downloaded because the plugin "${plugin}" is switched off. Switch it on, or import without downloads.`,
  ],
  IMPORT_STOPPED: [503, 'The import was stopped with the server.'],
  IMPORT_CANCELLED: [409, 'The import was cancelled.'],
  IMPORT_FAILED: [500, 'The import failed. See the server log for the reason.'],
  import_runs_already: [409, 'Another import is running. Wait until it has ended.'],
  IMPORT_UPLOADS_INVALID: [400, (reason: string) => `The uploads are invalid: ${reason}.`],
})

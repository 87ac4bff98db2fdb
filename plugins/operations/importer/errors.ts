import { defineErrors } from '../../../kernel/index.ts'

/** What ends an import. Whatever it is, the database is left as it was. */
export const errors = defineErrors({
  IMPORT_MALFORMED: [
    400,
    (line: number, column: number, why: string) =>
      `The export file is not well-formed at line ${line}, column ${column}: ${why}`,
  ],
  IMPORT_TRUNCATED: [
    400,
    (line: number, column: number) =>
      `The export file ends too early, at line ${line}, column ${column}: export it again, or copy it completely.`,
  ],
  IMPORT_NOT_AN_EXPORT: [400, (why: string) => `This is not an export file that can be read: ${why}.`],
  IMPORT_DOCTYPE: [
    400,
    (line: number) =>
      `The export file has a document type (line ${line}). Exports have none, and its entities could be an attack: remove it.`,
  ],
  IMPORT_TOO_DEEP: [
    400,
    (line: number, limit: number) =>
      `The export file nests elements deeper than ${limit} levels (line ${line}), which no export does.`,
  ],
  IMPORT_RECORD_TOO_LARGE: [
    400,
    (line: number, limit: number) =>
      `One item of the export file (up to line ${line}) is larger than the ${limit} characters allowed.`,
  ],
  IMPORT_SITE_INVALID: [400, (why: string) => `The site file cannot be used: ${why}.`],
  IMPORT_DOWNLOAD_OFF: [
    400,
    (plugin: string) => `Media files cannot be downloaded: the plugin ${plugin} is switched off.`,
  ],
  IMPORT_STOPPED: [503, 'The import was stopped with the server. The site is as it was before: begin it again.'],
  IMPORT_FAILED: [500, 'The import failed, and the site is as it was before. The log of the server says why.'],
  import_runs_already: [409, 'An import is running. Wait until it has ended: there is one at a time.'],
  IMPORT_UPLOADS_INVALID: [400, (why: string) => `The uploads cannot be used: ${why}.`],
})

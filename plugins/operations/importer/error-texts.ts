/**
 * Status and message of the errors that end an import, by code. The database is
 * unchanged after each of them, unless the content was stored before.
 */
export const ERROR_TEXTS = {
  IMPORT_TRUNCATED: [
    400,
    'The export file is truncated at line {line}, column {column}. Export it again, or copy it completely.',
  ],
  IMPORT_NOT_AN_EXPORT: [400, 'The file is not a valid export file: {reason}.'],
  IMPORT_DOCTYPE: [
    400,
    'The export file has a document type declaration (line {line}). Exports have none, and its entities could be an attack: remove it.',
  ],
  IMPORT_TOO_DEEP: [400, 'The export file nests elements deeper than {limit} levels (line {line}).'],
  IMPORT_RECORD_TOO_LARGE: [
    400,
    'An item of the export file (ending at line {line}) has more than {limit} characters.',
  ],
  IMPORT_SOURCE_INVALID: [400, 'The source is invalid: {reason}.'],
  IMPORT_IN_FILE: [400, '{name}: {reason}'],
  IMPORT_SITE_INVALID: [400, 'The site file is invalid: {reason}.'],
  IMPORT_DOWNLOAD_OFF: [
    400,
    'Media files cannot be downloaded because the plugin "{plugin}" is switched off. Switch it on, or import without downloads.',
  ],
  IMPORT_STOPPED: [503, 'The import was stopped with the server.'],
  IMPORT_CANCELLED: [409, 'The import was cancelled.'],
  IMPORT_FAILED: [500, 'The import failed. See the server log for the reason.'],
  import_runs_already: [409, 'Another import is running. Wait until it has ended.'],
  IMPORT_UPLOADS_INVALID: [400, 'The uploads are invalid: {reason}.'],
  // Of imports from a running site. None contains the password.
  IMPORT_LIVE_OFF: [
    400,
    'A running site cannot be imported because the plugin "outgoing" is switched off. Switch it on, or import an export file.',
  ],
  IMPORT_LIVE_URL: [400, '"{url}" is not the URL of a site. Give a URL such as https://old.example.'],
  IMPORT_LIVE_UNREACHABLE: [
    502,
    'The old site cannot be reached: {reason}. Import again to continue where it stopped.',
  ],
  IMPORT_LIVE_NO_API: [
    400,
    'No REST API was found at {url} (requested: {tried}). If a plugin or firewall of the old site switches it off, allow it for the time of the import.',
  ],
  IMPORT_LIVE_OTHER_HOST: [
    400,
    'The REST API of {url} is at {root}, another site, so the password is not sent. If this is correct, import {root} instead.',
  ],
  IMPORT_LIVE_LOGIN: [
    400,
    'The old site does not accept the application password of {user}: {reason}. Create one under Users → Profile → Application passwords. If it is correct, the web server of the old site may remove the header Authorization.',
  ],
  IMPORT_LIVE_PASSWORD: [400, 'The application password of {user} is missing.'],
  IMPORT_LIVE_PAUSED: [
    502,
    'The old site stopped responding at {route}: {reason}. Import again to continue where it stopped.',
  ],
  IMPORT_LIVE_SPOOL: [500, '{file} is damaged. Import again with “Read everything again” (--full).'],
} as const

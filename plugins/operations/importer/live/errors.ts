import { defineErrors } from '../../../../kernel/index.ts'

/** Errors of imports from a running site. None contains the password. */
export const errors = defineErrors({
  IMPORT_LIVE_OFF: [
    400,
    'A running site cannot be imported because the plugin "outgoing" is switched off. Switch it on, or import an export file.',
  ],
  IMPORT_LIVE_URL: [400, (url: string) => `"${url}" is not the URL of a site. Give a URL such as https://old.example.`],
  IMPORT_LIVE_UNREACHABLE: [
    502,
    (reason: string) => `The old site cannot be reached: ${reason} Import again to continue where it stopped.`,
  ],
  IMPORT_LIVE_NO_API: [
    400,
    (url: string, tried: string) =>
      `No REST API was found at ${url} (requested: ${tried}). If a plugin or firewall of the old site switches it off, allow it for the time of the import.`,
  ],
  IMPORT_LIVE_OTHER_HOST: [
    400,
    (url: string, root: string) =>
      `The REST API of ${url} is at ${root}, another site, so the password is not sent. If this is correct, import ${root} instead.`,
  ],
  IMPORT_LIVE_LOGIN: [
    400,
    (user: string, reason: string) =>
      `The old site does not accept the application password of ${user}: ${reason} Create one under Users → Profile → Application passwords. If it is correct, the web server of the old site may remove the header Authorization.`,
  ],
  IMPORT_LIVE_PASSWORD: [400, (user: string) => `The application password of ${user} is missing.`],
  IMPORT_LIVE_PAUSED: [
    502,
    (route: string, reason: string) =>
      `The old site stopped responding at ${route}: ${reason} Import again to continue where it stopped.`,
  ],
  IMPORT_LIVE_SPOOL: [500, (file: string) => `${file} is damaged. Import again with “Read everything again” (--full).`],
})

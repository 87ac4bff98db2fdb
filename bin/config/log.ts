import { hostname } from 'node:os'
import { pino, type DestinationStream, type Logger } from 'pino'
import { HIDDEN, hideSecretsIn, hideSecretsInUrl } from '../../plugins/library/secrets/hide-secrets.ts'

/** Keys of secrets, as pino can look for them: at the top, and up to two levels below. */
const KEYS = ['password', 'password_hash', 'pwd', 'authorization', 'cookie', 'set-cookie', 'token', 'nonce', 'secret']
const PATHS = KEYS.flatMap((key) => ['', '*', '*.*'].map((above) => `${above}["${key}"]`))

/**
 * A logger that writes no secrets: it hides the values of secret keys, and secrets in texts: in the queries of URLs,
 * however often these are encoded, in JSON, in credentials.
 * @param worker number of the process, where several serve the site: each line tells it
 */
export function createLog(level: string, destination?: DestinationStream, worker?: number): Logger {
  const options = {
    level,
    ...(worker !== undefined && { base: { pid: process.pid, hostname: hostname(), worker } }),
    redact: { paths: PATHS, censor: HIDDEN },
    serializers: { url: asUrl, path: asUrl },
    // Of every line: messages and causes of errors hold texts of others.
    hooks: { streamWrite: (line: string) => `${onOneLine(hideSecretsIn(line).trimEnd())}\n` },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}

/** JSON text whose strings hold nothing that a terminal or a reader of lines takes for more than text. */
function onOneLine(line: string): string {
  return line.replace(UNPRINTABLE, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

// oxlint-disable-next-line no-control-regex -- these are looked for
const UNPRINTABLE = /[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

const asUrl = (value: unknown) => (typeof value === 'string' ? hideSecretsInUrl(value) : value)

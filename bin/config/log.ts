import { hostname } from 'node:os'
import { pino, type DestinationStream, type Logger } from 'pino'
import { HIDDEN, hideSecretsIn, hideSecretsInUrl } from '../../plugins/library/secrets/hide-secrets.ts'

/** Keys of secrets. Pino hides them at the top level and up to two levels below. */
const KEYS = ['password', 'password_hash', 'pwd', 'authorization', 'cookie', 'set-cookie', 'token', 'nonce', 'secret']
const PATHS = KEYS.flatMap((key) => ['', '*', '*.*'].map((above) => `${above}["${key}"]`))

/**
 * Creates a logger that hides secrets: the values of secret keys, and secrets in texts, such as URL queries (also encoded
 * several times), JSON and credentials.
 * @param worker number of this worker, added to each line if several processes serve the site
 */
export function createLog(level: string, destination?: DestinationStream, worker?: number): Logger {
  const options = {
    level,
    ...(worker !== undefined && { base: { pid: process.pid, hostname: hostname(), worker } }),
    redact: { paths: PATHS, censor: HIDDEN },
    serializers: { url: asUrl, path: asUrl },
    // Applied to whole lines: messages and causes of errors can contain any text.
    hooks: { streamWrite: (line: string) => `${onOneLine(hideSecretsIn(line).trimEnd())}\n` },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}

/** Escapes control and bidirectional characters in JSON, which terminals or line-based readers would interpret. */
function onOneLine(line: string): string {
  return line.replace(UNPRINTABLE, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

// oxlint-disable-next-line no-control-regex -- matches control characters on purpose
const UNPRINTABLE = /[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

const asUrl = (value: unknown) => (typeof value === 'string' ? hideSecretsInUrl(value) : value)

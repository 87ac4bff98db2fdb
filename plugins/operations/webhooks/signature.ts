import { createHmac, randomBytes } from 'node:crypto'

/** What secrets begin with. */
const PREFIX = 'whsec_'
/** Bytes of a new secret, and the bounds of those that others make (Standard Webhooks 1.0). */
const SECRET_BYTES = 32
const MIN_SECRET_BYTES = 24
const MAX_SECRET_BYTES = 64

/** A secret, and the moment until which it signs in Unix milliseconds; null for one that is not replaced. */
export interface Secret {
  readonly secret: string
  readonly until: number | null
}

/** A new secret. */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64')
}

/** What is wrong with a secret that somebody wrote, in words that follow "it"; null for nothing. */
export function secretFault(secret: string): string | null {
  if (!secret.startsWith(PREFIX)) return `does not begin with ${PREFIX}`
  const text = secret.slice(PREFIX.length)
  const { length } = Buffer.from(text, 'base64')
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(text) && Buffer.from(text, 'base64').toString('base64') === text
  if (!isBase64) return `is not Base64 behind ${PREFIX}`
  return length < MIN_SECRET_BYTES || length > MAX_SECRET_BYTES
    ? `has ${length} bytes: it must have ${MIN_SECRET_BYTES} to ${MAX_SECRET_BYTES}`
    : null
}

/**
 * The headers by which a receiver knows who sends a message, and when.
 * @param secrets those that sign now
 * @param now Unix milliseconds
 */
export function signedHeaders(
  id: string,
  body: string,
  secrets: readonly Secret[],
  now: number,
): Record<string, string> {
  const timestamp = Math.floor(now / 1000)
  const valid = secrets.filter(({ until }) => until === null || until > now)
  const signatures = valid.map(({ secret }) => `v1,${sign(`${id}.${timestamp}.${body}`, secret)}`)
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') }
}

function sign(text: string, secret: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  return createHmac('sha256', key).update(text).digest('base64')
}

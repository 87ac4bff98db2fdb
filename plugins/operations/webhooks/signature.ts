import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'
/** Bytes of a new secret, and the limits for secrets from the config (Standard Webhooks 1.0). */
const SECRET_BYTES = 32
const MIN_SECRET_BYTES = 24
const MAX_SECRET_BYTES = 64

/** A secret, and the moment until which it signs in Unix milliseconds; null for the current secret. */
export interface Secret {
  readonly secret: string
  readonly until: number | null
}

/** Generates a random secret. */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64')
}

/** The fault of a secret from the config, phrased to follow a subject; null if the secret is valid. */
export function secretFault(secret: string): string | null {
  if (!secret.startsWith(PREFIX)) return `must begin with ${PREFIX}`
  const text = secret.slice(PREFIX.length)
  const { length } = Buffer.from(text, 'base64')
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(text) && Buffer.from(text, 'base64').toString('base64') === text
  if (!isBase64) return `must be Base64 after ${PREFIX}`
  return length < MIN_SECRET_BYTES || length > MAX_SECRET_BYTES
    ? `has ${length} bytes; it must have ${MIN_SECRET_BYTES} to ${MAX_SECRET_BYTES}`
    : null
}

/**
 * The headers by which a receiver verifies the sender and the time of a message.
 * @param secrets expired ones are skipped
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

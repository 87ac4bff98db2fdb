import { createHmac, timingSafeEqual } from 'node:crypto'
import { errors } from './errors.ts'

/** The claims of a token. */
export interface TokenClaims {
  /** Home URL of the site that issued the token. */
  readonly iss?: unknown
  /** Unix seconds at which the token was issued, from which it is valid, and at which it expires. */
  readonly iat?: unknown
  readonly nbf?: unknown
  readonly exp?: unknown
  readonly data?: { readonly user?: TokenUser }
  readonly [claim: string]: unknown
}

/** The user of a token. */
export interface TokenUser {
  /** A text in issued tokens; numbers are accepted too. */
  readonly id?: unknown
  /** UUID of the application password with which the token was requested; the token ends with it. */
  readonly application_password?: unknown
}

/** Algorithms of signatures that have a name; this site accepts only the first. */
const ALGORITHMS = ['HS256', 'HS384', 'HS512', 'ES256', 'ES256K', 'ES384', 'RS256', 'RS384', 'RS512', 'EdDSA']

/** Signs and verifies JSON Web Tokens (RFC 7519) with HS256. */
export class Tokens {
  readonly #secret: string

  /** @param secret key of the signatures */
  constructor(secret: string) {
    this.#secret = secret
  }

  /** Returns a signed token with these claims. */
  sign(claims: TokenClaims): string {
    const text = `${encode({ typ: 'JWT', alg: ALGORITHMS[0] })}.${encode(claims)}`
    return `${text}.${this.#signatureOf(text).toString('base64url')}`
  }

  /**
   * Returns the claims of a token that is valid now.
   * @param now Unix seconds
   * @throws jwt_auth_invalid_token with the messages of the library that clients know
   */
  verify(token: string, now: number): TokenClaims {
    const parts = token.split('.')
    if (parts.length !== 3) throw errors.jwt_auth_invalid_token('Wrong number of segments')
    const [header, claims] = parts.slice(0, 2).map(decode)
    if (!isObject(header) || !isObject(claims)) throw errors.jwt_auth_invalid_token('Syntax error, malformed JSON')
    const { alg } = header
    if (alg === undefined || alg === '') throw errors.jwt_auth_invalid_token('Empty algorithm')
    if (!ALGORITHMS.includes(alg as string)) throw errors.jwt_auth_invalid_token('Algorithm not supported')
    if (alg !== ALGORITHMS[0]) throw errors.jwt_auth_invalid_token('Incorrect key for this algorithm')
    const expected = this.#signatureOf(`${parts[0]}.${parts[1]}`)
    const sent = Buffer.from(parts[2]!, 'base64url')
    if (expected.length !== sent.length || !timingSafeEqual(expected, sent))
      throw errors.jwt_auth_invalid_token('Signature verification failed')
    checkTimes(claims, now)
    return claims
  }

  #signatureOf(text: string): Buffer {
    return createHmac('sha256', this.#secret).update(text).digest()
  }
}

/** Checks the times of a token. A time that is not a number is refused as one that has not been reached. */
function checkTimes({ nbf, iat, exp }: TokenClaims, now: number): void {
  for (const time of [nbf, iat]) {
    if (time === undefined || time === null) continue
    const seconds = Math.floor(Number(time))
    if (!(seconds <= now)) throw errors.jwt_auth_invalid_token(`Cannot handle token prior to ${dateOf(seconds)}`)
  }
  if (exp !== undefined && exp !== null && !(Number(exp) > now)) throw errors.jwt_auth_invalid_token('Expired token')
}

/** Formats Unix seconds: `2026-01-31T10:15:00+0000`. */
function dateOf(seconds: number): string {
  const date = new Date(seconds * 1000)
  return Number.isNaN(date.getTime()) ? String(seconds) : date.toISOString().replace(/\.\d+Z$/, '+0000')
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

/** Returns the JSON of a part of a token; null if it is not JSON. */
function decode(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as unknown
  } catch {
    return null
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

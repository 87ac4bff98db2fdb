import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { SiteOptions } from '../../foundation/settings/index.ts'

/** Content of a token. It is signed but not encrypted. */
export interface PreviewClaim {
  /** ID of the post. */
  readonly post: number
  /** ID of the revision or autosave to show; null for the newest autosave. */
  readonly revision: number | null
  /** Name of the front end that the token is for. */
  readonly frontEnd: string
  /** Origin of that front end. */
  readonly origin: string
  /** ID of the user who issued the link. */
  readonly issuer: number
  /** `PreviewTokens.stateOf` for the password of the issuer at that time. */
  readonly issuerState: string
  /** Time of issue, in Unix seconds. */
  readonly issued: number
  /** Time of expiry, in Unix seconds. */
  readonly expires: number
}

/** Site option with the signing key. Deleting it invalidates all links. */
const KEY = 'preview_key'
/** A claim and its 256-bit signature, in base64url. Longer claims are never signed. */
const TOKEN = /^[\w-]{1,2000}\.[\w-]{43}$/
/** Length of a password state in characters: 96 bits. */
const STATE_LENGTH = 16

/** Signs and verifies tokens with a dedicated key of the site. Tokens are not stored. */
export class PreviewTokens {
  readonly #options: SiteOptions

  constructor(options: SiteOptions) {
    this.#options = options
  }

  /** Returns a signed token. Creates the key if the site has none. */
  async sign(claim: PreviewClaim): Promise<string> {
    const body = Buffer.from(JSON.stringify(toShort(claim))).toString('base64url')
    return `${body}.${signatureOf(body, (await this.#key()) ?? (await this.#makeKey()))}`
  }

  /** Returns the claim of a token, or null if this site has not signed it. */
  async read(token: string): Promise<PreviewClaim | null> {
    if (!TOKEN.test(token)) return null
    const key = await this.#key()
    if (key === null) return null
    const [body = '', signature = ''] = token.split('.')
    // Compared as text, because several base64url texts decode to the same bytes.
    if (!timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(body, key)))) return null
    return fromShort(JSON.parse(Buffer.from(body, 'base64url').toString()) as ShortClaim)
  }

  /** Returns a value that changes with the password of a user and reveals nothing else. */
  async stateOf(user: number, passwordHash: string): Promise<string> {
    const key = (await this.#key()) ?? (await this.#makeKey())
    return mac(key, 'issuer', JSON.stringify([user, passwordHash])).slice(0, STATE_LENGTH)
  }

  /** Invalidates all tokens: the next one is signed with a new key. */
  forgetKey(): Promise<void> {
    return this.#options.delete(KEY)
  }

  async #key(): Promise<Buffer | null> {
    const stored = await this.#options.get(KEY)
    return typeof stored === 'string' ? Buffer.from(stored, 'base64url') : null
  }

  /** Creates the key atomically, so that concurrent processes agree on it. */
  async #makeKey(): Promise<Buffer> {
    let key = ''
    await this.#options.update(KEY, (stored) => {
      key = typeof stored === 'string' ? stored : randomBytes(32).toString('base64url')
      return key
    })
    return Buffer.from(key, 'base64url')
  }
}

/** A claim with short keys, because tokens are part of URLs. */
interface ShortClaim {
  readonly p: number
  readonly r: number | null
  readonly f: string
  readonly o: string
  readonly u: number
  readonly s: string
  readonly i: number
  readonly e: number
}

function toShort({ post, revision, frontEnd, origin, issuer, issuerState, issued, expires }: PreviewClaim): ShortClaim {
  return { p: post, r: revision, f: frontEnd, o: origin, u: issuer, s: issuerState, i: issued, e: expires }
}

function fromShort({ p, r, f, o, u, s, i, e }: ShortClaim): PreviewClaim {
  return { post: p, revision: r, frontEnd: f, origin: o, issuer: u, issuerState: s, issued: i, expires: e }
}

function signatureOf(body: string, key: Buffer): string {
  return mac(key, 'token', body)
}

/** @param use purpose of the signature; signatures for one purpose are invalid for others */
function mac(key: Buffer, use: string, text: string): string {
  return createHmac('sha256', key).update(`preview ${use}\n${text}`).digest('base64url')
}

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { SiteOptions } from '../../foundation/settings/index.ts'

/** What a token says; whoever holds it can read it. */
export interface PreviewClaim {
  /** ID of the post. */
  readonly post: number
  /** ID of the revision or autosave that is shown; null for the newest autosave. */
  readonly revision: number | null
  /** Name of the front end that it is for. */
  readonly frontEnd: string
  /** Scheme and host of that front end. */
  readonly origin: string
  /** ID of the user who let the holder see the post. */
  readonly issuer: number
  /** What `PreviewTokens.stateOf` told of the password of the issuer. */
  readonly issuerState: string
  /** When it was made, in Unix seconds. */
  readonly issued: number
  /** From when on it is good no more, in Unix seconds. */
  readonly expires: number
}

/** Option of the site that holds the key; without it all links that were given out are good no more. */
const KEY = 'preview_key'
/** A claim, and its signature of 256 bits, in base64url. Longer claims have never been signed. */
const TOKEN = /^[\w-]{1,2000}\.[\w-]{43}$/
/** Characters of what is told of a password: 96 bits. */
const STATE_LENGTH = 16

/** Signs and reads tokens, with a key that the site has for nothing else. Nothing is stored of a token. */
export class PreviewTokens {
  readonly #options: SiteOptions

  constructor(options: SiteOptions) {
    this.#options = options
  }

  /** A signed token. Makes the key of the site where there is none yet. */
  async sign(claim: PreviewClaim): Promise<string> {
    const body = Buffer.from(JSON.stringify(toShort(claim))).toString('base64url')
    return `${body}.${signatureOf(body, (await this.#key()) ?? (await this.#makeKey()))}`
  }

  /** What a token says; null for what this site has not signed. */
  async read(token: string): Promise<PreviewClaim | null> {
    if (!TOKEN.test(token)) return null
    const key = await this.#key()
    if (key === null) return null
    const [body = '', signature = ''] = token.split('.')
    // As texts: several texts stand for the same bytes.
    if (!timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(body, key)))) return null
    return fromShort(JSON.parse(Buffer.from(body, 'base64url').toString()) as ShortClaim)
  }

  /** What tells whether a user has still the same password, and tells nobody anything else. */
  async stateOf(user: number, passwordHash: string): Promise<string> {
    const key = (await this.#key()) ?? (await this.#makeKey())
    return mac(key, 'issuer', JSON.stringify([user, passwordHash])).slice(0, STATE_LENGTH)
  }

  /** Has all tokens be good no more: the next one is signed with another key. */
  forgetKey(): Promise<void> {
    return this.#options.delete(KEY)
  }

  async #key(): Promise<Buffer | null> {
    const stored = await this.#options.get(KEY)
    return typeof stored === 'string' ? Buffer.from(stored, 'base64url') : null
  }

  /** Processes that make one at once agree on it. */
  async #makeKey(): Promise<Buffer> {
    let key = ''
    await this.#options.update(KEY, (stored) => {
      key = typeof stored === 'string' ? stored : randomBytes(32).toString('base64url')
      return key
    })
    return Buffer.from(key, 'base64url')
  }
}

/** A claim as tokens have it: they stand in URLs. */
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

/** @param use what the text is signed for: the same text for another use has another signature */
function mac(key: Buffer, use: string, text: string): string {
  return createHmac('sha256', key).update(`preview ${use}\n${text}`).digest('base64url')
}

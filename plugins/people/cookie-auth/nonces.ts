import { createHmac, timingSafeEqual } from 'node:crypto'
import type { CurrentUser } from '../../../kernel/index.ts'

/** Short tokens that prove that a request was sent by a page that the user opened. */
export type Nonces = ReturnType<typeof createNonces>

/** Length of a nonce, in characters: 80 bits in hexadecimal. */
const NONCE_LENGTH = 20

/**
 * Creates nonces as truncated HMACs, without storing anything.
 * @param key secret of the site
 * @param life seconds
 */
export function createNonces(key: Buffer, life: number, now: () => number = Date.now) {
  const tick = () => Math.ceil(now() / (life * 500))
  const make = (at: number, action: string, { id, session = '' }: CurrentUser) =>
    createHmac('sha256', key)
      .update(JSON.stringify([at, action, id, session]))
      .digest('hex')
      .slice(0, NONCE_LENGTH)
  const matches = (nonce: string, expected: string) =>
    nonce.length === NONCE_LENGTH && timingSafeEqual(Buffer.from(nonce), Buffer.from(expected))
  return {
    /**
     * Returns a nonce for one action of one user in one session. It is valid for at least half of its life, at most for
     * all of it, and no longer than the session.
     */
    create: (action: string, user: CurrentUser): string => make(tick(), action, user),
    /**
     * Checks a nonce for an action of this user in this session.
     * @returns 1 in the first half of its life, 2 in the second, else false
     */
    verify(this: void, nonce: string, action: string, user: CurrentUser): 1 | 2 | false {
      const at = tick()
      if (!/^[0-9a-f]+$/.test(nonce)) return false
      if (matches(nonce, make(at, action, user))) return 1
      return matches(nonce, make(at - 1, action, user)) && 2
    },
  }
}

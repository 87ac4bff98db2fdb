import { createHmac, timingSafeEqual } from 'node:crypto'
import type { CurrentUser } from '../../../kernel/index.ts'

/** Short texts that show that a request was made on purpose, by a page that the user opened. */
export type Nonces = ReturnType<typeof createNonces>

/** Characters of a nonce: 80 bits in hexadecimal. */
const NONCE_LENGTH = 20

/**
 * Nonces as truncated HMACs: nothing is stored.
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
     * A nonce for one action of one user in one session. It is good for half of its life at least, and never longer
     * than all of it; it dies with the session.
     */
    create: (action: string, user: CurrentUser): string => make(tick(), action, user),
    /**
     * Whether a nonce is good for this action of this user in this session.
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

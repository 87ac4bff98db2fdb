import type { Limits } from '../../../kernel/index.ts'

/** Whose bodies it is for. */
export type Share = 'visitors' | 'users'

/** Bytes of memory that a value or a name of parsed JSON takes, beside its text. */
export const VALUE_WEIGHT = 128
/** The same of a field of a form, whose name may stand for five maps within each other. */
export const FIELD_WEIGHT = 6 * VALUE_WEIGHT

/** The part of a share that one sender may hold. */
const MAX_SENDER_SHARE = 1 / 4

/**
 * Limits the weight of all bodies that are held at once, in memory and on disk: their bytes, and about what they take in
 * memory once they are parsed, which is many times as much for empty lists. Visitors have a share of their own, so that
 * they leave room for users; and no sender fills a share alone.
 */
export class BodyBudget {
  readonly #most: Readonly<Record<Share, number>>
  /** What one sender may hold: at least the largest body. */
  readonly #mostOfOne: Readonly<Record<Share, number>>
  readonly #held: Record<Share, number> = { visitors: 0, users: 0 }
  readonly #senders: Readonly<Record<Share, Map<string, number>>> = { visitors: new Map(), users: new Map() }

  constructor({ bodies, visitorBodies: visitors, bodyLimit, visitor }: BodyLimits) {
    this.#most = { visitors, users: bodies }
    this.#mostOfOne = {
      visitors: Math.max(visitors * MAX_SENDER_SHARE, Math.min(visitor, bodyLimit)),
      users: Math.max(bodies * MAX_SENDER_SHARE, bodyLimit),
    }
  }

  /**
   * Takes so many bytes of a share. A body that is its sender's only one may have more than others leave to them.
   * @param sender whose they are: the network of a visitor, the ID of a user
   * @param held how many of them the same body has taken before
   * @returns whether there was room for them
   */
  take(share: Share, sender: string, bytes: number, held: number): boolean {
    const senders = this.#senders[share]
    const own = (senders.get(sender) ?? 0) + bytes
    if (own > this.#mostOfOne[share] && own > held + bytes) return false
    if (this.#held[share] + bytes > this.#most[share]) return false
    this.#held[share] += bytes
    senders.set(sender, own)
    return true
  }

  give(share: Share, sender: string, bytes: number): void {
    if (bytes === 0) return
    const senders = this.#senders[share]
    const own = (senders.get(sender) ?? 0) - bytes
    this.#held[share] -= bytes
    if (own > 0) senders.set(sender, own)
    else senders.delete(sender)
  }
}

type BodyLimits = Pick<Limits, 'bodies' | 'visitorBodies' | 'bodyLimit' | 'visitor'>

import type { Limits } from '../../../kernel/index.ts'

/** The senders whose bodies share a budget. */
export type Share = 'visitors' | 'users'

/** Estimated bytes of memory per value or name of parsed JSON, in addition to its text. */
export const VALUE_WEIGHT = 128
/** Estimated bytes of memory per form field, whose name can create up to five nested maps. */
export const FIELD_WEIGHT = 6 * VALUE_WEIGHT

/** Fraction of a share that one sender can hold. */
const MAX_SENDER_SHARE = 1 / 4

/**
 * Limits the memory and disk space of all bodies in progress: their bytes plus the estimated size of their parsed
 * values, which for empty lists is many times larger. Visitors have a separate share, so that they cannot use up the
 * space for users, and no sender can fill a share alone.
 */
export class BodyBudget {
  readonly #maxBytes: Readonly<Record<Share, number>>
  /** Bytes that one sender can hold: at least the largest allowed body. */
  readonly #maxSenderBytes: Readonly<Record<Share, number>>
  readonly #held: Record<Share, number> = { visitors: 0, users: 0 }
  readonly #senders: Readonly<Record<Share, Map<string, number>>> = { visitors: new Map(), users: new Map() }

  constructor({ bodies, visitorBodies: visitors, bodyLimit, visitor }: BodyLimits) {
    this.#maxBytes = { visitors, users: bodies }
    this.#maxSenderBytes = {
      visitors: Math.max(visitors * MAX_SENDER_SHARE, Math.min(visitor, bodyLimit)),
      users: Math.max(bodies * MAX_SENDER_SHARE, bodyLimit),
    }
  }

  /**
   * Reserves bytes of a share. The limit for one sender does not apply to a sender with a single body in progress.
   * @param sender network of a visitor, or ID of a user
   * @param held bytes that the same body has already reserved
   * @returns whether the share had room for them
   */
  reserve(share: Share, sender: string, bytes: number, held: number): boolean {
    const senders = this.#senders[share]
    const own = (senders.get(sender) ?? 0) + bytes
    if (own > this.#maxSenderBytes[share] && own > held + bytes) return false
    if (this.#held[share] + bytes > this.#maxBytes[share]) return false
    this.#held[share] += bytes
    senders.set(sender, own)
    return true
  }

  release(share: Share, sender: string, bytes: number): void {
    if (bytes === 0) return
    const senders = this.#senders[share]
    const own = (senders.get(sender) ?? 0) - bytes
    this.#held[share] -= bytes
    if (own > 0) senders.set(sender, own)
    else senders.delete(sender)
  }
}

type BodyLimits = Pick<Limits, 'bodies' | 'visitorBodies' | 'bodyLimit' | 'visitor'>

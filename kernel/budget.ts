import type { Limits } from './config.ts'

/**
 * Bytes of all bodies that are held at once, in memory and on disk. Visitors have a share of their own, so that they
 * leave room for everybody who is logged in.
 */
export class BodyBudget {
  readonly #most: Readonly<Record<Share, number>>
  readonly #held: Record<Share, number> = { visitors: 0, users: 0 }

  constructor({ bodies, visitor_bodies: visitors }: Pick<Limits, 'bodies' | 'visitor_bodies'>) {
    this.#most = { visitors, users: bodies }
  }

  /** Takes so many bytes of a share. @returns whether there was room for them */
  take(share: Share, bytes: number): boolean {
    if (this.#held[share] + bytes > this.#most[share]) return false
    this.#held[share] += bytes
    return true
  }

  give(share: Share, bytes: number): void {
    this.#held[share] -= bytes
  }
}

/** Whose bodies they are. */
export type Share = 'visitors' | 'users'

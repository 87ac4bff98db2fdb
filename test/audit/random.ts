import { randomOf } from '../helpers/random.ts'

/** A pseudorandom generator. The same seed generates the same numbers. */
export interface Random {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next(): number
  /** Returns an integer from 0 (inclusive) to `below` (exclusive). */
  below(below: number): number
  /** Returns true with the probability `share`. */
  chance(share: number): boolean
  pick<T>(list: readonly T[]): T
}

/** Creates a generator for a part of a seed, so that each part can be repeated alone. */
export function createRandom(seed: number, part = 0): Random {
  const next = randomOf(Math.imul(seed, 0x9e3779b1) ^ Math.imul(part + 1, 0x85ebca6b))
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    chance: (share) => next() < share,
    pick: (list) => {
      if (list.length === 0) throw new Error('Cannot pick from an empty list.')
      return list[below(list.length)]!
    },
  }
}

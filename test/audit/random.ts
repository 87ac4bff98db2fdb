import { randomOf } from '../helpers/random.ts'

/** Numbers that look random and are the same for the same seed. */
export interface Random {
  /** At least 0, below 1. */
  next(): number
  /** A whole number from 0 up to, and without, `below`. */
  below(below: number): number
  /** True as often as the share says. */
  chance(share: number): boolean
  pick<T>(list: readonly T[]): T
}

/** A generator that `seed` starts, and `part` of it, so that each part can be repeated alone. */
export function createRandom(seed: number, part = 0): Random {
  const next = randomOf(Math.imul(seed, 0x9e3779b1) ^ Math.imul(part + 1, 0x85ebca6b))
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    chance: (share) => next() < share,
    pick: (list) => {
      if (list.length === 0) throw new Error('There is nothing to pick from.')
      return list[below(list.length)]!
    },
  }
}

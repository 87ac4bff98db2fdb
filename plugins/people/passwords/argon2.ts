import { argon2, randomBytes, timingSafeEqual, type Argon2Parameters } from 'node:crypto'
import { promisify } from 'node:util'
import { normalize } from '../../library/markup/index.ts'

/** Cost of a hash: 19 MiB, two passes, one lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 }
/** Maximum cost of a stored hash, so that an imported one cannot stall the server. */
const MAX_HASH_COSTS = { memory: 262_144, passes: 16, parallelism: 16 }
const TAG_LENGTH = 32
const ENCODED =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/

const derive = promisify(argon2)

/** Hashes a password; see `Passwords.hash`. */
export async function hashPassword(plain: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await derive('argon2id', { message: messageOf(plain), nonce, tagLength: TAG_LENGTH, ...COST })
  const { memory, passes, parallelism } = COST
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${encode(nonce)}$${encode(tag)}`
}

/** Whether the password matches an argon2id hash. Other text matches no password, after the same time. */
export async function verifyArgon2(plain: string, hash: string): Promise<boolean> {
  const { expected, ...parameters } = decode(hash)
  const tag = await derive('argon2id', { message: messageOf(plain), ...parameters })
  return expected !== null && timingSafeEqual(tag, expected)
}

/** Whether a hash has the algorithm and the cost of new hashes. */
export function isCurrent(hash: string): boolean {
  const { expected, memory, passes, parallelism } = decode(hash)
  return expected !== null && memory === COST.memory && passes === COST.passes && parallelism === COST.parallelism
}

/** Parses a hash. For other text it returns the usual cost without an expected value. */
function decode(hash: string): Omit<Argon2Parameters, 'message'> & { expected: Buffer | null } {
  const [, m, t, p, salt = '', tag = ''] = ENCODED.exec(hash) ?? []
  const cost = { memory: Number(m), passes: Number(t), parallelism: Number(p) }
  const isAffordable =
    cost.parallelism >= 1 &&
    cost.passes >= 1 &&
    cost.memory >= 8 * cost.parallelism &&
    cost.memory <= MAX_HASH_COSTS.memory &&
    cost.passes <= MAX_HASH_COSTS.passes &&
    cost.parallelism <= MAX_HASH_COSTS.parallelism
  if (!isAffordable) return { nonce: Buffer.alloc(16), tagLength: TAG_LENGTH, ...COST, expected: null }
  const expected = Buffer.from(tag, 'base64')
  return { nonce: Buffer.from(salt, 'base64'), tagLength: expected.length, ...cost, expected }
}

/** Normalized, because keyboards compose the same letter differently. */
const messageOf = (plain: string) => Buffer.from(normalize(plain, 'NFC'))

const encode = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

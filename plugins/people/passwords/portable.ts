import { hash as digest, timingSafeEqual } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'

const ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** `$P$` or `$H$`, the number of rounds as a power of two, eight characters of salt, 22 of the hash. */
const ENCODED = /^\$[PH]\$([./0-9A-Za-z])([./0-9A-Za-z]{8})([./0-9A-Za-z]{22})$/
const MIN_ROUNDS_LOG2 = 7
/** Maximum cost of a stored hash, as a power of two: a second or two. */
const MAX_ROUNDS_LOG2 = 20
const MAX_PASSWORD_LENGTH = 4096
/** Rounds between two yields to the event loop: about a millisecond. */
const ROUNDS_PER_STEP = 1024

/** Whether a text is a supported portable hash. */
export function isPortable(hash: string): boolean {
  const rounds = ALPHABET.indexOf(ENCODED.exec(hash)?.[1] ?? '/')
  return rounds >= MIN_ROUNDS_LOG2 && rounds <= MAX_ROUNDS_LOG2
}

/**
 * Whether the password matches a portable hash, which PHP programs stored for a long time: MD5 of salt and password,
 * then of the result and the password, many times. Yields to the event loop between short steps. Described in
 * Openwall's article on portable hashes (openwall.com/phpass).
 */
export async function verifyPortable(plain: string, hash: string): Promise<boolean> {
  const [, rounds, salt, expected] = ENCODED.exec(hash) ?? []
  const password = Buffer.from(plain)
  if (rounds === undefined || salt === undefined || expected === undefined) return false
  if (password.length > MAX_PASSWORD_LENGTH) return false
  const block = Buffer.concat([Buffer.alloc(16), password])
  digest('md5', Buffer.concat([Buffer.from(salt), password]), 'buffer').copy(block)
  for (let left = 2 ** ALPHABET.indexOf(rounds); left > 0; left -= ROUNDS_PER_STEP) {
    for (let step = Math.min(left, ROUNDS_PER_STEP); step > 0; step -= 1) digest('md5', block, 'buffer').copy(block)
    await nextTurn()
  }
  return timingSafeEqual(Buffer.from(encode(block.subarray(0, 16))), Buffer.from(expected))
}

/** Encodes 16 bytes in 22 characters: three bytes, least significant first, become four characters. */
function encode(bytes: Buffer): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const group = bytes.subarray(at, at + 3)
    const value = group.readUIntLE(0, group.length)
    for (let index = 0; index <= group.length; index += 1) text += ALPHABET[(value >> (6 * index)) & 63]
  }
  return text
}

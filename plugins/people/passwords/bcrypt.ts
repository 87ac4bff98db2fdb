import { createHmac } from 'node:crypto'
import type { ImportedHash } from '../../library/branding/index.ts'

const ENCODED = /^\$2[aby]\$(\d\d)(\$[./A-Za-z0-9]{53})$/
/** The most that a stored hash may ask for: about three seconds. */
const MOST_COST = 15

/** Whether text is a bcrypt hash that this program checks. */
export function isBcrypt(hash: string): boolean {
  const cost = Number(ENCODED.exec(hash)?.[1])
  return cost >= 4 && cost <= MOST_COST
}

/** Whether the password is that of a bcrypt hash, in any of its spellings. Off the event loop. */
export async function verifyBcrypt(plain: string, hash: string): Promise<boolean> {
  const [, cost, rest] = ENCODED.exec(hash) ?? []
  if (cost === undefined || rest === undefined) return false
  // Loaded at its first use: sites without imported users never need it.
  const { verify } = await import('@node-rs/bcrypt')
  // The names of the versions differ in what other programs once did wrong.
  return verify(plain, `$2b$${cost}${rest}`)
}

/** What bcrypt was given in place of a password: an HMAC of it, so that what is behind the 72nd byte counts too. */
export function preparedForBcrypt(plain: string, { key }: ImportedHash): string {
  return createHmac('sha384', key).update(plain.trim()).digest('base64')
}

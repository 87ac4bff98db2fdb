import { createHmac } from 'node:crypto'
import type { ImportedHash } from '../../library/branding/index.ts'

const ENCODED = /^\$2[aby]\$(\d\d)(\$[./A-Za-z0-9]{53})$/
/** Maximum cost of a stored hash: about three seconds. */
const MAX_COST = 15

/** Whether a text is a supported bcrypt hash. */
export function isBcrypt(hash: string): boolean {
  const cost = Number(ENCODED.exec(hash)?.[1])
  return cost >= 4 && cost <= MAX_COST
}

/** Whether the password matches a bcrypt hash, in any of its variants. Runs off the event loop. */
export async function verifyBcrypt(plain: string, hash: string): Promise<boolean> {
  const [, cost, rest] = ENCODED.exec(hash) ?? []
  if (cost === undefined || rest === undefined) return false
  // Loaded at its first use: sites without imported users do not need it.
  const { verify } = await import('@node-rs/bcrypt')
  // The variants only mark bugs of other programs.
  return verify(plain, `$2b$${cost}${rest}`)
}

/**
 * Returns the text that was hashed in place of the password: an HMAC of it, so that characters after the 72nd byte
 * count.
 */
export function preparedForBcrypt(plain: string, { key }: ImportedHash): string {
  return createHmac('sha384', key).update(plain.trim()).digest('base64')
}

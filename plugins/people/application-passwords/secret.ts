import { createHash } from 'node:crypto'

/**
 * What is stored of an application password. It is a random secret of 142 bits, so one fast hash protects it, and a
 * request can be told by it without a costly one. Spaces make it easier to read and do not count.
 * @param plain the password as it was shown or sent
 */
export function hashApplicationPassword(plain: string): string {
  return `sha256:${createHash('sha256').update(plain.replace(/\s+/g, '')).digest('hex')}`
}

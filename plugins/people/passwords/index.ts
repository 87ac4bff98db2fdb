import { definePlugin, partOf } from '../../../kernel/index.ts'
import type { ImportedHash } from '../../library/branding/index.ts'
import { hashPassword, isCurrent, verifyArgon2 } from './argon2.ts'
import { isBcrypt, preparedForBcrypt, verifyBcrypt } from './bcrypt.ts'
import { HashQueue } from './hash-queue.ts'
import { isPortable, verifyPortable } from './portable.ts'

/**
 * Turns passwords into what may be stored, and checks them. Off the event loop, 25-40 ms each. A few at a time: others
 * wait in a queue, and leave it when the request they belong to is given up.
 */
export interface Passwords {
  /**
   * The encoded hash of a password, with its algorithm, parameters and salt (argon2id, PHC string format).
   * @throws password_queue_full
   */
  hash(plain: string): Promise<string>
  /**
   * Whether the password belongs to the hash: one that `hash` made, or an imported one (bcrypt, or the portable kind of
   * PHP programs). Text that is not a hash fits no password, and the check takes as long as for a hash.
   * @param known whether the client has logged in before: it does not wait for requests of unknown clients
   * @throws password_queue_full
   */
  verify(plain: string, hash: string, known?: boolean): Promise<boolean>
  /** Whether a hash that was found right should be replaced by a new one of the same password. */
  needsRehash(hash: string): boolean
}

export interface PasswordsOptions {
  /**
   * How many passwords are hashed at the same time, by all workers together but at least by one in each; never so many that
   * no thread is left for reading files.
   */
  at_once: number
  /**
   * How many may wait for that: of log-ins from where the user was let in before, of others, and of new passwords. One
   * network may have half of the places.
   */
  waiting: number
}

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Hashes of passwords.
     * @example
     * const hash = await services.passwords.hash(password)
     * const isRight = await services.passwords.verify(password, hash)
     */
    passwords: Passwords
  }
}

/** Provides the hashing of passwords. */
export default definePlugin<PasswordsOptions>({
  name: 'passwords',
  provides: ['passwords'],
  options: {
    at_once: { default: 2, type: 'integer', minimum: 1, maximum: 64 },
    waiting: { default: 40, type: 'integer', minimum: 1, maximum: 10_000 },
  },
  apply({ provide, branding, worker }, { at_once, waiting }) {
    // All processes that serve the site share the machine.
    const part = (all: number) => partOf(all, worker)
    const queue = new HashQueue({ atOnce: Math.min(part(at_once), spareThreads()), waiting: part(waiting) })
    provide('passwords', {
      hash: (plain) => queue.run('new', () => hashPassword(plain)),
      verify: (plain, hash, known = false) =>
        queue.run(known ? 'known' : 'others', () => verifyPassword(plain, hash, branding.importedHash)),
      needsRehash: (hash) => !isCurrent(hash),
    })
  },
})

/** Threads that files and names of hosts wait for, too: half of them stay free. */
function spareThreads(): number {
  const threads = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4)
  return Math.max(1, Math.floor((Number.isFinite(threads) ? threads : 4) / 2))
}

function verifyPassword(plain: string, hash: string, imported: ImportedHash): Promise<boolean> {
  if (isBcrypt(hash)) return verifyBcrypt(plain, hash)
  if (isPortable(hash)) return verifyPortable(plain, hash)
  const inner = hash.startsWith(imported.prefix) ? hash.slice(imported.prefix.length) : ''
  if (isBcrypt(inner)) return verifyBcrypt(preparedForBcrypt(plain, imported), inner)
  return verifyArgon2(plain, hash)
}

import { definePlugin, shareOf } from '../../../kernel/index.ts'
import type { ImportedHash } from '../../library/branding/index.ts'
import { hashPassword, isCurrent, verifyArgon2 } from './argon2.ts'
import { isBcrypt, preparedForBcrypt, verifyBcrypt } from './bcrypt.ts'
import { HashQueue } from './hash-queue.ts'
import { isPortable, verifyPortable } from './portable.ts'

/**
 * Hashes and checks passwords. Runs off the event loop, 25-40 ms each, a few at a time: others wait in a queue and
 * leave it when their request is aborted.
 */
export interface Passwords {
  /**
   * Returns the encoded hash of a password, with its algorithm, parameters and salt (argon2id, PHC string format).
   * @throws password_queue_full
   */
  hash(plain: string): Promise<string>
  /**
   * Whether the password matches a hash: one of `hash`, or an imported one (bcrypt, or the portable format of PHP
   * programs). Other text matches no password, and the check takes as long as for a hash.
   * @param isKnown whether the client has logged in before: it does not wait for requests of unknown clients
   * @throws password_queue_full
   */
  verify(plain: string, hash: string, isKnown?: boolean): Promise<boolean>
  /** Whether a verified hash should be replaced by a new hash of the same password. */
  needsRehash(hash: string): boolean
}

export interface PasswordsOptions {
  /**
   * Passwords hashed at the same time, by all workers together but at least one in each. Some threads always stay free
   * for reading files.
   */
  concurrency: number
  /**
   * Maximum number of waiting requests of each kind: log-ins of known clients, other log-ins, and new passwords. One
   * network can take half of the places.
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

/** Hashes and checks passwords. */
export default definePlugin<PasswordsOptions>({
  name: 'passwords',
  provides: ['passwords'],
  formerOptions: { at_once: 'concurrency' },
  options: {
    concurrency: { default: 2, type: 'integer', minimum: 1, maximum: 64 },
    waiting: { default: 40, type: 'integer', minimum: 1, maximum: 10_000 },
  },
  apply({ provide, branding, worker }, { concurrency, waiting }) {
    // All processes of the site share the machine.
    const part = (all: number) => shareOf(all, worker)
    const queue = new HashQueue({ concurrency: Math.min(part(concurrency), spareThreads()), waiting: part(waiting) })
    provide('passwords', {
      hash: (plain) => queue.run('new', () => hashPassword(plain)),
      verify: (plain, hash, isKnown = false) =>
        queue.run(isKnown ? 'known' : 'others', () => verifyPassword(plain, hash, branding.importedHash)),
      needsRehash: (hash) => !isCurrent(hash),
    })
  },
})

/** Returns half of the threads: file access and DNS lookups need the others. */
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

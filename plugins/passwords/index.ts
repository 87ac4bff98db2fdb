import { definePlugin, type ImportedHash } from '../../kernel/index.ts'
import { hashPassword, isCurrent, verifyArgon2 } from './argon2.ts'
import { isBcrypt, preparedForBcrypt, verifyBcrypt } from './bcrypt.ts'
import { isPortable, verifyPortable } from './portable.ts'

/** Turns passwords into what may be stored, and checks them. Off the event loop, 25-40 ms each. */
export interface Passwords {
  /** The encoded hash of a password, with its algorithm, parameters and salt (argon2id, PHC string format). */
  hash(plain: string): Promise<string>
  /**
   * Whether the password is that of the hash: one of ours, or one that came with an import (bcrypt, the portable kind of
   * PHP programs). What is no hash admits nobody, and takes as long to say so as one of ours.
   */
  verify(plain: string, hash: string): Promise<boolean>
  /** Whether a hash that was found right should be replaced by a new one of the same password. */
  needsRehash(hash: string): boolean
}

declare module '../../kernel/index.ts' {
  interface Services {
    /** Hashes of passwords. */
    passwords: Passwords
  }
}

/** Provides the hashing of passwords. */
export default definePlugin({
  name: 'passwords',
  apply({ provide, vocabulary }) {
    provide('passwords', {
      hash: hashPassword,
      verify: (plain, hash) => verifyPassword(plain, hash, vocabulary.importedHash),
      needsRehash: (hash) => !isCurrent(hash),
    })
  },
})

function verifyPassword(plain: string, hash: string, imported: ImportedHash): Promise<boolean> {
  if (isBcrypt(hash)) return verifyBcrypt(plain, hash)
  if (isPortable(hash)) return verifyPortable(plain, hash)
  const inner = hash.startsWith(imported.prefix) ? hash.slice(imported.prefix.length) : ''
  if (isBcrypt(inner)) return verifyBcrypt(preparedForBcrypt(plain, imported), inner)
  return verifyArgon2(plain, hash)
}

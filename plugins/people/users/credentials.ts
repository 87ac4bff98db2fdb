import type { PluginContext } from '../../../kernel/index.ts'
import { errors } from './errors.ts'

/** Maximum length of a login name, in characters. */
export const LOGIN_LENGTH = 60
/** Maximum length of a password, in characters: hashing takes time that grows with it. */
const PASSWORD_LENGTH = 4096

/**
 * Returns why a text cannot be a login name, as the end of a sentence, or null. Logins are ASCII, so that logins that
 * look the same are the same.
 */
export function loginProblem(login: string): string | null {
  if (login === '') return 'is empty'
  if (login.length > LOGIN_LENGTH) return `is longer than ${LOGIN_LENGTH} characters`
  if (!/^[\w .@-]+$/.test(login)) return 'may only have the letters a to z, digits, spaces and . _ - @'
  if (login.trim() !== login || login.includes('  ')) return 'has a space at an end, or two in a row'
  return null
}

/** Whether a text can be a password. Backslashes are not allowed: clients and servers interpret them differently. */
export function isPassword(text: string): boolean {
  return text !== '' && text.length <= PASSWORD_LENGTH && !text.includes('\\')
}

/** A password given by its hash. */
export class HashedPassword {
  readonly hash: string

  constructor(hash: string) {
    this.hash = hash
  }
}

/** Returns the hash of a password. @throws rest_user_invalid_password, password_queue_full */
export async function hashOf(
  { passwords }: PluginContext['services'],
  password: string | HashedPassword,
): Promise<string> {
  if (password instanceof HashedPassword) return password.hash
  if (!isPassword(password)) throw errors.rest_user_invalid_password()
  return passwords.hash(password)
}

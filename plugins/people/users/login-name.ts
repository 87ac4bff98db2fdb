import { createHash } from 'node:crypto'
import { normalize } from '../../library/markup/index.ts'
import { loginProblem, LOGIN_LENGTH } from './credentials.ts'

/**
 * Returns the login that stands for a name of another site, which may allow other characters: unchanged if it can be a
 * login, otherwise without accents and without characters that logins must not contain. A name without any letter that
 * a login can contain becomes `user-` and a hash, so that the same name always becomes the same login.
 */
export function toLoginName(name: string): string {
  if (loginProblem(name) === null) return name
  const plain = normalize(name, 'NFKD')
    .replace(/\p{Mark}+/gu, '')
    .replaceAll('ß', 'ss')
  const login = plain
    .replace(/[^\w .@-]+/g, '')
    .replace(/ {2,}/g, ' ')
    .slice(0, LOGIN_LENGTH)
    .trim()
  return /\w/.test(login) ? login : `user-${createHash('sha256').update(name).digest('hex').slice(0, 12)}`
}

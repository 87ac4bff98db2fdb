import { hash } from 'node:crypto'
import { currentWork, VISITOR, type CurrentUser } from '../../../kernel/index.ts'

/** Cached views of frozen users. */
const views = new WeakMap<CurrentUser, string>()

/** Returns a key for the user and their rights; '' for visitors. Returns null if the user cannot be serialized. */
export function viewOf(user: CurrentUser): string | null {
  if (user === VISITOR) return ''
  const cached = views.get(user)
  if (cached !== undefined) return cached
  try {
    const view = `${user.id}:${hash('sha256', JSON.stringify(user), 'base64')}`
    if (Object.isFrozen(user)) views.set(user, view)
    return view
  } catch {
    // A plugin can add values to a user that cannot be serialized.
    return null
  }
}

/**
 * Returns a key for the scheme of URLs in the response to the running request: 'tls' if it came over TLS for the host of
 * the home URL (specification 4.1, rule 2), otherwise ''. Caches of texts with URLs of the REST API need it in their keys.
 */
export function schemeKey(): '' | 'tls' {
  return currentWork()?.root.isTls === true ? 'tls' : ''
}

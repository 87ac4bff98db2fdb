import { hash } from 'node:crypto'
import { VISITOR, type CurrentUser } from '../../../kernel/index.ts'

/** Of users that cannot change any more. */
const views = new WeakMap<CurrentUser, string>()

/** What tells readers apart: who they are and what they may; '' for visitors. Null where that is not known. */
export function viewOf(user: CurrentUser): string | null {
  if (user === VISITOR) return ''
  const known = views.get(user)
  if (known !== undefined) return known
  try {
    const view = `${user.id}:${hash('sha256', JSON.stringify(user), 'base64')}`
    if (Object.isFrozen(user)) views.set(user, view)
    return view
  } catch {
    // A plugin's user may be anything, but what is no JSON tells nobody apart.
    return null
  }
}

import { RestError, type HeaderMap } from '../../../../../kernel/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { formChanges, lostErrors, withoutLoss } from '../../parts/lost-updates.ts'
import { errorsByPath, type Schemas } from '../../parts/schema-fields.ts'
import { checkPanels, openPanels } from '../../parts/panels.ts'
import { typedUser, userChange, userValues, type ShownUser, type UserForm } from './user-fields.ts'

/** Fields by error code, for errors that do not name a field. */
const FIELDS_BY_ERROR_CODE: Readonly<Record<string, string>> = {
  rest_user_invalid_email: 'email',
  existing_user_email: 'email',
  existing_user_login: 'username',
  rest_user_invalid_username: 'username',
  rest_user_invalid_password: 'password',
  rest_user_invalid_role: 'roles',
  rest_user_invalid_slug: 'slug',
}

/**
 * Stores a submitted user form.
 * @param path `users/12`, or `users/me`
 * @returns null if it was stored, otherwise the form to show
 * @throws RestError an error that belongs to no field
 */
export async function saveUser(view: AdminView, path: string, schemas: Schemas): Promise<UserForm | null> {
  const { values, errors } = typedUser(view, schemas)
  const query = { context: 'edit' }
  const save = async (headers: HeaderMap): Promise<UserForm | null> => {
    const { data: user } = await view.ask<ShownUser>('GET', path, { query })
    const { changed, lost } = formChanges(view, values, userValues(view, user, schemas))
    const wrong = { ...errors, ...lostErrors(view, lost), ...(await checkPanels(view, 'user', user)) }
    if (Object.keys(wrong).length > 0) return { values, schemas, errors: wrong }
    const body = userChange(changed)
    const isChanged = Object.keys(changed).length > 0
    const { data } = isChanged ? await view.ask<ShownUser>('POST', path, { query, body, headers }) : { data: user }
    for (const panel of openPanels(view, 'user')) await panel.save?.(view, data, view.form)
    return null
  }
  try {
    return await withoutLoss(view, { path, query }, save)
  } catch (error) {
    return { values, schemas, errors: userErrors(error) }
  }
}

/** Returns the messages of a refused change by field name. @throws all other errors */
export function userErrors(error: unknown): Record<string, string> {
  if (!(error instanceof RestError) || error.status !== 400) throw error
  const found = errorsByPath(error)
  if (Object.keys(found).length > 0) return found
  const field = FIELDS_BY_ERROR_CODE[error.code]
  if (field === undefined) throw error
  return { [field]: error.message }
}

import { addQuery, escapeHtml, RestError, type PluginContext } from '../../public.ts'

/** The names and passwords of a refused request. */
interface Refused {
  readonly login: string
  readonly password: string
  /** Whether the response must not show whether the account exists. */
  readonly hidesAccounts: boolean
}

/**
 * Returns the error of a refused login with the codes and messages that clients know. They depend on whether the site
 * uses application passwords, because the check of these runs last there.
 */
export async function refusalOf(
  { has, services, urls, branding }: PluginContext,
  { login, password, hidesAccounts }: Refused,
): Promise<RestError> {
  const usesPasswords = has('application-passwords') && (await services.applicationPasswords.areUsed())
  if (!usesPasswords && login === '')
    return refused('empty_username', '<strong>Error:</strong> The username field is empty.')
  if (!usesPasswords && password === '')
    return refused('empty_password', '<strong>Error:</strong> The password field is empty.')
  if (!hidesAccounts && (await services.users.idOf(login)) === undefined) return unknownAccount(login, usesPasswords)
  if (usesPasswords) return refused('incorrect_password', 'The provided password is an invalid application password.')
  const lost = addQuery(urls.site(branding.loginPath), { action: 'lostpassword' })
  const name = `${login.includes('@') ? 'email address' : 'username'} <strong>${escapeHtml(login)}</strong>`
  return refused(
    'incorrect_password',
    `<strong>Error:</strong> The password you entered for the ${name} is incorrect. <a href="${lost}">Lost your password?</a>`,
  )
}

function unknownAccount(login: string, usesPasswords: boolean): RestError {
  if (login.includes('@'))
    return refused('invalid_email', '<strong>Error:</strong> Unknown email address. Check again or try your username.')
  const message = usesPasswords
    ? 'Unknown username. Check again or try your email address.'
    : `The username <strong>${escapeHtml(login)}</strong> is not registered on this site. If you are unsure of your username, try your email address instead.`
  return refused('invalid_username', `<strong>Error:</strong> ${message}`)
}

/** Returns an error with the code of a refused login as clients know it: in brackets, and always with status 403. */
export function refused(code: string, message: string): RestError {
  return new RestError(`[jwt_auth] ${code}`, message, { status: 403 })
}

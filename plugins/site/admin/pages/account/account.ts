import { cleanText, RestError, type SitePage } from '../../../../../kernel/index.ts'
import { html } from '../../../../library/markup/index.ts'
import { noticeHtml } from '../../frame/page.ts'
import { submittedScheme } from '../../frame/scheme.ts'
import type { AdminView } from '../../frame/view.ts'
import { textField } from '../../parts/fields.ts'
import { submittedListView } from '../../parts/list-view.ts'
import { routeSchemas } from '../../parts/route-schema.ts'
import type { AdminContent, AdminHandler } from '../../admin.ts'
import { createPassword, revokePassword, revokePasswords, type CreationResult } from '../users/application-passwords.ts'
import { accessHtml } from '../users/access.ts'
import { panelBoxes } from '../../parts/panels.ts'
import { saveUser, userErrors } from '../users/save-user.ts'
import { endSession, endSessions } from '../users/sessions.ts'
import { userFields, userValues, type ShownUser, type UserForm } from '../users/user-fields.ts'

/** Results of a submitted form, shown with the stored values. */
interface Shown {
  readonly profile?: UserForm
  readonly creation?: CreationResult
  /** Errors of the password form, by field. */
  readonly password?: Readonly<Record<string, string>>
}

const readMe = async (view: AdminView) =>
  (await view.ask<ShownUser>('GET', 'users/me', { query: { context: 'edit' } })).data

/** The account of the user: profile, password, sessions, application passwords. */
export async function show(view: AdminView, shown: Shown = {}): Promise<AdminContent> {
  const { t } = view
  const [me, schemas] = await Promise.all([readMe(view), routeSchemas(view, 'users/me')])
  const stored = userValues(view, me, schemas)
  const form = shown.profile ?? { values: stored, schemas, errors: {} }
  const isWrong = [shown.profile?.errors, shown.password].some((errors) => errors !== undefined)
  const wrong = shown.password ?? {}
  // The name that the site gives to users without one, if it hides usernames.
  const isUnnamed = me.name === `User ${me.id}`
  const passwordField = (name: string, label: string, complete: string) =>
    textField({
      name,
      label,
      value: '',
      type: 'password',
      error: wrong[name],
      required: true,
      attributes: html` autocomplete="${complete}"`,
    })
  return {
    ...(isWrong && { status: 400 }),
    main: html`${isWrong ? noticeHtml({ kind: 'error', text: t('Not saved. Please fix the highlighted fields.') }) : null}
      ${isUnnamed ? html`<p class="notice warning">${t('Other users see you as “{name}”. Enter a display name.', { name: me.name })}</p>` : null}
      <section>
        <h2>${t('Profile')}</h2>
        <p>${t('Username')}: <strong>${me.username}</strong></p>
        ${view.formStart('save', html` data-guard`)}${userFields(view, form, stored)}
        ${await panelBoxes(view, 'user', me)}
        <p><button type="submit" class="primary">${t('Update profile')}</button></p></form>
      </section>
      <section id="password">
        <h2>${t('Password')}</h2>
        <p>${t('Changing your password logs you out everywhere else.')}</p>
        ${view.formStart('password')}
        ${passwordField('current', t('Current password'), 'current-password')}
        ${passwordField('password', t('New password'), 'new-password')}
        ${passwordField('again', t('Confirm new password'), 'new-password')}
        <p><button type="submit">${t('Change password')}</button></p></form>
      </section>
      ${await accessHtml(view, view.user.id, shown.creation ?? null)}`,
  }
}

const back = (view: AdminView, part: string) => view.url('account') + part

export const actions: Readonly<Record<string, AdminHandler>> = {
  async save(view) {
    const { t } = view
    const profile = await saveUser(view, 'users/me', await routeSchemas(view, 'users/me'))
    return profile === null
      ? view.redirect(back(view, ''), { kind: 'done', text: t('Profile updated.') })
      : show(view, { profile })
  },
  async password(view) {
    const { t, request } = view
    const password = view.text('password')
    if (password !== view.text('again')) return show(view, { password: { again: t('The passwords don’t match.') } })
    const found = await view.plugin.services.login.confirm(request, view.text('current'))
    if (found instanceof RestError) {
      const isWait = found.status === 429
      return show(view, { password: { current: isWait ? found.message : t('The current password is incorrect.') } })
    }
    try {
      await view.ask('POST', 'users/me', { body: { password } })
    } catch (error) {
      return show(view, { password: userErrors(error) })
    }
    return loggedInAgain(view, back(view, ''), view.t('Password changed.'))
  },
  scheme: (view) => backWith(view, submittedScheme(view)),
  'list-view': (view) => backWith(view, submittedListView(view)),
  'end-session': async (view) => view.redirect(back(view, '#sessions'), await endSession(view, view.user.id)),
  'end-sessions': async (view) => view.redirect(back(view, '#sessions'), await endSessions(view, view.user.id)),
  'create-password': async (view) => show(view, { creation: await createPassword(view, 'me') }),
  'revoke-password': async (view) =>
    view.redirect(back(view, '#application-passwords'), await revokePassword(view, 'me')),
  'revoke-passwords': async (view) =>
    view.redirect(back(view, '#application-passwords'), await revokePasswords(view, 'me')),
}

/** Stores a preference in this browser, and goes back to the page with the form. */
function backWith(view: AdminView, cookie: string): SitePage {
  const back = view.plugin.services.plainPages.ownUrl(view.text('back'))
  const page = view.redirect(back ?? view.url(''))
  page.headers.append('Set-Cookie', cookie)
  return page
}

/**
 * Redirects with a new session for this browser, because the change of the password has ended all sessions of the user.
 * @param text of the notice
 */
export async function loggedInAgain(view: AdminView, url: string, text: string): Promise<SitePage> {
  const { sessions, sessionCookie } = view.plugin.services
  const { headers, ip, secure, user } = view.request
  const session = await sessions.create(user.id, { ip, agent: cleanText(headers.get('user-agent') ?? '') })
  const page = view.redirect(url, { kind: 'done', text })
  page.headers.append('Set-Cookie', sessionCookie.set(session, secure))
  return page
}

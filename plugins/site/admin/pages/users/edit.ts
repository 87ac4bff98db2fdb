import type { HeaderMap } from '../../../../../kernel/index.ts'
import { html, type PageHtml } from '../../../../library/markup/index.ts'
import { plainText } from '../../../../rendering/html/index.ts'
import { errors as adminErrors } from '../../errors.ts'
import { noticeHtml } from '../../frame/page.ts'
import type { AdminView } from '../../frame/view.ts'
import { choiceField, textField } from '../../parts/fields.ts'
import { formChanges, lostErrors, sentValues, shownValues, withoutLoss } from '../../parts/lost-updates.ts'
import { routeSchemas } from '../../parts/route-schema.ts'
import type { AdminAnswer, AdminHandler } from '../../admin.ts'
import { accessHtml } from './access.ts'
import { createPassword, revokePassword, revokePasswords, type CreationResult } from './application-passwords.ts'
import { generatePassword, passwordShown } from './new.ts'
import { totalOf } from '../../parts/filters.ts'
import { panelBoxes } from '../../parts/panels.ts'
import { roleChoices, roleLabels } from './role-choices.ts'
import { saveUser, userErrors } from './save-user.ts'
import { endSession, endSessions } from './sessions.ts'
import { userFields, userValues, type ShownUser, type UserForm } from './user-fields.ts'

/** Query of requests that read and change a user. */
const EDIT_QUERY = { context: 'edit' }

interface Shown {
  readonly profile?: UserForm
  readonly creation?: CreationResult
  /** Errors of the other forms, by field. */
  readonly errors?: Readonly<Record<string, string>>
}

/** The page of a user; the requesting user is redirected to the account page. */
export async function show(view: AdminView, shown: Shown = {}): Promise<AdminAnswer> {
  const { t } = view
  const id = idOf(view)
  if (id === view.user.id) return view.redirect(view.url('account'))
  const user = await read(view, id)
  const { users } = view.plugin.services
  const reaches = await users.reaches(view.user, id, view.request.scope)
  const [mayEdit, mayPromote, mayDelete] = [
    reaches && view.can('edit_user', { id }),
    reaches && view.can('promote_user', { id }),
    reaches && view.can('delete_user', { id }),
  ]
  const isWrong = shown.profile !== undefined || shown.errors !== undefined
  const sections = [
    mayEdit ? await profileSection(view, user, shown.profile) : factsSection(view, user),
    mayPromote ? rolesSection(view, user, shown.errors) : null,
    mayEdit ? passwordSection(view, shown.errors) : null,
    mayEdit ? await accessHtml(view, id, shown.creation ?? null) : null,
  ].filter((section) => section !== null)
  const remove = mayDelete
    ? html`<a class="button danger" href="${view.url('users/delete', { ids: id })}">${t('Delete…')}</a>`
    : null
  return {
    title: plainText(user.name) || user.username,
    ...(isWrong && { status: 400 }),
    headingActions: html`<a class="button" href="${view.url('content/post', { author: id })}">${t('Posts')}</a>
      ${remove}`,
    main: html`${isWrong ? noticeHtml({ kind: 'error', text: t('Not saved. Please fix the highlighted fields.') }) : null}
      <p>
        ${t('Username')}: <strong>${user.username}</strong> · ${t('Roles')}:
        ${roleLabels(view, user.roles) || t('No role')} ${await archiveLink(view, user)}
      </p>
      ${mayEdit ? null : html`<p>${t('You can view this user, but not edit them.')}</p>`} ${sections}`,
  }
}

/** Links to the archive of a user, which exists once they have published a post. */
async function archiveLink(view: AdminView, { id, link, name }: ShownUser): Promise<PageHtml | null> {
  const posts = await totalOf(view, 'posts', { author: id, status: 'publish' })
  if (posts === null || posts === 0) return null
  return html`· <a href="${link}">${view.t('View posts by {name}', { name: plainText(name) })}</a>`
}

export const actions: Readonly<Record<string, AdminHandler>> = {
  async save(view) {
    const id = idOf(view)
    const profile = await saveUser(view, `users/${id}`, await routeSchemas(view, `users/${id}`))
    return profile === null ? stored(view, id) : show(view, { profile })
  },
  async roles(view) {
    const id = idOf(view)
    const path = `users/${id}`
    const submittedRoles = view.texts('roles').filter((role) => role !== '')
    const change = async (headers: HeaderMap) => {
      const { roles: currentRoles } = await read(view, id)
      // Roles that the user cannot assign are not in the form and are preserved.
      const choices = new Set(roleChoices(view).map(({ value }) => value))
      const isChoice = (role: string) => choices.has(role)
      const values = { roles: submittedRoles.toSorted() }
      const { changed, lost } = formChanges(view, values, { roles: currentRoles.filter(isChoice).toSorted() })
      // A form without initial values, which an API client can send, skips the detection of conflicts.
      if (lost.length > 0 && 'roles' in sentValues(view)) return show(view, { errors: lostErrors(view, lost) })
      const roles = [...currentRoles.filter((role) => !isChoice(role)), ...submittedRoles]
      if ('roles' in changed) await view.ask('POST', path, { body: { roles }, headers })
      return stored(view, id)
    }
    try {
      return await withoutLoss(view, { path, query: EDIT_QUERY }, change)
    } catch (error) {
      return show(view, { errors: userErrors(error) })
    }
  },
  async password(view) {
    const { t } = view
    const id = idOf(view)
    const typed = view.text('password')
    const password = typed === '' ? generatePassword() : typed
    try {
      const { data } = await view.ask<ShownUser>('POST', `users/${id}`, {
        query: { context: 'edit' },
        body: { password },
      })
      return typed === '' ? passwordShown(view, data, password, t('Password changed.')) : stored(view, id)
    } catch (error) {
      return show(view, { errors: userErrors(error) })
    }
  },
  'end-session': async (view) => view.redirect(view.here(), await endSession(view, await editable(view))),
  'end-sessions': async (view) => view.redirect(view.here(), await endSessions(view, await editable(view))),
  'create-password': async (view) => show(view, { creation: await createPassword(view, idOf(view)) }),
  'revoke-password': async (view) => view.redirect(view.here(), await revokePassword(view, idOf(view))),
  'revoke-passwords': async (view) => view.redirect(view.here(), await revokePasswords(view, idOf(view))),
}

const stored = (view: AdminView, id: number) =>
  view.redirect(view.url(`users/${id}`), { kind: 'done', text: view.t('User updated.') })

/** Returns the ID in the path. @throws admin_page_not_found */
function idOf(view: AdminView): number {
  const text = view.params['id'] ?? ''
  if (!/^[1-9]\d{0,14}$/.test(text)) throw adminErrors.admin_page_not_found()
  return Number(text)
}

async function read(view: AdminView, id: number): Promise<ShownUser> {
  return (await view.ask<ShownUser>('GET', `users/${id}`, { query: EDIT_QUERY })).data
}

/**
 * Returns the ID of the user on the page. @throws admin_forbidden unless the REST API lets the requesting user edit
 * that user
 */
async function editable(view: AdminView): Promise<number> {
  const id = idOf(view)
  await read(view, id)
  const reaches = await view.plugin.services.users.reaches(view.user, id, view.request.scope)
  if (!reaches || !view.can('edit_user', { id })) throw adminErrors.admin_forbidden()
  return id
}

async function profileSection(view: AdminView, user: ShownUser, shown: UserForm | undefined): Promise<PageHtml> {
  const { t } = view
  const schemas = shown?.schemas ?? (await routeSchemas(view, `users/${user.id}`))
  const values = userValues(view, user, schemas)
  return html`<section>
    <h2>${t('Profile')}</h2>
    ${view.formStart('save', html` data-guard`)}${userFields(view, shown ?? { values, schemas, errors: {} }, values)}
    ${await panelBoxes(view, 'user', user)}
    <p><button type="submit" class="primary">${t('Save')}</button></p></form>
  </section>`
}

function factsSection(view: AdminView, user: ShownUser): PageHtml {
  const { t } = view
  return html`<dl class="facts">
    <dt>${t('Email address')}</dt>
    <dd>${user.email}</dd>
    <dt>${t('Registered')}</dt>
    <dd>${view.date(user.registered_date)}</dd>
  </dl>`
}

function rolesSection(view: AdminView, user: ShownUser, errors: Shown['errors']): PageHtml {
  const { t } = view
  const choices = roleChoices(view)
  const offered = new Set(choices.map(({ value }) => value))
  const field = choiceField({
    name: 'roles',
    label: t('Roles'),
    values: user.roles,
    choices,
    many: true,
    error: errors?.['roles'],
    hint: t('Users without a role can only log in.'),
  })
  return html`<section id="roles">
    <h2>${t('Roles and permissions')}</h2>
    ${view.formStart('roles')}${shownValues({ roles: user.roles.filter((role) => offered.has(role)).toSorted() })}${field}
    <p><button type="submit">${t('Update roles')}</button></p></form>
  </section>`
}

function passwordSection(view: AdminView, errors: Shown['errors']): PageHtml {
  const { t } = view
  const field = textField({
    name: 'password',
    label: t('New password'),
    value: '',
    type: 'password',
    error: errors?.['password'],
    hint: t('Leave empty to generate a password. Changing it logs the user out everywhere.'),
    attributes: html` autocomplete="new-password"`,
  })
  return html`<section id="password">
    <h2>${t('Password')}</h2>
    ${view.formStart('password')}${field}
    <p><button type="submit">${t('Change password')}</button></p></form>
  </section>`
}

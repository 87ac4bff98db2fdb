import { randomBytes } from 'node:crypto'
import { html } from '../../../../library/markup/index.ts'
import { noticeHtml } from '../../frame/page.ts'
import type { AdminView } from '../../frame/view.ts'
import { selectField, textField } from '../../parts/fields.ts'
import { routeSchemas } from '../../parts/route-schema.ts'
import type { AdminContent, AdminHandler } from '../../admin.ts'
import { roleChoices } from './role-choices.ts'
import { userErrors } from './save-user.ts'
import { textOf, typedUser, userChange, userFields, type ShownUser, type UserForm } from './user-fields.ts'

/** Generates a random password with 144 bits. */
export const generatePassword = (): string => randomBytes(18).toString('base64url')

/** Fields from which a user gets a display name. */
const NAME_FIELDS = ['first_name', 'last_name', 'nickname', 'name'] as const

/** Renders the form for a new user. */
export async function show(view: AdminView, shown?: UserForm): Promise<AdminContent> {
  const { t } = view
  const schemas = shown?.schemas ?? (await routeSchemas(view, 'users'))
  const form = shown ?? { values: {}, schemas, errors: {} }
  const choices = roleChoices(view)
  const role = view.text('role')
  const fallback = String(await view.plugin.services.options.get('default_role', 'subscriber'))
  const { errors } = form
  return {
    ...(shown !== undefined && { status: 400 }),
    main: html`${shown === undefined ? null : noticeHtml({ kind: 'error', text: t('Not saved. Please fix the highlighted fields.') })}
      ${view.formStart('save', html` data-guard`)}
      ${textField({
        name: 'username',
        label: t('Username'),
        value: view.text('username'),
        error: errors['username'],
        required: true,
        hint: t('Use letters a to z, digits, spaces and . _ - @. The username can’t be changed later.'),
        attributes: html` autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="60"`,
      })}
      ${selectField({ name: 'role', label: t('Role'), value: role || fallback, choices, error: errors['roles'] })}
      ${userFields(view, form, {})}
      ${textField({
        name: 'password',
        label: t('Password'),
        value: '',
        type: 'password',
        error: errors['password'],
        hint: t('Leave empty to generate a password.'),
        attributes: html` autocomplete="new-password"`,
      })}
      <p><button type="submit" class="primary">${t('Add user')}</button></p></form>`,
  }
}

export const actions: Readonly<Record<string, AdminHandler>> = {
  async save(view) {
    const { t } = view
    const schemas = await routeSchemas(view, 'users')
    const { values, errors } = typedUser(view, schemas)
    // Other users would see the user as “User 2”.
    const isUnnamed = NAME_FIELDS.every((name) => textOf(values, name).trim() === '')
    if (isUnnamed && view.plugin.services.users.hidesLogins)
      errors['name'] = t('Enter a display name. The site does not show usernames.')
    if (Object.keys(errors).length > 0) return show(view, { values, schemas, errors })
    const typed = view.text('password')
    const password = typed === '' ? generatePassword() : typed
    const filledValues = Object.fromEntries(
      Object.entries(values).filter(([, value]) => value !== '' && value !== null),
    )
    const role = view.text('role')
    const body = {
      ...userChange(filledValues),
      username: view.text('username'),
      password,
      ...(role !== '' && { roles: [role] }),
    }
    try {
      const { data } = await view.ask<ShownUser>('POST', 'users', { body })
      const url = view.url(`users/${data.id}`)
      const text = t('User {login} added.', { login: data.username })
      return typed === '' ? passwordShown(view, data, password, text) : view.redirect(url, { kind: 'done', text })
    } catch (error) {
      return show(view, { values, schemas, errors: userErrors(error) })
    }
  },
}

/** Renders a page with a generated password, which is shown only once. */
export function passwordShown(view: AdminView, user: ShownUser, password: string, text: string): AdminContent {
  const { t } = view
  return {
    title: t('Password for {login}', { login: user.username }),
    main: html`${noticeHtml({ kind: 'done', text })}
      <p>${t('Copy this password now. You won’t be able to see it again:')} <code class="secret">${password}</code></p>
      <p><a href="${view.url(`users/${user.id}`)}">${t('Edit user')}</a></p>`,
  }
}

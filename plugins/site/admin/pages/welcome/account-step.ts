import { html } from '../../../../library/markup/index.ts'
import { plainText } from '../../../../rendering/html/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { textField } from '../../parts/fields.ts'
import { loggedInAgain } from '../account/account.ts'
import { userErrors } from '../users/save-user.ts'
import type { ShownUser } from '../users/user-fields.ts'
import type { Step } from './step.ts'

/** The step that replaces the printed password, and sets the display name and the email address of the user. */
export const accountStep: Step = {
  async show(view, typed) {
    const { t } = view
    const { username, ...me } = await readMe(view)
    const values = { name: plainText(me.name), email: me.email, ...typed?.values }
    const errors = typed?.errors ?? {}
    const passwordField = (name: string, label: string, hint?: string) =>
      textField({
        name,
        label,
        value: '',
        type: 'password',
        error: errors[name],
        ...(hint !== undefined && { hint }),
        attributes: html` autocomplete="new-password"`,
      })
    return {
      about: html`<p>
        ${t('You are logged in as {name}. The password that was printed at the first start is temporary.', { name: username })}
      </p>`,
      fields: html`${textField({
        name: 'name',
        label: t('Display name'),
        value: values.name,
        error: errors['name'],
        hint: t('Shown with your posts and comments.'),
        attributes: html` autocomplete="name" maxlength="250"`,
      })}
      ${textField({
        name: 'email',
        label: t('Email address'),
        value: values.email,
        type: 'email',
        error: errors['email'],
        hint: t('Not shown to visitors.'),
        attributes: html` autocomplete="email"`,
      })}
      ${passwordField('password', t('New password'), t('Leave empty to keep your current password.'))}
      ${passwordField('again', t('Confirm new password'))}`,
      button: t('Save and continue'),
      isWrong: typed !== undefined,
    }
  },
  async save(view, next) {
    const { t } = view
    const me = await readMe(view)
    const values = { name: view.text('name').trim(), email: view.text('email').trim() }
    const password = view.text('password')
    if (password !== view.text('again')) return { values, errors: { again: t('The passwords don’t match.') } }
    if (values.name === '') return { values, errors: { name: t('Enter a display name.') } }
    const body = {
      ...(values.name !== plainText(me.name) && { name: values.name }),
      ...(values.email !== me.email && { email: values.email }),
      ...(password !== '' && { password }),
    }
    try {
      if (Object.keys(body).length > 0) await view.ask('POST', 'users/me', { body })
    } catch (error) {
      return { values, errors: userErrors(error) }
    }
    const url = await next()
    return { redirect: password === '' ? view.redirect(url) : await loggedInAgain(view, url, t('Password changed.')) }
  },
}

async function readMe(view: AdminView): Promise<ShownUser> {
  return (await view.ask<ShownUser>('GET', 'users/me', { query: { context: 'edit' } })).data
}

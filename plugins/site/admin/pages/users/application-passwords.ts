import { RestError } from '../../../../../kernel/index.ts'
import { html, type PageHtml } from '../../../../library/markup/index.ts'
import type { Notice } from '../../frame/notice.ts'
import type { AdminView } from '../../frame/view.ts'
import { checkbox, textField } from '../../parts/fields.ts'
import { errorsByPath } from '../../parts/schema-fields.ts'
import { tableHtml } from '../../parts/table.ts'

interface ShownPassword {
  readonly uuid: string
  readonly name: string
  readonly created: string
  readonly last_used: string | null
  readonly last_ip: string | null
  readonly scopes?: readonly string[]
}

/** The result of a form that creates an application password. */
export interface CreationResult {
  /** The new password, which is shown only once. */
  readonly secret?: string
  readonly name: string
  readonly accounts?: boolean
  readonly error?: string
}

/**
 * Renders the application passwords of a user with a form that creates one; null if the user cannot see them. @param
 * userId ID, or `me`
 */
export async function applicationPasswordsHtml(
  view: AdminView,
  userId: number | 'me',
  creation: CreationResult | null,
): Promise<PageHtml | null> {
  const { t } = view
  let list: readonly ShownPassword[]
  try {
    list = (await view.ask<ShownPassword[]>('GET', `users/${userId}/application-passwords`)).data
  } catch (error) {
    if (!(error instanceof RestError) || (error.status >= 500 && error.status !== 501)) throw error
    return null
  }
  const rows = list.map(({ uuid, name, created, last_used: used, last_ip: ip, scopes = [] }) => [
    scopes.includes('accounts') ? html`${name} <span class="badge">${t('Can manage accounts')}</span>` : name,
    view.date(created),
    html`${used === null ? t('Never') : view.date(used)} ${ip}`,
    view.button(t('Revoke'), 'revoke-password', { uuid }, html` aria-label="${t('Revoke {name}', { name })}"`),
  ])
  const columns = [t('Name'), t('Created'), t('Last used'), t('Actions')]
  const table =
    list.length === 0
      ? null
      : html`${tableHtml({ caption: t('Application passwords'), columns, rows })}
        ${list.length > 1 ? view.button(t('Revoke all'), 'revoke-passwords', {}, html` data-confirm="${t('Revoke all application passwords? Apps that use them will be logged out.')}"`) : null}`
  const secret =
    creation?.secret === undefined
      ? null
      : html`<div class="notice done" role="status" id="new-password">
          <p>
            ${t('Your new password for {name}. Copy it now; you won’t be able to see it again:', { name: creation.name })}
          </p>
          <p><code class="secret">${creation.secret}</code></p>
        </div>`
  return html`<p>${t('Application passwords let other apps sign in as this user without the main password. Revoke them at any time.')}</p>
    ${secret} ${table}
    ${view.formStart('create-password', html` class="filters"`)}
    ${textField({
      name: 'program',
      label: t('Application name'),
      value: creation?.secret === undefined ? (creation?.name ?? '') : '',
      error: creation?.error,
      required: true,
      attributes: html` maxlength="200"`,
    })}
    ${checkbox({
      name: 'accounts',
      label: t('Can manage accounts'),
      hint: t('Allows changes to passwords, email addresses, roles, users and application passwords.'),
      checked: creation?.secret === undefined && creation?.accounts === true,
    })}
    <button type="submit">${t('Add application password')}</button></form>`
}

/** Creates an application password with the submitted name. */
export async function createPassword(view: AdminView, userId: number | 'me'): Promise<CreationResult> {
  const name = view.text('program')
  const accounts = view.text('accounts') !== ''
  try {
    const path = `users/${userId}/application-passwords`
    const body = { name, ...(accounts && { scopes: ['accounts'] }) }
    const { data } = await view.ask<{ password: string; name: string }>('POST', path, { body })
    return { name: data.name, secret: data.password }
  } catch (error) {
    if (!(error instanceof RestError) || error.status !== 400) throw error
    return { name, accounts, error: errorsByPath(error)['name'] ?? error.message }
  }
}

/** Revokes the application password of a submitted form. */
export async function revokePassword(view: AdminView, userId: number | 'me'): Promise<Notice> {
  const uuid = encodeURIComponent(view.text('uuid'))
  await view.ask('DELETE', `users/${userId}/application-passwords/${uuid}`)
  return { kind: 'done', text: view.t('Application password revoked.') }
}

/** Revokes all application passwords of a user. */
export async function revokePasswords(view: AdminView, userId: number | 'me'): Promise<Notice> {
  await view.ask('DELETE', `users/${userId}/application-passwords`)
  return { kind: 'done', text: view.t('Application passwords revoked.') }
}

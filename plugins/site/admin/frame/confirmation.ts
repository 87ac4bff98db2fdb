import { RestError, type Branding } from '../../../../kernel/index.ts'
import { html, PageHtml } from '../../../library/markup/index.ts'
import type { AdminContent } from '../admin.ts'
import { textField } from '../parts/fields.ts'
import type { AdminView } from './view.ts'

/**
 * Names in forms: the field with the current password of the user, and the action that only confirms it. Both contain
 * the branding word, so that they cannot collide with names of plugins.
 */
export function confirmationNames({ word }: Branding): { field: string; action: string } {
  return { field: `_${word}_current_password`, action: `_${word}_confirm` }
}

/** Whether a change was refused because the user has to enter their password again. */
export function isConfirmationRequired(error: unknown): boolean {
  return error instanceof RestError && error.code === 'rest_confirmation_required'
}

/**
 * Renders a page that asks for the current password and then submits the original form again. Files cannot be submitted
 * again: the user is sent back to the form.
 * @param refused the error for the entered password; null before a password was entered
 */
export function confirmationPage(view: AdminView, refused: RestError | null): AdminContent {
  const { t, form, files } = view
  const { branding } = view.plugin
  const { [branding.nonceParameter]: _, ...sent } = form
  const again = files.length > 0 ? { do: confirmationNames(branding).action } : sent
  const text = t(
    'Enter your current password to change passwords, email addresses, roles, users or application passwords.',
  )
  const reminder =
    files.length > 0 ? html`<p>${t('You’ll need to select the files and fill in the other fields again.')}</p>` : null
  return {
    title: t('Confirm your password'),
    status: refused?.status ?? 403,
    main: passwordForm(view, again, {
      above: html`<p>${text}</p>
        ${reminder}`,
      refused,
    }),
  }
}

/**
 * Returns a form that asks only for the current password. Show it in place of a form with files if the user has not
 * entered their password recently (`sessions.isConfirmed`), because the upload would be refused.
 * @param above text above the field
 */
export function confirmFirst(view: AdminView, above: PageHtml): PageHtml {
  return passwordForm(view, { do: confirmationNames(view.plugin.branding).action }, { above, refused: null })
}

/** @param again fields that the form submits together with the password */
function passwordForm(
  view: AdminView,
  again: Readonly<Record<string, unknown>>,
  { above, refused }: { above: PageHtml; refused: RestError | null },
): PageHtml {
  const { t } = view
  // In parts: Prettier would add an end tag to a start tag in the template.
  const [start, end] = [new PageHtml('<form method="post"'), new PageHtml('>')]
  return html`${start} action="${view.here()}"${end}${view.formFields()}${hiddenFields('', again)}
    ${above}
    ${textField({
      name: confirmationNames(view.plugin.branding).field,
      label: t('Current password'),
      value: '',
      type: 'password',
      error: refused === null ? undefined : t(refused.message),
      required: true,
      attributes: html` autocomplete="current-password" autofocus`,
    })}
    <p class="actions">
      <button type="submit" class="primary">${t('Confirm')}</button>
      <a href="${view.here()}">${t('Cancel')}</a>
    </p></form>`
}

/** Renders the values of a form as hidden fields with the same names. */
function hiddenFields(name: string, value: unknown): PageHtml[] {
  if (typeof value === 'string') return [html`<input type="hidden" name="${name}" value="${value}" />`]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, one]) => hiddenFields(name === '' ? key : `${name}[${key}]`, one))
}

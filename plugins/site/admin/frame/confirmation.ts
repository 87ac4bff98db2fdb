import { RestError, type Branding } from '../../../../kernel/index.ts'
import { html, PageHtml } from '../../../library/markup/index.ts'
import type { AdminContent } from '../admin.ts'
import { textField } from '../parts/fields.ts'
import type { AdminView } from './view.ts'

/**
 * Names in forms: the field with the current password of the user, and the action that confirms it and does nothing else.
 * They carry the word, so that plugins can use any other name.
 */
export function confirmationNames({ word }: Branding): { field: string; action: string } {
  return { field: `_${word}_current_password`, action: `_${word}_confirm` }
}

/** Whether a change was refused because the user has to enter their password again. */
export function isConfirmationRequired(error: unknown): boolean {
  return error instanceof RestError && error.code === 'rest_confirmation_required'
}

/**
 * A page that asks for the current password, and then sends the form that was sent before. Files cannot be sent again: the
 * user is led back to their form.
 * @param refused why the password that was entered is refused; null before one was entered
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
 * A form that asks for the current password only. Show it in place of a form with files if the session is not confirmed: the
 * files would be sent in vain.
 * @param above what the user reads above the field
 */
export function confirmFirst(view: AdminView, above: PageHtml): PageHtml {
  return passwordForm(view, { do: confirmationNames(view.plugin.branding).action }, { above, refused: null })
}

/** @param again what the form sends along with the password */
function passwordForm(
  view: AdminView,
  again: Readonly<Record<string, unknown>>,
  { above, refused }: { above: PageHtml; refused: RestError | null },
): PageHtml {
  const { t } = view
  // In pieces, or the formatter of templates would close the form.
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

/** The values of a form as hidden fields, under the names that they were sent with. */
function hiddenFields(name: string, value: unknown): PageHtml[] {
  if (typeof value === 'string') return [html`<input type="hidden" name="${name}" value="${value}" />`]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, one]) => hiddenFields(name === '' ? key : `${name}[${key}]`, one))
}

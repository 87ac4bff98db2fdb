import { html, type PageHtml } from '../../../../library/markup/index.ts'
import { plainText } from '../../../../rendering/html/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { selectField, textArea, textField } from '../../parts/fields.ts'
import { shownMeta } from '../../parts/locked-meta.ts'
import { shownValues } from '../../parts/lost-updates.ts'
import { schemaFields, schemaValues, type Schemas, type Values } from '../../parts/schema-fields.ts'

/** A user as the REST API returns it in the context `edit`. */
export interface ShownUser extends Readonly<Record<string, unknown>> {
  readonly id: number
  readonly username: string
  readonly name: string
  readonly email: string
  readonly roles: readonly string[]
  readonly registered_date: string
  readonly link: string
  readonly avatar_urls?: Readonly<Record<string, string>>
  readonly meta?: Values
}

/** The data of a user form. */
export interface UserForm {
  readonly values: Values
  readonly schemas: Schemas
  readonly errors: Readonly<Record<string, string>>
}

const TEXT_FIELDS = ['first_name', 'last_name', 'nickname', 'name', 'email', 'url', 'description', 'locale'] as const
/** Texts that are stored HTML-escaped. */
const ESCAPED_FIELDS: ReadonlySet<string> = new Set(['first_name', 'last_name', 'nickname', 'name'])

/** Returns the initial values of the user fields. */
export function userValues(view: AdminView, user: Values, schemas: Schemas): Values {
  const texts = TEXT_FIELDS.map((name) => {
    const text = textOf(user, name)
    return [name, ESCAPED_FIELDS.has(name) ? plainText(text) : text] as const
  })
  const meta = (user['meta'] ?? {}) as Values
  const shown = Object.keys(metaSchemas(view, schemas)).map((name) => [`meta.${name}`, meta[name] ?? null] as const)
  return Object.fromEntries([...texts, ...shown])
}

/** Returns the submitted values by the same names, with validation errors. */
export function typedUser(view: AdminView, schemas: Schemas): { values: Values; errors: Record<string, string> } {
  const texts = TEXT_FIELDS.filter((name) => typeof view.form[name] === 'string').map(
    (name) => [name, view.text(name).replaceAll('\r\n', '\n')] as const,
  )
  const { values, errors } = schemaValues(
    view,
    { schemas: metaSchemas(view, schemas), name: 'meta' },
    view.form['meta'],
  )
  const meta = Object.entries(values).map(([name, value]) => [`meta.${name}`, value] as const)
  return { values: Object.fromEntries([...texts, ...meta]), errors }
}

/** Builds the request body for a change. @param changed values by the names of `userValues` */
export function userChange(changed: Values): Record<string, unknown> {
  const change: Record<string, unknown> = {}
  const meta: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(changed)) {
    if (name.startsWith('meta.')) meta[name.slice('meta.'.length)] = value
    else change[name] = value
  }
  return Object.keys(meta).length > 0 ? { ...change, meta } : change
}

/** Renders the fields of a user with their initial values. */
export function userFields(view: AdminView, { values, schemas, errors }: UserForm, stored: Values): PageHtml {
  const { t } = view
  const text = (name: string, label: string, more: { hint?: string; type?: string; complete?: string } = {}) =>
    textField({
      name,
      label,
      value: textOf(values, name),
      error: errors[name],
      // The email address is required for new users only.
      required: name === 'email' && stored[name] === undefined,
      ...(more.hint !== undefined && { hint: more.hint }),
      ...(more.type !== undefined && { type: more.type }),
      ...(more.complete !== undefined && { attributes: html` autocomplete="${more.complete}"` }),
    })
  const locales = (schemas['locale']?.enum ?? ['']).map((one) => String(one))
  const locale = textOf(values, 'locale')
  const choices = [...new Set([...locales, locale])].map((value) => ({
    value,
    label: value === '' ? t('Site default') : languageName(view, value),
  }))
  const own = metaSchemas(view, schemas)
  const meta = Object.fromEntries(Object.keys(own).map((name) => [name, values[`meta.${name}`]]))
  const further = [...schemaFields(view, { schemas: own, values: meta, name: 'meta', errors }).values()]
  return html`${shownValues(stored)} ${text('first_name', t('First name'))} ${text('last_name', t('Last name'))}
  ${text('nickname', t('Nickname'))}
  ${text('name', t('Display name'), { hint: t('Shown with posts and comments, and to other users while this user edits content.') })}
  ${text('email', t('Email address'), { type: 'email', complete: 'off' })}
  ${text('url', t('Website'), { type: 'url', hint: t('Full URL, such as https://example.com') })}
  ${textArea({
    name: 'description',
    label: t('Biographical info'),
    value: textOf(values, 'description'),
    error: errors['description'],
    hint: t('May be shown publicly.'),
  })}
  ${selectField({
    name: 'locale',
    label: t('Language'),
    value: locale,
    choices,
    error: errors['locale'],
    hint: t('Admin language'),
  })}
  ${further}`
}

/** Returns a text value; `''` if it is missing. */
export function textOf(values: Values, name: string): string {
  const value = values[name]
  return typeof value === 'string' ? value : ''
}

function metaSchemas(view: AdminView, schemas: Schemas): Schemas {
  return shownMeta(view, 'user', '', schemas['meta']?.properties ?? {})
}

/** Returns the name of a language in the language of the page: `German (Austria)` for `de_AT`. */
export function languageName({ words }: Pick<AdminView, 'words'>, locale: string): string {
  try {
    const tag = locale.replaceAll('_', '-')
    return new Intl.DisplayNames([words.language], { type: 'language' }).of(tag) ?? locale
  } catch {
    return locale
  }
}

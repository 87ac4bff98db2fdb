import type { AdminView } from '../../public.ts'
import { flagOf, textOf, textsOf, valuesOf, type Values } from './definitions.ts'
import type { DefinitionKind } from './service.ts'

/** A definition in the form of the admin. */
export interface DefinitionForm {
  readonly kind: DefinitionKind
  readonly name: string
  /** In the form of Custom Post Type UI. */
  readonly values: Values
  /** One label per line: `add_new_item: Add a book`. */
  readonly labels: string
}

/** Messages by field. */
export type FormErrors = Readonly<Record<string, string>>

/** Fields that types and taxonomies have, and their default for new definitions. */
const FLAGS: Readonly<Record<DefinitionKind, Readonly<Record<string, boolean>>>> = {
  type: {
    public: true,
    publicly_queryable: true,
    hierarchical: false,
    show_ui: true,
    show_in_rest: true,
    has_archive: false,
    exclude_from_search: false,
    rewrite: true,
    rewrite_withfront: true,
  },
  taxonomy: {
    public: true,
    publicly_queryable: true,
    hierarchical: false,
    show_ui: true,
    show_in_rest: true,
    show_admin_column: true,
    rewrite: true,
    rewrite_withfront: true,
    rewrite_hierarchical: false,
  },
}
const TEXTS: Readonly<Record<DefinitionKind, readonly string[]>> = {
  type: [
    'label',
    'singular_label',
    'description',
    'rest_base',
    'has_archive_string',
    'rewrite_slug',
    'menu_position',
    'menu_icon',
    'custom_supports',
  ],
  taxonomy: ['label', 'singular_label', 'description', 'rest_base', 'rewrite_slug'],
}

/** Returns the form of a new definition. */
export function newForm(kind: DefinitionKind): DefinitionForm {
  const flags = Object.entries(FLAGS[kind]).map(([name, isOn]) => [name, String(isOn)] as const)
  const supports = kind === 'type' ? { supports: ['title', 'editor', 'thumbnail'] } : {}
  return { kind, name: '', values: { ...Object.fromEntries(flags), ...supports }, labels: '' }
}

/** Returns the form of a stored definition. */
export function storedForm(kind: DefinitionKind, name: string, values: Values): DefinitionForm {
  const labels = Object.entries(valuesOf(values['labels'])).filter(([, label]) => textOf(label) !== '')
  return { kind, name, values, labels: labels.map(([label, text]) => `${label}: ${textOf(text)}`).join('\n') }
}

/** Whether a field of a form is on. Missing values have the defaults of served definitions. */
export function isOn({ kind, values }: DefinitionForm, name: string): boolean {
  if (name === 'publicly_queryable') return flagOf(values[name], flagOf(values['public'], true))
  const isOff = name === 'rewrite_withfront' || name === 'show_admin_column'
  return flagOf(values[name], !isOff && FLAGS[kind][name] === true)
}

/** Returns the submitted form. Values that the form does not contain stay. */
export function sentForm(view: AdminView, before: DefinitionForm): DefinitionForm {
  const { kind } = before
  const values: Record<string, unknown> = { ...before.values }
  for (const name of TEXTS[kind]) values[name] = view.text(name).trim()
  for (const name of Object.keys(FLAGS[kind])) values[name] = view.text(name) === '1' ? 'true' : 'false'
  if (kind === 'type') {
    const supports = view.texts('supports')
    values['supports'] = supports.length > 0 ? supports : ['none']
    values['taxonomies'] = view.texts('taxonomies')
  } else values['object_types'] = view.texts('object_types')
  const name = before.name === '' ? view.text('name').trim() : before.name
  return { kind, name, values, labels: view.text('labels').replaceAll('\r\n', '\n') }
}

/** Returns the definition to store. */
export function definitionOf({ values, labels }: DefinitionForm): Values {
  const entries = linesOf(labels).map((line) => {
    const at = line.indexOf(':')
    return [line.slice(0, at).trim(), line.slice(at + 1).trim()] as const
  })
  return { ...values, labels: Object.fromEntries(entries) }
}

/**
 * Checks a form.
 * @param isNew whether the name has to be free
 */
export function errorsOf(view: AdminView, form: DefinitionForm, stored: ReadonlyMap<string, Values>, isNew: boolean) {
  const { t } = view
  const { kind, labels, name, values } = form
  const errors: Record<string, string> = {}
  const text = (field: string) => textOf(values[field])
  if (isNew && stored.has(name)) errors['name'] = t('This name is in use. Choose another name.')
  if (text('label') === '') errors['label'] = t('Enter a name.')
  if (text('singular_label') === '') errors['singular_label'] = t('Enter a name.')
  if (!/^(?:[a-z0-9_-]+(?:\/[a-z0-9_-]+)*)?$/.test(text('rest_base')))
    errors['rest_base'] = t('Use lower-case letters, digits, “-”, “_” and “/”.')
  else if (isOn(form, 'show_in_rest') && isTaken(view, form))
    errors['rest_base'] = t('Another route of the REST API has this name.')
  for (const field of ['rewrite_slug', 'has_archive_string'])
    if (!/^[\p{L}\p{N}\p{M}/_-]*$/u.test(text(field))) errors[field] = t('Use letters, digits, “-”, “_” and “/”.')
  if (!/^\d{0,3}$/.test(text('menu_position'))) errors['menu_position'] = t('Enter a number.')
  if (linesOf(labels).some((line) => !/^\s*[a-z_]+\s*:/.test(line)))
    errors['labels'] = t('Begin each line with the name of a label and a colon.')
  if (kind === 'taxonomy' && textsOf(values['object_types']).length === 0)
    errors['object_types'] = t('Select at least one content type.')
  return errors
}

/** Whether a route of another type, taxonomy or plugin has the name that a definition wants. */
function isTaken(view: AdminView, { kind, name, values }: DefinitionForm): boolean {
  const { branding, server, services } = view.plugin
  const { contentTypes, taxonomies } = services
  const base = textOf(values['rest_base']) || name
  const own = kind === 'type' ? contentTypes.get(name) : taxonomies.get(name)
  if (own?.rest_base === base) return false
  const namespace = textOf(values['rest_namespace']) || branding.namespace('v2')
  return server.routes.has(`/${namespace}/${base}`)
}

const linesOf = (text: string) => text.split('\n').filter((line) => line.trim() !== '')

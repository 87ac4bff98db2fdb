import type { AdminView } from '../../public.ts'
import { isBranch, newBranch, partOf, rowsAt, rowsBranch, textAt, type FormBranch, type FormTree } from './form-tree.ts'
import { isMultiple, isSet, textSetting, type Field, type Layout } from './model.ts'
import { valueFields } from './shape.ts'

/** How a form shows a field. */
export type InputKind =
  | 'text'
  | 'lines'
  | 'number'
  | 'flag'
  | 'choice'
  | 'choices'
  | 'file'
  | 'id'
  | 'ids'
  | 'date'
  | 'datetime'
  | 'time'
  | 'link'
  | 'group'
  | 'rows'
  | 'layouts'
  | 'json'

const KINDS: Readonly<Record<string, InputKind>> = {
  text: 'text',
  password: 'text',
  email: 'text',
  url: 'text',
  oembed: 'text',
  color_picker: 'text',
  textarea: 'lines',
  wysiwyg: 'lines',
  number: 'number',
  range: 'number',
  true_false: 'flag',
  checkbox: 'choices',
  radio: 'choice',
  button_group: 'choice',
  image: 'file',
  file: 'file',
  gallery: 'ids',
  date_picker: 'date',
  date_time_picker: 'datetime',
  time_picker: 'time',
  link: 'link',
  group: 'group',
  clone: 'group',
  repeater: 'rows',
  flexible_content: 'layouts',
}
const REFERENCES: ReadonlySet<string> = new Set(['post_object', 'relationship', 'taxonomy', 'user'])

export function kindOf(field: Field): InputKind {
  if (field.type === 'select') return isMultiple(field) ? 'choices' : 'choice'
  if (field.type === 'page_link') return isMultiple(field) ? 'ids' : 'text'
  if (REFERENCES.has(field.type)) return isMultiple(field) ? 'ids' : 'id'
  return KINDS[field.type] ?? 'json'
}

/** Types whose emptied field has an empty text as value; the value of other types is removed. */
const EMPTY_TEXTS: ReadonlySet<string> = new Set(['text', 'textarea', 'wysiwyg', 'password'])

/** Returns the fields of a form with the values of an object. @param values in the format `light`, by name */
export function treeOfValues(fields: readonly Field[], values: unknown): FormBranch {
  const entries = valueFields(fields).map((field) => [
    partOf(field.key),
    treeOfValue(field, isRecord(values) ? values[field.name] : undefined),
  ])
  return newBranch(Object.fromEntries(entries) as FormBranch)
}

function treeOfValue(field: Field, value: unknown): FormTree {
  switch (kindOf(field)) {
    case 'flag':
      return value === true ? '1' : ''
    case 'choices':
      return listOf(value).map(textOf)
    case 'ids':
      return listOf(value).map(textOf).join(', ')
    case 'date':
      return textOf(value).replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')
    case 'datetime':
      return textOf(value).replace(' ', 'T')
    case 'link':
      return newBranch(Object.fromEntries(LINK.map((name) => [name, isRecord(value) ? textOf(value[name]) : ''])))
    case 'group':
      return treeOfValues(field.fields, value)
    case 'rows':
      return rowsBranch(listOf(value).map((row) => treeOfValues(field.fields, row)))
    case 'layouts':
      return rowsBranch(
        listOf(value).flatMap((row) => {
          const layout = isRecord(row) ? layoutOf(field, textOf(row['acf_fc_layout'])) : undefined
          return layout === undefined ? [] : [{ ...treeOfValues(layout.fields, row), _layout: layout.name }]
        }),
      )
    case 'json':
      return value === null || value === undefined || value === '' || value === false
        ? ''
        : JSON.stringify(value, null, 2)
    case 'choice':
    case 'file':
    case 'id':
    case 'lines':
    case 'number':
    case 'text':
    case 'time':
      return textOf(value)
  }
}

const LINK = ['title', 'url', 'target'] as const

export const layoutOf = (field: Field, name: string): Layout | undefined =>
  field.layouts.find((layout) => layout.name === name)

/** Values of a form by name, and messages by the place of the field: `field_1.0.field_2`. */
export interface SentValues {
  readonly values: Record<string, unknown>
  readonly errors: Record<string, string>
}

/** Returns the values of a form, as the REST API accepts them. Fields that the form lacks have none. */
export function sentValues(view: AdminView, fields: readonly Field[], tree: FormBranch): SentValues {
  const errors: Record<string, string> = {}
  return { values: valuesOf(view, fields, tree, '', errors), errors }
}

function valuesOf(
  view: AdminView,
  fields: readonly Field[],
  tree: FormTree,
  prefix: string,
  errors: Record<string, string>,
): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const field of valueFields(fields)) {
    const part = partOf(field.key)
    const sent = isBranch(tree) ? tree[part] : undefined
    if (sent === undefined) continue
    const place = `${prefix}${part}`
    const value = valueOf(view, field, sent, place, errors)
    values[field.name] = value
    // Fields with conditions can be hidden in WordPress.
    if (field.isRequired && isBlank(value) && !isSet(field, 'conditional_logic'))
      errors[place] ??= view.t('Fill in this field.')
  }
  return values
}

function valueOf(
  view: AdminView,
  field: Field,
  sent: FormTree,
  place: string,
  errors: Record<string, string>,
): unknown {
  const text = typeof sent === 'string' ? sent : ''
  switch (kindOf(field)) {
    case 'flag':
      return text === '1'
    case 'number':
      return text.trim() === '' ? null : numberOf(text)
    case 'choices': {
      const chosen = (Array.isArray(sent) ? (sent as string[]) : []).filter((one) => one !== '')
      return chosen.length === 0 && field.type === 'select' && !isSet(field, 'allow_null') ? null : chosen
    }
    case 'file':
    case 'id':
      return text.trim() === '' ? null : numberOf(text)
    case 'ids': {
      const ids = text.split(/[\s,]+/).filter((one) => one !== '')
      return ids.length === 0 ? null : ids.map(numberOf)
    }
    case 'date':
      return text === '' ? null : text.replace(/^(\d{4})-(\d\d)-(\d\d)$/, '$1$2$3')
    case 'datetime':
      return text === '' ? null : withSeconds(text.replace('T', ' '))
    case 'time':
      return text === '' ? null : withSeconds(text)
    case 'link': {
      const link = Object.fromEntries(LINK.map((name) => [name, textAt(sent, name).trim()]))
      return Object.values(link).every((one) => one === '') ? null : link
    }
    case 'group':
      return valuesOf(view, field.fields, sent, `${place}.`, errors)
    case 'rows':
    case 'layouts':
      return rowValues(view, field, sent, place, errors)
    case 'json':
      return jsonOf(view, text, place, errors)
    case 'choice':
    case 'lines':
    case 'text': {
      if (text === '' && !EMPTY_TEXTS.has(field.type)) return null
      return field.type === 'page_link' ? numberOf(text.trim()) : text
    }
  }
}

/** Returns the rows in the order of their positions, without removed rows and empty new ones. */
function rowValues(
  view: AdminView,
  field: Field,
  sent: FormTree,
  place: string,
  errors: Record<string, string>,
): unknown[] {
  const wrapped = newBranch({ rows: sent })
  const rows = rowsAt(wrapped, 'rows').map((row, index) => {
    const own: Record<string, string> = {}
    const layout = layoutOf(field, textAt(row, '_layout'))
    const fields = kindOf(field) === 'rows' ? field.fields : (layout?.fields ?? [])
    const values = valuesOf(view, fields, row, `${place}.${index}.`, own)
    const isNew = textAt(row, '_new') === '1'
    const isGone = textAt(row, '_remove') === '1' || (isNew && (layout === undefined ? isBlank(values) : false))
    const isUnknown = kindOf(field) === 'layouts' && layout === undefined
    if (isGone || isUnknown) return null
    // A new row of a layout has no fields yet.
    const missing = isNew && layout !== undefined ? emptyValues(fields) : {}
    Object.assign(errors, own)
    const position = Number(textAt(row, '_order') || index + 1)
    return {
      position: Number.isFinite(position) ? position : index + 1,
      values: { ...missing, ...values, ...(layout !== undefined && { acf_fc_layout: layout.name }) },
    }
  })
  return rows
    .filter((row) => row !== null)
    .toSorted((one, other) => one.position - other.position)
    .map(({ values }) => values)
}

const emptyValues = (fields: readonly Field[]): Record<string, unknown> =>
  Object.fromEntries(valueFields(fields).map(({ name }) => [name, null]))

function jsonOf(view: AdminView, text: string, place: string, errors: Record<string, string>): unknown {
  if (text.trim() === '') return null
  try {
    return JSON.parse(text) as unknown
  } catch {
    errors[place] = view.t('Enter valid JSON.')
    return text
  }
}

/** Returns a number; other texts stay texts, which the schema of the field refuses. */
function numberOf(text: string): unknown {
  const number = Number(text)
  return text.trim() !== '' && Number.isFinite(number) ? number : text
}

const withSeconds = (time: string) => (/(?:^|\s)\d\d:\d\d$/.test(time) ? `${time}:00` : time)

/** Whether a value is empty; a group or row is if all its values are. */
function isBlank(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === false) return true
  return typeof value === 'object' && Object.values(value).every(isBlank)
}

function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value as unknown[]
  return value === null || value === undefined || value === '' || value === false ? [] : [value]
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the help text of a field. */
export const instructionsOf = (field: Field): string => textSetting(field, 'instructions')

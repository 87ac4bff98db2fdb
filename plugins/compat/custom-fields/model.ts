import type { PhpMap, PhpValue } from '../php-values.ts'

/** A condition on the objects that a group of fields applies to. */
export interface LocationRule {
  readonly param: string
  readonly isNegated: boolean
  readonly value: string
}

/** A group of fields. */
export interface FieldGroup {
  /** ID of the post that defines it; 0 for one that is not stored yet. */
  readonly id: number
  readonly key: string
  readonly title: string
  readonly isActive: boolean
  readonly showsInRest: boolean
  /** Lists of rules; a group applies to objects that meet all rules of one list. */
  readonly location: readonly (readonly LocationRule[])[]
  readonly fields: readonly Field[]
  readonly settings: PhpMap
}

/** A layout of flexible content. */
export interface Layout {
  readonly key: string
  readonly name: string
  readonly label: string
  readonly fields: readonly Field[]
}

/** A field. */
export interface Field {
  /** ID of the post that defines it; 0 for one that is not stored yet. */
  readonly id: number
  readonly key: string
  /** Name under which objects store the value; '' for fields that only structure a form. */
  readonly name: string
  readonly label: string
  readonly type: string
  readonly isRequired: boolean
  readonly settings: PhpMap
  /** Values and labels to choose from. */
  readonly choices: readonly (readonly [value: string, label: string])[]
  /** Fields within a group, a repeater or a clone. */
  readonly fields: readonly Field[]
  readonly layouts: readonly Layout[]
}

/** Types of fields that have no value. */
export const LAYOUT_TYPES: ReadonlySet<string> = new Set(['message', 'tab', 'accordion', 'separator'])

/** Returns a setting as text; '' if it is missing, an array or null. */
export function textSetting({ settings }: Pick<Field, 'settings'>, name: string): string {
  const value = settings.get(name)
  if (typeof value === 'string') return value
  return typeof value === 'number' ? String(value) : ''
}

/** Whether a setting is switched on. */
export function isSet({ settings }: Pick<Field, 'settings'>, name: string): boolean {
  return isOn(settings.get(name))
}

/** Whether a value counts as yes: not 0, false, null or an empty text. */
export function isOn(value: PhpValue | undefined): boolean {
  if (value === undefined || value === null || value === false) return false
  return value !== 0 && value !== '' && value !== '0' && value !== 'false'
}

/** Returns a setting as a list of texts; a text that is not empty is a list of one. */
export function listSetting({ settings }: Pick<Field, 'settings'>, name: string): string[] {
  const value = settings.get(name)
  const all = value instanceof Map ? [...(value as PhpMap).values()] : Array.isArray(value) ? value : [value]
  return all.flatMap((one: PhpValue | undefined) =>
    (typeof one === 'string' && one !== '') || typeof one === 'number' ? [String(one)] : [],
  )
}

/** Returns a setting as a number; null if it is not one. */
export function numberSetting(field: Pick<Field, 'settings'>, name: string): number | null {
  const text = textSetting(field, name).trim()
  const number = Number(text)
  return text === '' || !Number.isFinite(number) ? null : number
}

/** Whether a field can have several values. */
export function isMultiple(field: Field): boolean {
  if (field.type === 'checkbox' || field.type === 'relationship' || field.type === 'gallery') return true
  if (field.type === 'taxonomy') return ['checkbox', 'multi_select'].includes(taxonomyInput(field))
  return isSet(field, 'multiple')
}

/** Returns how users choose the terms of a taxonomy field: `checkbox`, `multi_select`, `radio` or `select`. */
export const taxonomyInput = (field: Field): string => textSetting(field, 'field_type') || 'checkbox'

/** Default values of types, for fields without the setting `default_value`; other types have none. */
const TYPE_DEFAULTS: Readonly<Record<string, PhpValue>> = {
  text: '',
  textarea: '',
  wysiwyg: '',
  number: '',
  range: '',
  email: '',
  url: '',
  color_picker: '',
  radio: '',
  button_group: '',
  checkbox: [],
  true_false: 0,
}

/** Returns the default value of a field; undefined if its type has none. */
export function defaultOf(field: Field): PhpValue | undefined {
  const own = field.settings.get('default_value')
  if (field.type === 'select') {
    if (isMultiple(field)) return own === undefined || !isOn(own) ? [] : own
    return own === undefined || own === null || own === '' || Array.isArray(own) ? false : own
  }
  if (field.type === 'icon_picker')
    return (
      own ??
      new Map<string, PhpValue>([
        ['type', null],
        ['value', null],
      ])
    )
  if (!Object.hasOwn(TYPE_DEFAULTS, field.type)) return undefined
  return own ?? TYPE_DEFAULTS[field.type]
}

import { isObject, type ArgumentSchema, type RestError } from '../../../../kernel/index.ts'
import { html, type PageHtml } from '../../../library/markup/index.ts'
import type { AdminView } from '../frame/view.ts'
import { checkbox, choiceField, selectField, textArea, textField, type FieldOptions } from './fields.ts'

/** Schemas by name, of registered meta or of settings, as a route describes them. */
export type Schemas = Readonly<Record<string, ArgumentSchema>>

/** Values by name. */
export type Values = Readonly<Record<string, unknown>>

/** Fields for values with schemas. */
export interface SchemaForm {
  readonly schemas: Schemas
  readonly values: Values
  /** Prefix of the field names: `meta` for `meta[price]`; `''` for `price`. */
  readonly name: string
  /** Error messages by path, from `errorsByPath` or `schemaValues`. */
  readonly errors?: Readonly<Record<string, string>>
  /** Labels that replace the titles of the schemas. */
  readonly labels?: Readonly<Record<string, string>>
}

/** Levels of nested objects and lists with separate fields; deeper values are edited as JSON. */
const MAX_FIELD_DEPTH = 3
/** Texts of at least this number of characters get a multi-line field. */
const LONG_TEXT_LENGTH = 200

/** The editor of a value. */
type Kind = 'flag' | 'choice' | 'choices' | 'text' | 'lines' | 'rows' | 'group' | 'json'

/** The location of a field. */
interface Place {
  /** In the form: `meta[address][city]`. */
  readonly name: string
  /** In errors of the REST API: `meta.address[city]`. */
  readonly path: string
  readonly depth: number
}

/** Renders a field for each schema that is not read-only, by schema name. */
export function schemaFields(view: AdminView, form: SchemaForm): ReadonlyMap<string, PageHtml> {
  const fields = new Map<string, PageHtml>()
  for (const [key, schema] of Object.entries(form.schemas)) {
    if (isReadOnly(schema)) continue
    const label = form.labels?.[key] ?? labelOf(key, schema)
    fields.set(key, fieldOf(view, schema, form.values[key], placeOf(form.name, key), label, form.errors ?? {}))
  }
  return fields
}

/**
 * Returns the values of a form for the REST API: fields that the form lacks are omitted, and emptied fields are null.
 * Errors are returned by path; the values with errors stay as submitted.
 * @param submitted the part of the form with the fields: `view.form['meta']`, or `view.form` for an empty prefix
 */
export function schemaValues(
  view: AdminView,
  { schemas, name }: Pick<SchemaForm, 'schemas' | 'name'>,
  submitted: unknown,
): { values: Record<string, unknown>; errors: Record<string, string> } {
  const values: Record<string, unknown> = {}
  const errors: Record<string, string> = {}
  for (const [key, schema] of Object.entries(schemas)) {
    if (isReadOnly(schema) || !has(submitted, key)) continue
    values[key] = valueOf(view, schema, submitted[key], placeOf(name, key), errors)
  }
  return { values, errors }
}

/** Returns the messages of a REST error by path: `title`, `meta.price`, `meta.address[city]`. */
export function errorsByPath(error: RestError): Record<string, string> {
  const found: Record<string, string> = {}
  const { params, details, param } = error.data as Record<string, unknown>
  if (isObject(params))
    for (const [path, message] of Object.entries(params)) if (typeof message === 'string') found[path] = message
  if (isObject(details)) {
    for (const detail of Object.values(details)) {
      if (!isObject(detail) || !isObject(detail['data']) || typeof detail['message'] !== 'string') continue
      const path = detail['data']['param']
      if (typeof path === 'string') found[path] = detail['message']
    }
  }
  if (typeof param === 'string') found[param] = error.message
  // For some rules of meta only the message contains the field: `meta.price must be …`.
  const [, named] = /^(meta\.\S{1,300}) /.exec(error.message) ?? []
  if (named !== undefined) found[named] ??= error.message
  return found
}

function placeOf(prefix: string, key: string): Place {
  return prefix === ''
    ? { name: key, path: key, depth: 0 }
    : { name: `${prefix}[${key}]`, path: `${prefix}.${key}`, depth: 0 }
}

const below = ({ name, path, depth }: Place, key: string | number): Place => ({
  name: `${name}[${key}]`,
  path: `${path}[${key}]`,
  depth: depth + 1,
})

function fieldOf(
  view: AdminView,
  schema: ArgumentSchema,
  value: unknown,
  place: Place,
  label: string,
  errors: Readonly<Record<string, string>>,
): PageHtml {
  const { t } = view
  const kind = kindOf(schema, value, place.depth)
  const hint = hintOf(view, schema, kind)
  const options: FieldOptions = {
    name: place.name,
    label,
    error: errors[place.path],
    required: schema.required === true && kind !== 'flag',
    ...(hint !== '' && { hint }),
  }
  switch (kind) {
    case 'flag':
      // Submitted if the box is unchecked: a form without the field would leave the value unchanged.
      return html`<input
          type="hidden"
          name="${place.name}"
          value=""
        />${checkbox({ ...options, checked: value === true || value === '1' || value === 1 })}`
    case 'choice': {
      const none = schema.required === true ? [] : [{ value: '', label: t('None') }]
      const enumValues = (schema.enum ?? []).filter((one) => one !== null && one !== '')
      const choices = [...none, ...enumValues.map(asChoice)]
      return selectField({ ...options, value: asText(value), choices })
    }
    case 'choices': {
      const choices = (schema.items?.enum ?? []).map(asChoice)
      return html`<input
          type="hidden"
          name="${place.name}[]"
          value=""
        />${choiceField({ ...options, values: listOf(value).map(asText), choices, many: true })}`
    }
    case 'lines':
      return textArea({ ...options, value: listOf(value).map(asText).join('\n'), rows: 4 })
    case 'json':
      return textArea({
        ...options,
        value: typeof value === 'string' && options.error !== undefined ? value : asJson(value),
        rows: 6,
        attributes: html` class="code" spellcheck="false"`,
      })
    case 'group':
      return groupOf(view, { schema, value, place, label, errors, hint })
    case 'rows': {
      const rows = listOf(value)
      const { items = {}, maxItems = Infinity } = schema
      const shown = rows.length < maxItems ? [...rows, undefined] : rows
      const groups = shown.map((row, index) => {
        const name = row === undefined ? t('New entry') : `${label} ${index + 1}`
        return groupOf(view, { schema: items, value: row, place: below(place, index), label: name, errors, hint: '' })
      })
      return wrapped(
        {
          label,
          hint: [hint, t('To remove an entry, empty its fields.')].filter(Boolean).join(' '),
          error: options.error,
          place,
        },
        groups,
      )
    }
    case 'text': {
      const text = asText(value)
      if (isLong(schema, text)) return textArea({ ...options, value: text, rows: 4 })
      return textField({ ...options, value: text, ...inputOf(schema, text) })
    }
  }
}

interface Group {
  readonly schema: ArgumentSchema
  readonly value: unknown
  readonly place: Place
  readonly label: string
  readonly errors: Readonly<Record<string, string>>
  readonly hint: string
}

function groupOf(view: AdminView, { schema, value, place, label, errors, hint }: Group): PageHtml {
  const inner = Object.entries(schema.properties ?? {}).map(([key, one]) =>
    fieldOf(view, one, has(value, key) ? value[key] : undefined, below(place, key), labelOf(key, one), errors),
  )
  return wrapped({ label, hint, error: errors[place.path], place }, inner)
}

function wrapped(
  { label, hint, error, place }: { label: string; hint: string; error: string | undefined; place: Place },
  inner: readonly PageHtml[],
): PageHtml {
  const id = `field-${place.name.replace(/[^\w-]+/g, '-')}-about`
  const about = html`${hint === '' ? null : html`<p class="hint">${hint}</p>`}${error === undefined ? null : html`<p class="field-error">${error}</p>`}`
  return html`<fieldset class="field" aria-describedby="${id}">
    <legend>${label}</legend>
    <div id="${id}">${about}</div>
    ${inner}
  </fieldset>`
}

function valueOf(
  view: AdminView,
  schema: ArgumentSchema,
  submitted: unknown,
  place: Place,
  errors: Record<string, string>,
): unknown {
  const { t } = view
  const kind = kindOf(schema, undefined, place.depth)
  const text = typeof submitted === 'string' ? submitted.replaceAll('\r\n', '\n') : ''
  switch (kind) {
    case 'flag':
      return text === '1'
    case 'choices':
      return listOf(submitted)
        .filter((one) => one !== '')
        .map((one) => scalarOf(schema.items ?? {}, asText(one)))
    case 'lines': {
      // Lists that contain multi-line texts are edited as JSON.
      if (text.trimStart().startsWith('[')) return jsonOf(view, text, place, errors)
      const lines = text.split('\n').map((line) => line.trim())
      return lines.filter((line) => line !== '').map((line) => scalarOf(schema.items ?? {}, line))
    }
    case 'json':
      return jsonOf(view, text, place, errors)
    case 'group':
      return groupValue(view, schema, submitted, place, errors)
    case 'rows': {
      const rows = Array.isArray(submitted) ? submitted : isObject(submitted) ? Object.values(submitted) : []
      const values = rows.map((row, index) => groupValue(view, schema.items ?? {}, row, below(place, index), errors))
      return values.filter((row) => !isEmpty(row))
    }
    case 'choice':
    case 'text': {
      const value = scalarOf(schema, text)
      if (value === text && text !== '' && isNumber(schema)) errors[place.path] = t('Enter a number.')
      return value
    }
  }
}

function groupValue(
  view: AdminView,
  schema: ArgumentSchema,
  submitted: unknown,
  place: Place,
  errors: Record<string, string>,
): Record<string, unknown> {
  const value: Record<string, unknown> = {}
  for (const [key, one] of Object.entries(schema.properties ?? {})) {
    if (!has(submitted, key)) continue
    const inner = valueOf(view, one, submitted[key], below(place, key), errors)
    // Emptied properties are removed from objects: few schemas accept null.
    if (inner !== null) value[key] = inner
  }
  return value
}

function jsonOf(view: AdminView, text: string, place: Place, errors: Record<string, string>): unknown {
  if (text.trim() === '') return null
  try {
    return JSON.parse(text) as unknown
  } catch {
    errors[place.path] = view.t('Enter valid JSON.')
    return text
  }
}

/** Converts a text to the type of the schema. Invalid values stay strings, which the REST API refuses. */
function scalarOf(schema: ArgumentSchema, text: string): unknown {
  if (isNumber(schema)) {
    const number = Number(text)
    return text.trim() === '' ? null : Number.isFinite(number) ? number : text
  }
  const isBare = schema.format === undefined || schema.format.endsWith('-field')
  const acceptsEmpty = isBare && (schema.minLength ?? 0) === 0 && (schema.enum?.includes('') ?? true)
  if (text === '' && !acceptsEmpty) return null
  return schema.enum?.find((one) => asText(one) === text) ?? text
}

function kindOf(schema: ArgumentSchema, value: unknown, depth: number): Kind {
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null')
  const [type] = types
  if (schema.enum !== undefined && type !== 'array' && type !== 'object') return 'choice'
  if (type === 'boolean' && types.length === 1) return 'flag'
  if (type === 'array' && types.length === 1) {
    const { items } = schema
    const [of] = [items?.type ?? []].flat()
    if (items?.enum !== undefined) return 'choices'
    if (of === 'object' && isGroup(items) && depth + 1 < MAX_FIELD_DEPTH) return 'rows'
    const isList = of === 'string' || of === 'integer' || of === 'number'
    return isList && !listOf(value).some((one) => !isLine(one)) ? 'lines' : 'json'
  }
  if (type === 'object' && types.length === 1) return isGroup(schema) && depth < MAX_FIELD_DEPTH ? 'group' : 'json'
  return type === 'string' || type === 'integer' || type === 'number' ? 'text' : 'json'
}

/** Whether all properties of an object have fields. */
function isGroup(schema: ArgumentSchema | undefined): boolean {
  const { properties, patternProperties, additionalProperties } = schema ?? {}
  const isOpen = patternProperties !== undefined || typeof additionalProperties === 'object'
  return properties !== undefined && Object.keys(properties).length > 0 && !isOpen
}

const isLine = (value: unknown) =>
  (typeof value === 'string' && !value.includes('\n') && value.trim() === value && !value.startsWith('[')) ||
  typeof value === 'number'

/** Returns type and attributes of the input element for a text or a number. */
function inputOf(schema: ArgumentSchema, text: string): { type: string; attributes?: PageHtml } {
  const { format, minimum, maximum, maxLength, multipleOf } = schema
  if (isNumber(schema)) {
    const [type] = [schema.type ?? []].flat()
    const step = multipleOf ?? (type === 'integer' ? 1 : 'any')
    const min = minimum === undefined ? null : html` min="${minimum}"`
    const max = maximum === undefined ? null : html` max="${maximum}"`
    // Browsers would clear an invalid number: it is shown in a text field.
    const isShown = text === '' || Number.isFinite(Number(text))
    return isShown ? { type: 'number', attributes: html` step="${step}"${min}${max}` } : { type: 'text' }
  }
  const lengthLimit = maxLength === undefined ? null : html` maxlength="${maxLength}"`
  const attributes = html`${lengthLimit}`
  if (format === 'email') return { type: 'email', attributes }
  if (format === 'uri') return { type: 'url', attributes }
  // `datetime-local` fields have no time zone.
  if (format === 'date-time' && /^(?:\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?)?$/.test(text))
    return { type: 'datetime-local', attributes: html` step="1"` }
  return { type: 'text', attributes }
}

function isLong({ format, maxLength = 0 }: ArgumentSchema, text: string): boolean {
  if (format !== undefined)
    return format === 'textarea-field' || (format === 'text-field' && text.length > LONG_TEXT_LENGTH)
  return maxLength > LONG_TEXT_LENGTH || text.length > LONG_TEXT_LENGTH || text.includes('\n')
}

function hintOf({ t }: AdminView, { description = '' }: ArgumentSchema, kind: Kind): string {
  const how = kind === 'lines' ? t('Enter one per line.') : kind === 'json' ? t('Enter JSON.') : ''
  return [description, how].filter((one) => one !== '').join(' ')
}

/** Returns the title of a schema, or its name in words: `Opening hours` for `opening_hours`. */
function labelOf(key: string, { title = '' }: ArgumentSchema): string {
  if (title !== '') return title
  const words = key.replace(/[_-]+/g, ' ').trim()
  return words === '' ? key : words[0]!.toUpperCase() + words.slice(1)
}

const isReadOnly = (schema: ArgumentSchema) => 'readonly' in schema && schema.readonly === true

function isNumber({ type }: ArgumentSchema): boolean {
  const types = [type ?? []].flat().filter((one) => one !== 'null')
  return types.length > 0 && types.every((one) => one === 'integer' || one === 'number')
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === false) return true
  return typeof value === 'object' && Object.values(value).every(isEmpty)
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : []
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

const asChoice = (value: unknown) => ({ value: asText(value), label: asText(value) })

const asJson = (value: unknown) =>
  value === undefined || value === null || value === '' ? '' : JSON.stringify(value, null, 2)

function has(value: unknown, key: string): value is Record<string, unknown> {
  return isObject(value) && Object.hasOwn(value, key)
}

import type { PropertySchema } from '../../public.ts'
import { plainPhp } from '../php-values.ts'
import { defaultOf, isMultiple, isOn, isSet, numberSetting, type Field } from './model.ts'
import { valueFields } from './shape.ts'

/** A schema as clients of Advanced Custom Fields know it, which can contain types that are not JSON types. */
export type ShownSchema = Record<string, unknown>

/** Returns the schemas of fields by name. */
export function schemasOf(fields: readonly Field[]): Record<string, ShownSchema> {
  return Object.fromEntries(valueFields(fields).map((field) => [field.name, schemaOf(field)]))
}

const DATE_DESCRIPTIONS: Readonly<Record<string, string>> = {
  date_picker: 'A `Ymd` formatted date string.',
  date_time_picker: 'A `Y-m-d H:i:s` formatted date string.',
  time_picker: 'A `H:i:s` formatted time string.',
}

function schemaOf(field: Field): ShownSchema {
  const required = field.isRequired
  switch (field.type) {
    case 'number':
    case 'range':
      return { type: ['number', 'null'], required, ...bounds(field), ...shownDefault(field) }
    case 'image':
    case 'file':
      return { type: ['integer', 'null'], required }
    case 'true_false':
      return { type: ['boolean', 'null'], required, default: isOn(defaultOf(field)) }
    case 'select':
      return { ...selectSchema(field), default: plainPhp(defaultOf(field) ?? false) }
    case 'checkbox':
      return {
        type: ['integer', 'string', 'array', 'null'],
        required,
        items: { type: ['string', 'integer'], enum: valuesOf(field) },
        default: plainPhp(defaultOf(field) ?? []),
      }
    case 'radio':
    case 'button_group':
      return { type: ['string', 'null'], required, ...shownDefault(field), enum: choiceEnum(field) }
    case 'link':
      return { type: ['object', 'null'], required, properties: LINK }
    case 'post_object':
    case 'relationship':
    case 'taxonomy':
    case 'user':
    case 'page_link':
      return referenceSchema(field)
    case 'google_map':
      return { type: ['object', 'null'], required, properties: MAP }
    case 'icon_picker':
      return { type: ['object', 'null'], required, properties: ICON }
    case 'gallery':
      return { type: ['array', 'null'], required, items: { type: ['number', 'null'] }, ...itemBounds(field) }
    case 'group':
    case 'clone':
      return { type: ['object', 'null'], properties: schemasOf(field.fields), required }
    case 'repeater':
      return {
        type: ['array', 'null'],
        required,
        items: { type: 'object', properties: schemasOf(field.fields) },
        ...itemBounds(field),
      }
    case 'flexible_content':
      return { type: ['array', 'null'], required, items: layoutSchema(field), ...itemBounds(field) }
    default:
      return textSchema(field)
  }
}

function textSchema(field: Field): ShownSchema {
  const length = numberSetting(field, 'maxlength')
  const description = DATE_DESCRIPTIONS[field.type]
  return {
    type: ['string', 'null'],
    ...(description !== undefined && { description }),
    required: field.isRequired,
    ...shownDefault(field),
    ...(length !== null && length > 0 && { maxLength: length }),
    ...(field.type === 'email' && { format: 'email' }),
    ...((field.type === 'url' || field.type === 'oembed') && { format: 'uri' }),
  }
}

/** Defaults that are empty are not shown. */
function shownDefault(field: Field): { default?: unknown } {
  const value = defaultOf(field)
  return value === undefined || value === '' || value === null ? {} : { default: plainPhp(value) }
}

function bounds(field: Field): ShownSchema {
  const [minimum, maximum] = [numberSetting(field, 'min'), numberSetting(field, 'max')]
  return { ...(minimum !== null && { minimum }), ...(maximum !== null && { maximum }) }
}

function itemBounds(field: Field): ShownSchema {
  const [minimum, maximum] = [numberSetting(field, 'min') ?? 0, numberSetting(field, 'max') ?? 0]
  return { ...(minimum > 0 && { minItems: minimum }), ...(maximum > 0 && { maxItems: maximum }) }
}

const valuesOf = ({ choices }: Field): string[] => choices.map(([value]) => value)

function choiceEnum(field: Field): unknown[] {
  if (!isSet(field, 'allow_null')) return valuesOf(field)
  // A button group sends an empty text for no choice.
  return field.type === 'button_group' ? [...valuesOf(field), null, ''] : [...valuesOf(field), null]
}

function selectSchema(field: Field): ShownSchema {
  return {
    type: ['string', 'array', 'int', 'null'],
    required: field.isRequired,
    items: { type: ['string', 'int'], enum: valuesOf(field) },
    ...(!isSet(field, 'allow_null') && { minItems: 1 }),
    ...(!isMultiple(field) && { maxItems: 1 }),
  }
}

function referenceSchema(field: Field): ShownSchema {
  const isLink = field.type === 'page_link'
  const [minimum, maximum] = [numberSetting(field, 'min') ?? 0, numberSetting(field, 'max') ?? 0]
  return {
    type: isLink ? ['integer', 'array', 'null', 'string'] : ['integer', 'array', 'null'],
    required: field.isRequired,
    items: { type: isLink ? ['integer', 'string'] : 'integer' },
    ...(!isSet(field, 'allow_null') && { minItems: Math.max(minimum, 1) }),
    ...(field.type === 'relationship' ? maximum > 0 && { maxItems: maximum } : !isMultiple(field) && { maxItems: 1 }),
  }
}

function layoutSchema(field: Field): ShownSchema {
  const layouts = field.layouts.map(({ name, fields }) => ({
    type: 'object',
    properties: { acf_fc_layout: { type: 'string', required: true, enum: [name] }, ...schemasOf(fields) },
  }))
  return layouts.length === 1 ? layouts[0]! : { oneOf: layouts }
}

const LINK = {
  title: { type: 'string' },
  url: { type: 'string', required: true, format: 'uri' },
  target: { type: 'string' },
}
const MAP = {
  address: { type: 'string' },
  lat: { type: ['string', 'float'] },
  lng: { type: ['string', 'float'] },
  zoom: { type: ['string', 'int'] },
  place_id: { type: 'string' },
  name: { type: 'string' },
  street_number: { type: ['string', 'int'] },
  street_name: { type: 'string' },
  street_name_short: { type: 'string' },
  city: { type: 'string' },
  state: { type: 'string' },
  state_short: { type: 'string' },
  post_code: { type: ['string', 'int'] },
  country: { type: 'string' },
  country_short: { type: 'string' },
}
const ICON = {
  type: { description: 'The type of icon to save.', type: ['string'], required: true, enum: ['dashicons', 'url'] },
  value: { description: 'The value of icon to save.', type: ['string', 'int'], required: true },
}

/**
 * Returns a schema that the server validates by. A list of types with a name that is not a JSON type accepts every
 * value.
 */
export function strictSchema(shown: ShownSchema): PropertySchema {
  const { type, items, properties, oneOf, default: _, ...others } = shown
  const types = [type].flat().filter((name) => name !== 'int' && name !== 'float')
  const isOpen = types.length < [type].flat().length
  const below = Object.entries((properties ?? {}) as Record<string, ShownSchema>)
  const strict = {
    ...others,
    ...(properties !== undefined && {
      properties: Object.fromEntries(below.map(([name, inner]) => [name, strictSchema(inner)])),
    }),
    ...(items !== undefined && { items: strictSchema(items as ShownSchema) }),
    ...(oneOf !== undefined && { oneOf: (oneOf as ShownSchema[]).map(strictSchema) }),
  }
  // Lists of choices keep their types, because only their items are open.
  if (isOpen && items === undefined) return strict
  return { ...strict, ...(type !== undefined && { type: types }) } as PropertySchema
}

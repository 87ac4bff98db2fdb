/** The words of schemas: what the types of values say of arguments, options and properties. The plugin `arguments` checks them. */
import type { Awaitable, RestError, RestRequest } from '../../../kernel/index.ts'

export type { ValueOf, ValuesOf } from './value-of.ts'

/** The types that values are checked for. */
export const TYPES = ['string', 'integer', 'number', 'boolean', 'null', 'array', 'object'] as const
export type SchemaType = (typeof TYPES)[number]
/** The formats that texts are checked for, and sanitized by. */
export const FORMAT_NAMES = [
  'date-time',
  'email',
  'ip',
  'uri',
  'uuid',
  'hex-color',
  'text-field',
  'textarea-field',
] as const
export type SchemaFormat = (typeof FORMAT_NAMES)[number]

/** Size limits of a value and of all that is in it. */
export interface SizeLimits {
  /** Characters of a text, and of all texts of a list together; 131,072 by default. */
  text?: number
  /** Entries of a list or of a map; 4,000 by default. */
  entries?: number
}

declare module '../../../kernel/index.ts' {
  interface ArgumentSchema {
    /** `string`, `integer`, `number`, `boolean`, `null`, `array`, `object`, or a list of them. */
    type?: SchemaType | readonly SchemaType[]
    /** The schema of each item of an `array`. Text is split at commas and white space only where items are declared. */
    items?: ArgumentSchema
    properties?: Record<string, ArgumentSchema>
    /** Properties by a pattern of their name, for those that `properties` does not declare. */
    patternProperties?: Record<string, ArgumentSchema>
    /** The schema of other properties; false refuses them. */
    additionalProperties?: boolean | ArgumentSchema
    enum?: readonly unknown[]
    /** `date-time`, `email`, `ip`, `uri`, `uuid`, `hex-color`, `text-field` or `textarea-field`. */
    format?: SchemaFormat
    minimum?: number
    maximum?: number
    /** True: `minimum` itself is too small. A number is a minimum that is itself too small. */
    exclusiveMinimum?: boolean | number
    /** True: `maximum` itself is too large. A number is a maximum that is itself too large. */
    exclusiveMaximum?: boolean | number
    multipleOf?: number
    /** In Unicode code points, as `maxLength`. */
    minLength?: number
    maxLength?: number
    /** Matched anywhere in the text, in linear time: no look-around, no back-references. */
    pattern?: string
    minItems?: number
    maxItems?: number
    uniqueItems?: boolean
    minProperties?: number
    maxProperties?: number
    /** The first form that fits decides how the value is sanitized. Forms without a type have the type around them. */
    anyOf?: readonly ArgumentSchema[]
    /** Like `anyOf`, but exactly one form may fit. */
    oneOf?: readonly ArgumentSchema[]
    /** True: the argument or property must be given. A list names the properties that an object must have. */
    required?: boolean | readonly string[]
    title?: string
    description?: string
    /**
     * How large the value, and all that is in it, may be, where that is not 131,072 characters and 4,000 entries. For
     * arguments and what is in them; not shown to clients.
     */
    size_limits?: SizeLimits
    /** Whether neither the index nor OPTIONS shows the argument, because existing clients compare what they show. */
    hidden?: boolean
    /** Takes the place of the schema's checks: true, false, or the error. Null: nothing is checked but the size. */
    validate_callback?: ((value: unknown, request: RestRequest, name: string) => Awaitable<boolean | RestError>) | null
    /** Takes the place of the schema's sanitization; may return or throw an error. Null: the value stays as it is. */
    sanitize_callback?: ((value: unknown, request: RestRequest, name: string) => unknown) | null
  }
}

/** Keywords of the schemas of arguments, options and properties. The plugin `arguments` checks them. */
import type { Awaitable, RestError, RestRequest } from '../../../kernel/index.ts'

export type { ValueOf, ValuesOf } from './value-of.ts'

/** Types of values. */
export const TYPES = ['string', 'integer', 'number', 'boolean', 'null', 'array', 'object'] as const
export type SchemaType = (typeof TYPES)[number]
/** Formats by which texts are validated and sanitized. */
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

/** Size limits of a value and of all values inside it. */
export interface SizeLimits {
  /** Characters of a text, and of all texts of a list together; 131,072 by default. */
  text?: number
  /** Entries of a list or a map; 4,000 by default. */
  entries?: number
}

/** The objects that an argument names. */
export interface Reference {
  /** Name of the source. */
  source: string
  /** Content type, taxonomy or other subtype of the objects, for sources of several kinds. */
  of?: string
  /** Returns the error for an unknown value, instead of the error of the source. */
  error?: (value: string | number) => RestError
  /**
   * Effect of an unknown value that the interface does not refuse: the handler leaves it out, or stores it. Without it,
   * the server refuses the request.
   */
  unknown?: 'left out' | 'stored'
}

declare module '../../../kernel/index.ts' {
  interface ArgumentSchema {
    /** Type of the value: `string`, `integer`, `number`, `boolean`, `null`, `array` or `object`, or a list of types. */
    type?: SchemaType | readonly SchemaType[]
    /** Schema of each item of an `array`. Without it, text is not split at commas and white space. */
    items?: ArgumentSchema
    /** Schemas of the properties of an `object`, by name. */
    properties?: Record<string, ArgumentSchema>
    /** Schemas of properties that `properties` does not declare, by a pattern of their names. */
    patternProperties?: Record<string, ArgumentSchema>
    /** Schema of all other properties; false refuses them, true (the default) accepts any. */
    additionalProperties?: boolean | ArgumentSchema
    /** Allowed values. */
    enum?: readonly unknown[]
    /** Format of a string: `date-time`, `email`, `ip`, `uri`, `uuid`, `hex-color`, `text-field` or `textarea-field`. */
    format?: SchemaFormat
    /** Smallest number. */
    minimum?: number
    /** Largest number. */
    maximum?: number
    /** If true, `minimum` itself is too small. A number is an exclusive minimum. */
    exclusiveMinimum?: boolean | number
    /** If true, `maximum` itself is too large. A number is an exclusive maximum. */
    exclusiveMaximum?: boolean | number
    /** Number above 0 that the value must be an integer multiple of. */
    multipleOf?: number
    /** Minimum length of a string in Unicode code points. */
    minLength?: number
    /** Maximum length of a string in Unicode code points. */
    maxLength?: number
    /**
     * Regular expression without slashes and flags, matched anywhere in the text in linear time: look-around and
     * back-references are not supported.
     */
    pattern?: string
    /** Minimum number of items of an `array`. */
    minItems?: number
    /** Maximum number of items of an `array`. */
    maxItems?: number
    /** Whether all items of an `array` must differ. */
    uniqueItems?: boolean
    /** Minimum number of properties of an `object`. */
    minProperties?: number
    /** Maximum number of properties of an `object`. */
    maxProperties?: number
    /**
     * Alternatives of which at least one must match; the first match sanitizes the value. Alternatives without a type
     * inherit the type of the enclosing schema.
     */
    anyOf?: readonly ArgumentSchema[]
    /** Alternatives of which exactly one must match. */
    oneOf?: readonly ArgumentSchema[]
    /** True if the argument or property is required. A list contains the names of an object's required properties. */
    required?: boolean | readonly string[]
    /** Short name, shown by the index and OPTIONS. */
    title?: string
    /** One sentence about the value, shown by the index and OPTIONS. */
    description?: string
    /**
     * Size limits of the value and all values inside it, instead of 131,072 characters and 4,000 entries. For arguments
     * and their parts; not shown to clients.
     */
    size_limits?: SizeLimits
    /**
     * Source of the objects that the argument names by ID or name, or by a list of them: the server refuses unknown ones.
     * For arguments, not for their parts; not shown to clients. Plugins register sources with
     * `services.resources.registerReference`.
     */
    references?: string | Reference
    /** Whether the index and OPTIONS omit the argument, because existing clients compare their output. */
    hidden?: boolean
    /** Replaces the schema's validation: returns true, false or an error. With null, only the size is checked. */
    validate_callback?: ((value: unknown, request: RestRequest, name: string) => Awaitable<boolean | RestError>) | null
    /**
     * Replaces the schema's sanitization: returns the sanitized value, or returns or throws an error. With null, the
     * value is not sanitized.
     */
    sanitize_callback?: ((value: unknown, request: RestRequest, name: string) => unknown) | null
  }
}

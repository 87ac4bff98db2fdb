// Type tests of schemas. `npm run check:types` compiles this file; it is never run.
import { definePlugin, type Arguments, type ArgumentSchema, type RestServer } from '../../kernel/index.ts'
import type { PropertySchema } from '../../plugins/resources/index.ts'
import type { BlockTypeSpec } from '../../plugins/rendering/blocks/index.ts'
import type { ContentTypeSpec } from '../../plugins/content/content-types/index.ts'
import type { FieldArgs } from '../../plugins/content/extra-fields/index.ts'
import type { MetaSpec } from '../../plugins/content/meta/index.ts'
import type { SettingSpec } from '../../plugins/foundation/settings/index.ts'

declare const server: RestServer
const open = { permission_callback: () => true, callback: () => null }

// Valid schemas.
const SIZE = { type: 'integer', minimum: 1 } satisfies ArgumentSchema
const args: Arguments = {
  size: { ...SIZE, default: 1, required: false, sanitize_callback: Number, validate_callback: null },
  sizes: { type: 'array', items: SIZE, maxItems: 5, uniqueItems: true },
  either: { type: ['string', 'null'], format: 'date-time', enum: ['a', null] },
  forms: {
    type: ['object', 'array'],
    oneOf: [{ title: 'IDs', type: 'array', items: SIZE }, { properties: { a: {} } }],
  },
  open: { type: 'object', additionalProperties: { type: 'string' }, 'x-own': true },
}
server.registerRoute('a/v1', 'it', { ...open, args })

const wrongType: ArgumentSchema = {
  // @ts-expect-error an unknown type
  type: 'int',
}
// @ts-expect-error an unknown keyword
const wrongKeyword: ArgumentSchema = { type: 'integer', minimun: 1 }
const inside: ArgumentSchema = {
  type: 'array',
  // @ts-expect-error an unknown keyword of a nested schema
  items: { type: 'string', enums: ['a'] },
}
const wrongFormat: ArgumentSchema = {
  type: 'string',
  // @ts-expect-error an unknown format
  format: 'emial',
}
const property: PropertySchema = {
  type: 'string',
  context: ['view'],
  readonly: true,
  // @ts-expect-error the keyword is `readonly`
  readOnly: true,
}
export const schemas = [wrongType, wrongKeyword, inside, wrongFormat, property]

// @ts-expect-error an argument in a route
server.registerRoute('a/v1', 'it', { ...open, args: { size: { type: 'integer', require: true } } })
// @ts-expect-error an endpoint
server.registerRoute('a/v1', 'it', { callback: () => null, permissions_callback: () => true })
// @ts-expect-error a route
server.registerRoute('a/v1', 'it', { 0: open, shema: () => ({}) })

definePlugin<{ size: number; words: string[] }>({
  name: 'schemas',
  options: {
    // @ts-expect-error the type of an option
    size: { default: 1, type: 'int' },
    words: { default: [], type: 'array', items: { type: 'string', minLength: 1 }, description: 'Words.' },
  },
  apply() {},
})
definePlugin<{ size: number }>({
  name: 'schemas',
  // @ts-expect-error a keyword of an option
  options: { size: { default: 1, type: 'integer', minimun: 1 } },
  apply() {},
})
definePlugin({
  name: 'schemas',
  // @ts-expect-error a key of a plugin
  need: ['posts'],
  apply() {},
})

export const specs: [MetaSpec, SettingSpec, FieldArgs, BlockTypeSpec, ContentTypeSpec] = [
  // @ts-expect-error the schema of meta
  { type: 'integer', show_in_rest: { schema: { minimun: 1 } } },
  // @ts-expect-error the schema of a setting
  { type: 'string', show_in_rest: { schema: { enums: ['a'] } } },
  // @ts-expect-error the schema of a field
  { get_callback: () => 1, schema: { type: 'int' } },
  // @ts-expect-error the schema of an attribute
  { attributes: { size: { type: 'int' } } },
  // @ts-expect-error a key of a content type
  { show_in_rset: true },
]

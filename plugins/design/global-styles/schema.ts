import { sanitizeValue, validateValue } from '../../requests/arguments/index.ts'
import { SCHEMA_DRAFT, type ItemSchema, type PropertySchema } from '../../resources/index.ts'

const isList = (value: unknown) => Array.isArray(value)
/** A list with items is not an object: the request leaves out the argument, so that stored styles stay. */
const isFilledList = (value: unknown) => Array.isArray(value) && value.length > 0

const OBJECT: PropertySchema = {
  type: ['object'],
  context: ['view', 'edit'],
  arg_options: {
    validate_callback: (value, _request, name) => isList(value) || validateValue(value, { type: 'object' }, name),
    // Some clients send an empty object as an empty list.
    sanitize_callback: (value) => (isFilledList(value) ? undefined : sanitizeValue(value, { type: 'object' })),
  },
}

/** Returns the schema properties that styles and their revisions have in common. */
export function stylesProperties(): Record<'styles' | 'settings', PropertySchema> {
  return {
    styles: { ...OBJECT, description: 'Global, element and block styles, as in theme.json.' },
    settings: { ...OBJECT, description: 'Editor settings and presets, as in theme.json.' },
  }
}

/** Returns the schema of user styles. */
export function globalStylesSchema(title: string): ItemSchema {
  return {
    $schema: SCHEMA_DRAFT,
    title,
    type: 'object',
    properties: {
      id: { description: 'ID of the styles.', type: 'integer', context: ['embed', 'view', 'edit'], readonly: true },
      ...stylesProperties(),
      title: {
        description: 'Title of the styles.',
        type: ['object', 'string'],
        default: '',
        context: ['embed', 'view', 'edit'],
        properties: {
          raw: { description: 'Title as stored.', type: 'string', context: ['view', 'edit', 'embed'] },
          rendered: {
            description: 'Title as HTML.',
            type: 'string',
            context: ['view', 'edit', 'embed'],
            readonly: true,
          },
        },
      },
    },
  }
}

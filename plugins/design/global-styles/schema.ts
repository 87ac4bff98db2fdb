import { sanitizeValue, validateValue } from '../../requests/arguments/index.ts'
import type { ArgumentSchema } from '../../../kernel/index.ts'
import { SCHEMA_DRAFT, type ItemSchema, type PropertySchema } from '../../resources/index.ts'

/** Some clients send an empty object as an empty list. */
const OBJECT_OR_LIST: ArgumentSchema = { type: ['object', 'array'] }

const OBJECT: PropertySchema = {
  type: ['object'],
  context: ['view', 'edit'],
  arg_options: {
    validate_callback: (value, _request, name) => validateValue(value, OBJECT_OR_LIST, name),
    sanitize_callback: (value) => sanitizeValue(value, OBJECT_OR_LIST),
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

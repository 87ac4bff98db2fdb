import { SCHEMA_DRAFT, type ItemSchema, type PropertySchema } from '../../../resources/index.ts'

/**
 * Assets of a block type. Each has a list of handles (`script_handles`) and a field for the first handle (`script`).
 */
export const ASSET_HANDLES = ['editor_script', 'script', 'view_script', 'editor_style', 'style'] as const

const TEXTS: PropertySchema = { type: 'array', items: { type: 'string' }, default: [] }
const OBJECTS: PropertySchema = { type: 'array', items: { type: 'object' }, default: [] }
const MAP: PropertySchema = { type: 'object', default: {} }
const NULLABLE: PropertySchema = { type: ['string', 'null'], default: null }
const NULLABLE_LIST: PropertySchema = { type: ['array', 'null'], items: { type: 'string' }, default: null }

/** Returns the schema of a block type. */
export function blockTypeSchema(since: (version: string) => boolean): ItemSchema {
  return {
    $schema: SCHEMA_DRAFT,
    title: 'block-type',
    type: 'object',
    properties: {
      api_version: property('Version of the block API.', { type: 'integer' }),
      title: property('Title of the block type.', { type: 'string', default: '' }),
      name: property('Namespace and name of the block type.', { type: 'string', default: '' }),
      description: property('Description of the block type.', { type: 'string', default: '' }),
      icon: property('Icon in the editor.', NULLABLE),
      attributes: property('Schemas of its attributes, by name.', {
        type: ['object', 'null'],
        additionalProperties: { type: 'object' },
        default: null,
      }),
      provides_context: property(
        'Context for inner blocks: context names, and the attributes that supply the values.',
        {
          type: 'object',
          additionalProperties: { type: 'string' },
          default: {},
        },
      ),
      uses_context: property('Names of the context values it uses.', TEXTS),
      supports: property('Supported editor features.', { type: 'object', properties: {}, default: {} }),
      category: property('Category in the editor.', NULLABLE),
      is_dynamic: property('Whether the server renders it.', { type: 'boolean', default: false }),
      ...Object.fromEntries(
        ASSET_HANDLES.flatMap((name) => [
          [`${name}_handles`, property(`Handles of the assets loaded as ${name.replace('_', ' ')}.`, TEXTS)],
          [name, property(`The first of ${name}_handles.`, NULLABLE)],
        ]),
      ),
      styles: property('Available styles.', OBJECTS),
      variations: property('Available variations.', OBJECTS),
      textdomain: property('Text domain of its translations.', NULLABLE),
      parent: property('Block types that can contain it directly.', NULLABLE_LIST),
      ancestor: property('Block types that can contain it at any depth.', NULLABLE_LIST),
      keywords: property('Search keywords.', TEXTS),
      ...(since('6.3') && { selectors: property('CSS selectors of its parts.', MAP) }),
      ...(since('6.5') && {
        view_script_module_ids: property('IDs of the script modules loaded where it is shown.', TEXTS),
        view_style_handles: property('Handles of the styles loaded where it is shown.', TEXTS),
        allowed_blocks: property('Block types it can contain directly.', NULLABLE_LIST),
        block_hooks: property('Block types it is inserted next to or into automatically, and the position.', {
          ...MAP,
          additionalProperties: { type: 'string' },
        }),
      }),
      example: property('Example for a preview.', { type: ['object', 'null'], default: null }),
    },
  }
}

function property(description: string, schema: PropertySchema): PropertySchema {
  return { description, context: ['embed', 'view', 'edit'], readonly: true, ...schema }
}

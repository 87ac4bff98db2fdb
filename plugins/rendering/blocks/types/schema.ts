import type { ArgumentSchema } from '../../../../kernel/index.ts'
import { SCHEMA_DRAFT, type ItemSchema, type PropertySchema } from '../../../resources/index.ts'

/**
 * Assets of a block type. Each has a list of handles (`script_handles`) and a field for the first handle (`script`).
 */
export const ASSET_HANDLES = ['editor_script', 'script', 'view_script', 'editor_style', 'style'] as const

const TEXTS: PropertySchema = { type: 'array', items: { type: 'string' }, default: [] }
const HANDLES: PropertySchema = { ...TEXTS, type: ['array'] }
const MAP: PropertySchema = { type: 'object', properties: {}, default: {} }
const NULLABLE: PropertySchema = { type: ['string', 'null'], default: null }

/** Pattern of the names of block types. */
const BLOCK_NAME = '^[a-z][a-z0-9-]*/[a-z][a-z0-9-]*$'
const NULLABLE_NAMES: PropertySchema = {
  type: ['array', 'null'],
  items: { type: 'string', pattern: BLOCK_NAME },
  default: null,
}

const INNER_BLOCKS: PropertySchema = {
  description: 'Blocks inside the example.',
  type: 'array',
  items: {
    type: 'object',
    properties: {
      name: {
        description: 'Namespace and name of the block type.',
        type: 'string',
        pattern: BLOCK_NAME,
        required: true,
      },
      attributes: { description: 'Attributes of the block.', type: 'object' },
      innerBlocks: { description: 'Blocks inside it, in the same form.', type: 'array' },
    },
  },
}

const EXAMPLE = property('Example for a preview.', {
  type: ['object', 'null'],
  properties: {
    attributes: { description: 'Attributes of the example.', type: 'object' },
    innerBlocks: INNER_BLOCKS,
  },
  default: null,
})

const STYLE: ArgumentSchema = {
  type: 'object',
  properties: {
    name: { description: 'Name of the style.', type: 'string', required: true },
    label: { description: 'Label in the editor.', type: 'string' },
    inline_style: { description: 'CSS of its class.', type: 'string' },
    style_handle: { description: 'Handle of the style sheet with its CSS.', type: 'string' },
  },
}

const CATEGORY = property('Category in the editor.', NULLABLE)
const ICON = property('Icon in the editor.', NULLABLE)
const KEYWORDS = property('Search keywords.', TEXTS)

const VARIATION: ArgumentSchema = {
  type: 'object',
  properties: {
    name: { description: 'Name of the variation.', type: 'string', required: true },
    title: { description: 'Title in the editor.', type: 'string', required: true },
    description: { description: 'Description in the editor.', type: 'string', required: false },
    category: CATEGORY,
    icon: ICON,
    isDefault: {
      description: 'Whether the editor inserts this variation by default.',
      type: 'boolean',
      required: false,
      default: false,
    },
    attributes: { description: 'Initial attributes.', type: 'object' },
    innerBlocks: INNER_BLOCKS,
    example: EXAMPLE,
    scope: {
      description: 'Parts of the editor that offer it; all parts by default.',
      type: ['array', 'null'],
      default: null,
      items: { type: 'string', enum: ['block', 'inserter', 'transform'] },
      readonly: true,
    } as PropertySchema,
    keywords: KEYWORDS,
  },
}

/** Returns the schema of a block type. */
export function blockTypeSchema(since: (version: string) => boolean): ItemSchema {
  return {
    $schema: SCHEMA_DRAFT,
    title: 'block-type',
    type: 'object',
    properties: {
      api_version: property('Version of the block API.', { type: 'integer', default: 1 }),
      title: property('Title of the block type.', { type: 'string', default: '' }),
      name: property('Namespace and name of the block type.', { type: 'string', pattern: BLOCK_NAME, required: true }),
      description: property('Description of the block type.', { type: 'string', default: '' }),
      icon: ICON,
      attributes: property('Schemas of its attributes, by name.', {
        type: ['object', 'null'],
        properties: {},
        additionalProperties: { type: 'object' },
        default: null,
      }),
      provides_context: property(
        'Context for inner blocks: context names, and the attributes that supply the values.',
        {
          ...MAP,
          additionalProperties: { type: 'string' },
        },
      ),
      uses_context: property('Names of the context values it uses.', TEXTS),
      supports: property('Supported editor features.', MAP),
      category: CATEGORY,
      is_dynamic: property('Whether the server renders it.', { type: 'boolean', default: false }),
      ...Object.fromEntries(
        ASSET_HANDLES.flatMap((name) => [
          [`${name}_handles`, property(`Handles of the assets loaded as ${name.replace('_', ' ')}.`, HANDLES)],
          [name, property(`The first of ${name}_handles.`, NULLABLE)],
        ]),
      ),
      styles: property('Available styles.', { type: 'array', items: STYLE, default: [] }),
      variations: property('Available variations.', { type: 'array', items: VARIATION, default: null }),
      textdomain: property('Text domain of its translations.', NULLABLE),
      parent: property('Block types that can contain it directly.', NULLABLE_NAMES),
      ancestor: property('Block types that can contain it at any depth.', NULLABLE_NAMES),
      keywords: KEYWORDS,
      ...(since('6.3') && { selectors: property('CSS selectors of its parts.', MAP) }),
      ...(since('6.5') && {
        view_script_module_ids: property('IDs of the script modules loaded where it is shown.', HANDLES),
        view_style_handles: property('Handles of the styles loaded where it is shown.', HANDLES),
        allowed_blocks: property('Block types it can contain directly.', NULLABLE_NAMES),
        block_hooks: property('Block types it is inserted next to or into automatically, and the position.', {
          type: 'object',
          patternProperties: {
            [BLOCK_NAME]: { type: 'string', enum: ['before', 'after', 'first_child', 'last_child'] },
          },
          default: {},
        }),
      }),
      example: EXAMPLE,
    },
  }
}

function property(description: string, schema: PropertySchema): PropertySchema {
  return { description, context: ['embed', 'view', 'edit'], readonly: true, ...schema }
}

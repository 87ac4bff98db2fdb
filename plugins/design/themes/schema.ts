import { SCHEMA_DRAFT, type ItemSchema, type PropertySchema } from '../../resources/index.ts'
import type { PluginContext } from '../../../kernel/index.ts'
import type { SchemaFormat } from '../../library/schemas/index.ts'

const FEATURES = (
  'align-wide automatic-feed-links block-templates block-template-parts custom-background custom-header custom-logo ' +
  'customize-selective-refresh-widgets dark-editor-style disable-custom-colors disable-custom-font-sizes ' +
  'disable-custom-gradients disable-layout-styles editor-color-palette editor-font-sizes editor-gradient-presets ' +
  'editor-styles html5 post-thumbnails responsive-embeds title-tag'
).split(' ')

/** Returns the features a theme can support. @param mark prefix of block classes, part of one feature name */
export function themeFeatures(mark: string): string[] {
  return [...FEATURES, `${mark}-block-styles`]
}

/** Returns the schema of a theme, with the fields of the emulated REST API version. */
export function themeSchema({ branding: { blockMark, word }, since }: PluginContext): ItemSchema {
  const feature = {
    description: 'Whether the theme supports the feature, or the arguments of the feature.',
    type: ['boolean', 'array', 'object'],
  }
  return {
    $schema: SCHEMA_DRAFT,
    title: 'theme',
    type: 'object',
    properties: {
      stylesheet: text('Slug of the theme.'),
      template: text('Slug of the parent theme; of the theme itself without a parent.'),
      author: rawAndRendered('Author of the theme.'),
      author_uri: rawAndRendered('URL of the author.', 'uri'),
      description: rawAndRendered('Description of the theme.'),
      name: rawAndRendered('Name of the theme.'),
      requires_php: text('Minimum version of PHP; empty, because none is needed.'),
      [`requires_${word}`]: text('Minimum version of the site software; empty for any.'),
      screenshot: { ...text('URL of a screenshot.'), format: 'uri' },
      tags: {
        description: 'Tags of the theme.',
        type: 'object',
        readonly: true,
        properties: {
          raw: { description: 'Tags as stored.', type: 'array', items: { type: 'string' } },
          rendered: { description: 'Tags as HTML.', type: 'string' },
        },
      },
      textdomain: text('Text domain of its translations.'),
      theme_supports: {
        description: 'Features that the theme supports.',
        type: 'object',
        readonly: true,
        properties: {
          ...Object.fromEntries(themeFeatures(blockMark).map((name) => [name, feature])),
          formats: { description: 'Post formats that the theme supports.', type: 'array', items: { type: 'string' } },
        },
      },
      theme_uri: rawAndRendered('URL of the theme.', 'uri'),
      version: text('Version of the theme.'),
      status: {
        description: 'Whether the theme is active.',
        type: 'string',
        enum: ['inactive', 'active'],
        readonly: true,
      },
      ...(since('6.3') && {
        is_block_theme: { description: 'Whether the theme is a block theme.', type: 'boolean', readonly: true },
      }),
      ...(since('6.6') && {
        stylesheet_uri: { ...text('URL of the folder of the theme.'), format: 'uri' },
        template_uri: {
          ...text('URL of the folder of the parent theme; of the theme itself without a parent.'),
          format: 'uri',
        },
      }),
      ...(since('6.8') && {
        default_template_types: listOf('Standard templates and their purposes.', ['slug', 'title', 'description']),
        default_template_part_areas: listOf('Areas of template parts.', [
          'area',
          'label',
          'description',
          'icon',
          'area_tag',
        ]),
      }),
    },
  }
}

function listOf(description: string, names: readonly string[]): PropertySchema {
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]))
  return { description, type: 'array', readonly: true, items: { type: 'object', properties } }
}

function text(description: string): PropertySchema {
  return { description, type: 'string', readonly: true }
}

function rawAndRendered(description: string, format?: SchemaFormat): PropertySchema {
  const text: PropertySchema = { type: 'string', ...(format !== undefined && { format }) }
  return {
    description,
    type: 'object',
    readonly: true,
    properties: {
      raw: { description: 'Text as stored.', ...text },
      rendered: { description: 'Text as HTML.', ...text },
    },
  }
}

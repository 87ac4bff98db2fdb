import { SCHEMA_DRAFT, type ItemSchema, type PropertySchema } from '../../resources/index.ts'
import type { PluginContext } from '../../../kernel/index.ts'
import { POST_FORMATS } from '../../content/taxonomies/index.ts'
import type { SchemaFormat } from '../../library/schemas/index.ts'

/** A feature that themes switch on or off. */
const SWITCH: PropertySchema = { type: 'boolean', default: false }

/** Returns the schema of a feature with arguments. */
const withArguments = (properties: Record<string, PropertySchema>): PropertySchema => ({
  type: ['boolean', 'object'],
  default: false,
  properties,
  additionalProperties: false,
})

/** Returns the schema of a feature that is a list of presets. */
const presets = (properties: Record<string, PropertySchema>): PropertySchema => ({
  type: ['boolean', 'array'],
  default: false,
  items: { type: 'object', properties, additionalProperties: false },
})

const TEXT: PropertySchema = { type: 'string' }
const NUMBER: PropertySchema = { type: 'integer' }
const FLAG: PropertySchema = { type: 'boolean' }
const URL_TEXT: PropertySchema = { type: 'string', format: 'uri' }
const oneOf = (values: string): PropertySchema => ({ type: 'string', enum: values.split(' ') })

/** Features that a theme can support, by name, with the schemas of their arguments. */
const FEATURES: Readonly<Record<string, PropertySchema>> = {
  'align-wide': SWITCH,
  'automatic-feed-links': SWITCH,
  'block-templates': SWITCH,
  'block-template-parts': SWITCH,
  'custom-background': withArguments({
    'default-image': URL_TEXT,
    'default-preset': oneOf('default fill fit repeat custom'),
    'default-position-x': oneOf('left center right'),
    'default-position-y': oneOf('left center right'),
    'default-size': oneOf('auto contain cover'),
    'default-repeat': oneOf('repeat-x repeat-y repeat no-repeat'),
    'default-attachment': oneOf('scroll fixed'),
    'default-color': TEXT,
  }),
  'custom-header': withArguments({
    'default-image': URL_TEXT,
    'random-default': FLAG,
    width: NUMBER,
    height: NUMBER,
    'flex-height': FLAG,
    'flex-width': FLAG,
    'default-text-color': TEXT,
    'header-text': FLAG,
    uploads: FLAG,
    video: FLAG,
  }),
  'custom-logo': withArguments({
    width: NUMBER,
    height: NUMBER,
    'flex-width': FLAG,
    'flex-height': FLAG,
    'header-text': { type: 'array', items: TEXT },
    'unlink-homepage-logo': FLAG,
  }),
  'customize-selective-refresh-widgets': SWITCH,
  'dark-editor-style': SWITCH,
  'disable-custom-colors': SWITCH,
  'disable-custom-font-sizes': SWITCH,
  'disable-custom-gradients': SWITCH,
  'disable-layout-styles': SWITCH,
  'editor-color-palette': presets({ name: TEXT, slug: TEXT, color: TEXT }),
  'editor-font-sizes': presets({ name: TEXT, size: { type: 'number' }, slug: TEXT }),
  'editor-gradient-presets': presets({ name: TEXT, gradient: TEXT, slug: TEXT }),
  'editor-spacing-sizes': presets({ name: TEXT, size: TEXT, slug: TEXT }),
  'editor-styles': SWITCH,
  html5: {
    type: ['boolean', 'array'],
    default: false,
    items: oneOf('search-form comment-form comment-list gallery caption script style'),
  },
  'post-thumbnails': { type: ['boolean', 'array'], default: false, items: TEXT },
  'responsive-embeds': SWITCH,
  'title-tag': SWITCH,
}

/** Features that a revision added. */
const ADDED = { 'editor-spacing-sizes': '6.6' }

/**
 * Returns the features a theme can support, by name, with their schemas.
 * @param mark prefix of block classes, part of one feature name
 */
export function themeFeatures(mark: string, since: (version: string) => boolean): Record<string, PropertySchema> {
  const known = Object.entries(FEATURES).filter(
    ([name]) => !(name in ADDED) || since(ADDED[name as keyof typeof ADDED]),
  )
  return { ...Object.fromEntries(known), [`${mark}-block-styles`]: SWITCH }
}

/** Returns the schema of a theme, with the fields of the emulated REST API version. */
export function themeSchema({ branding: { blockMark, word }, since }: PluginContext): ItemSchema {
  const features = Object.entries(themeFeatures(blockMark, since)).map(([name, schema]) => [
    name,
    { description: 'Whether the theme supports the feature, or the arguments of the feature.', ...schema },
  ])
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
          ...Object.fromEntries(features),
          formats: {
            description: 'Post formats that the theme supports.',
            type: 'array',
            default: ['standard'],
            items: { type: 'string', enum: POST_FORMATS },
          },
        },
      },
      theme_uri: rawAndRendered('URL of the theme.', 'uri'),
      version: text('Version of the theme.'),
      status: {
        description: 'Whether the theme is active.',
        type: 'string',
        enum: ['inactive', 'active'],
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

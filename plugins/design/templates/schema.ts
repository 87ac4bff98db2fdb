import { SCHEMA_DRAFT, type ItemSchema, type PropertySchema } from '../../resources/index.ts'
import type { PluginContext } from '../../../kernel/index.ts'
import type { TemplateKind } from './service.ts'

/** All contexts, in the two orders that clients expect. */
const EVERYWHERE = ['embed', 'view', 'edit'] as const
const VIEW_FIRST = ['view', 'edit', 'embed'] as const

/** Returns the schema of templates or template parts, with the fields of the emulated REST API version. */
export function templateSchema({ branding, since }: PluginContext, kind: TemplateKind): ItemSchema {
  return {
    $schema: SCHEMA_DRAFT,
    title: branding.typeName(kind),
    type: 'object',
    properties: {
      id: shown('Theme and slug of the template.'),
      slug: {
        ...field('Slug of the template, unique in the theme.', { type: 'string' }),
        required: true,
        minLength: 1,
        pattern: '[a-zA-Z0-9_\\%-]+',
      },
      theme: field('Slug of the theme.', { type: 'string', references: 'template_theme' }),
      type: field('Type of the template.', {
        type: 'string',
        references: { source: 'template_type', of: branding.typeName(kind) },
      }),
      source: shown('Whether the template is a file of the theme, or stored.'),
      origin: shown('Origin of a stored template.'),
      content: {
        ...field('Content of the template.', { type: ['object', 'string'], default: '' }),
        properties: {
          raw: { description: 'Block markup.', type: 'string', context: ['view', 'edit'] },
          block_version: {
            description: 'Version of the format of the blocks.',
            type: 'integer',
            context: ['edit'],
            readonly: true,
          },
        },
      },
      title: {
        ...field('Title of the template.', { type: ['object', 'string'], default: '' }),
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
      description: field('Purpose of the template.', { type: 'string', default: '' }),
      status: field('Status of the template.', {
        type: 'string',
        enum: ['publish', 'future', 'draft', 'pending', 'private'],
        default: 'publish',
      }),
      [`${branding.word}_id`]: shown('ID of the post that stores the template; 0 for a file of the theme.', {
        type: 'integer',
      }),
      has_theme_file: shown('Whether the theme has a file for it.', BOOLEAN),
      author: { description: 'ID of the author.', type: 'integer', context: VIEW_FIRST, references: 'post_author' },
      ...(since('6.3') && { modified: date('Date of the last change, in the time zone of the site.') }),
      ...(since('6.5') && {
        author_text: { ...shown('Display name of the author.'), context: VIEW_FIRST },
        original_source: {
          ...shown('Original source of the template.'),
          enum: ['theme', 'plugin', 'site', 'user'],
          context: VIEW_FIRST,
        },
      }),
      ...(since('7.1') && { date: date('Date of creation, in the time zone of the site.') }),
      ...(kind === 'template' && { is_custom: shown('Whether users select it for single posts.', BOOLEAN) }),
      ...(kind === 'template' &&
        since('6.7') && { plugin: { ...shown('Plugin that registers the template.'), context: VIEW_FIRST } }),
      ...(kind === 'template_part' && {
        area: field('Area of the template part.', { type: 'string', references: 'template_part_area' }),
      }),
    },
  }
}

/** WordPress uses this type name for two fields. */
const BOOLEAN = { type: 'bool' as 'boolean' }

function field(description: string, rest: PropertySchema): PropertySchema {
  return { description, ...rest, context: EVERYWHERE }
}

function shown(description: string, rest: PropertySchema = { type: 'string' }): PropertySchema {
  return { ...field(description, rest), readonly: true }
}

function date(description: string): PropertySchema {
  return { description, type: ['string', 'null'], format: 'date-time', context: ['view', 'edit'], readonly: true }
}

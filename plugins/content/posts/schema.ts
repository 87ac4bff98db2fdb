import { type ItemSchema, type PropertySchema, SCHEMA_DRAFT } from '../../resources/index.ts'
import { UNLIMITED_TEXT } from '../../requests/arguments/index.ts'
import { POST_FORMATS, type Taxonomy } from '../taxonomies/index.ts'
import { actionLinks } from './links.ts'
import type { ServedType } from './served-type.ts'

/** Inputs of the schema of a post. */
export interface SchemaParts {
  served: ServedType
  /** Names of the statuses that clients can set. */
  statuses: readonly string[]
  /** The `meta` property; null if no meta is shown. */
  meta: PropertySchema | null
  /** URL template of an item with the placeholder `{id}`. */
  itemHref: string
  /** Returns the full form of a link relation. */
  relation: (name: string) => string
}

const EVERYWHERE = ['view', 'edit', 'embed'] as const
const READERS = ['view', 'edit'] as const
const EDITORS = ['edit'] as const

export function postSchema({ served, statuses, meta, itemHref, relation }: SchemaParts): ItemSchema {
  const { type, taxonomies } = served
  const properties: Record<string, PropertySchema> = {
    ...commonProperties(statuses),
    ...(type.viewable && type.public && urlProperties()),
    ...(served.hasClasses && {
      class_list: {
        description: 'CSS classes of the post.',
        type: 'array',
        items: { type: 'string' },
        context: READERS,
        readonly: true,
      },
    }),
    ...(type.hierarchical && {
      parent: { ...integer('ID of the parent; 0 for none.', READERS), references: 'post_parent' },
    }),
    ...featureProperties(served),
    ...(served.has('custom-fields') && meta !== null && { meta }),
    ...(type.name === 'post' && {
      sticky: { description: 'Whether the post stays at the top of lists.', type: 'boolean', context: READERS },
    }),
    template: {
      description: 'Template of the theme that shows the post.',
      type: 'string',
      context: READERS,
      references: { source: 'post_template', of: type.name },
    },
    ...Object.fromEntries(taxonomies.map((taxonomy) => [taxonomy.rest_base, termsProperty(taxonomy)])),
  }
  const links = actionLinks(served, itemHref, relation)
  return { $schema: SCHEMA_DRAFT, title: type.name, type: 'object', properties, links }
}

function commonProperties(statuses: readonly string[]): Record<string, PropertySchema> {
  return {
    date: {
      ...time('When the post was published, in the time zone of the site.', EVERYWHERE),
      type: ['string', 'null'],
    },
    date_gmt: { ...time('When the post was published, in UTC.', READERS), type: ['string', 'null'] },
    guid: {
      description: 'Globally unique identifier of the post.',
      type: 'object',
      context: READERS,
      readonly: true,
      properties: {
        raw: { description: 'Stored identifier.', type: 'string', context: EDITORS, readonly: true },
        rendered: {
          description: 'Identifier with escaped ampersands.',
          type: 'string',
          context: READERS,
          readonly: true,
        },
      },
    },
    id: { ...integer('ID of the post.', EVERYWHERE), readonly: true },
    link: {
      description: 'URL of the page of the post.',
      type: 'string',
      format: 'uri',
      context: EVERYWHERE,
      readonly: true,
    },
    modified: { ...time('When the post was last changed, in the time zone of the site.', READERS), readonly: true },
    modified_gmt: { ...time('When the post was last changed, in UTC.', READERS), readonly: true },
    slug: { description: 'Slug of the post, unique in its type.', type: 'string', context: EVERYWHERE },
    status: { description: 'Status of the post.', type: 'string', enum: [...statuses], context: READERS },
    type: { description: 'Name of the content type.', type: 'string', context: EVERYWHERE, readonly: true },
    password: { description: 'Password that protects content and excerpt.', type: 'string', context: EDITORS },
  }
}

function urlProperties(): Record<string, PropertySchema> {
  const shown = (description: string): PropertySchema => ({
    description,
    type: 'string',
    context: EDITORS,
    readonly: true,
  })
  return {
    permalink_template: shown('URL of the page, with a placeholder for the slug.'),
    generated_slug: shown('Slug generated from the title.'),
  }
}

/** Properties that depend on features of the type. */
function featureProperties(served: ServedType): Record<string, PropertySchema> {
  const has = (feature: string) => served.has(feature)
  const openOrClosed = (description: string): PropertySchema => ({
    description,
    type: 'string',
    enum: ['open', 'closed'],
    context: READERS,
  })
  return {
    ...(has('title') && { title: textProperty('Title of the post.', EVERYWHERE) }),
    ...(has('editor') && { content: contentProperty() }),
    ...(has('author') && { author: { ...integer('ID of the author.', EVERYWHERE), references: 'post_author' } }),
    ...(has('excerpt') && { excerpt: protectedTextProperty('Excerpt of the post.', EVERYWHERE) }),
    ...(has('thumbnail') && { featured_media: featuredMedia() }),
    ...(has('comments') && {
      comment_status: openOrClosed('Whether the post accepts comments.'),
      ping_status: openOrClosed('Whether the post accepts pingbacks.'),
    }),
    ...(has('page-attributes') && { menu_order: integer('Position among the posts of the same parent.', READERS) }),
    ...(has('post-formats') && {
      format: { description: 'Format of the post.', type: 'string', enum: [...POST_FORMATS], context: READERS },
    }),
  }
}

/** An ID without a post changes nothing; a post that is not an image removes the featured image. */
function featuredMedia(): PropertySchema {
  const references = { source: 'post', of: 'attachment', unknown: 'left out' } as const
  return { ...integer('ID of the featured image.', EVERYWHERE), references }
}

function integer(description: string, context: readonly string[]): PropertySchema {
  return { description, type: 'integer', context }
}

function time(description: string, context: readonly string[]): PropertySchema {
  return { description, type: 'string', format: 'date-time', context }
}

function textProperty(description: string, context: readonly string[]): PropertySchema {
  return {
    description,
    type: 'object',
    context,
    // Clients may also send plain text; `PostInput` parses and filters it.
    arg_options: { validate_callback: null, sanitize_callback: null },
    properties: {
      raw: { description: 'Stored text.', type: 'string', context: EDITORS },
      rendered: { description: 'Rendered HTML.', type: 'string', context, readonly: true },
    },
  }
}

function protectedTextProperty(description: string, context: readonly string[]): PropertySchema {
  const text = textProperty(description, context)
  const isProtected: PropertySchema = {
    description: 'Whether it is password-protected.',
    type: 'boolean',
    context: EVERYWHERE,
    readonly: true,
  }
  return {
    ...text,
    // Limited only by the size of the request body.
    arg_options: { ...text.arg_options, size_limits: UNLIMITED_TEXT },
    properties: { ...text.properties, protected: isProtected },
  }
}

function contentProperty(): PropertySchema {
  const { properties, ...content } = protectedTextProperty('Content of the post.', READERS)
  const { protected: isProtected, ...texts } = properties as Record<string, PropertySchema>
  const version = {
    ...integer('Version of the block format of the content; 0 without blocks.', EDITORS),
    readonly: true,
  }
  return { ...content, properties: { ...texts, block_version: version, protected: isProtected! } }
}

function termsProperty({ labels, name }: Taxonomy): PropertySchema {
  return {
    description: `Term IDs of the post: ${labels['name'] ?? name}.`,
    type: 'array',
    items: { type: 'integer' },
    context: READERS,
    references: { source: 'term', of: name, unknown: 'left out' },
  }
}

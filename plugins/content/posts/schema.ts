import type { ArgumentSchema, Arguments, ItemSchema, PropertySchema } from '../../../kernel/index.ts'
import { SCHEMA_DRAFT, TEXTS_OF_ANY_LENGTH } from '../../../kernel/index.ts'
import type { ContentType } from '../content-types/index.ts'
import type { Taxonomy } from '../taxonomies/index.ts'

/** Forms that a post can have, the first being that of one without any. */
export const POST_FORMATS = [
  'standard', 'aside', 'chat', 'gallery', 'link', 'image', 'quote', 'status', 'video', 'audio',
] as const // prettier-ignore

/** The taxonomy of forms. */
export const FORMAT_TAXONOMY = 'post_format'
/** What the slug of the term that stands for a form begins with. */
export const FORMAT_PREFIX = 'post-format-'

/** What a schema depends on. */
export interface SchemaParts {
  type: ContentType
  /** Taxonomies of the type that the interface serves. */
  taxonomies: readonly Taxonomy[]
  /** Names of the statuses that are asked for by people. */
  statuses: readonly string[]
  /** The `meta` property; null when nothing is shown. */
  meta: PropertySchema | null
  /** Address of an item, `{id}` standing for its number. */
  itemHref: string
  /** A link relation in its full form. */
  relation: (name: string) => string
}

const EVERYWHERE = ['view', 'edit', 'embed'] as const
const READERS = ['view', 'edit'] as const
const EDITORS = ['edit'] as const

/** Features that items of a type have although the type does not say so. */
const GIVEN_FEATURES: Readonly<Record<string, readonly string[]>> = { page: ['excerpt'] }

/** Whether items of a type have a feature. */
export function hasFeature(type: ContentType, feature: string): boolean {
  return Object.hasOwn(type.supports, feature) || (GIVEN_FEATURES[type.name]?.includes(feature) ?? false)
}

/** The schema of an item of a content type. */
export function postSchema(parts: SchemaParts): ItemSchema {
  const { type } = parts
  const has = (feature: string) => hasFeature(type, feature)
  const properties: Record<string, PropertySchema> = {
    ...commonProperties(parts),
    ...(type.viewable && type.public && addressProperties()),
    ...(type.hierarchical && {
      parent: { description: 'Number of the item above; 0 for none.', type: 'integer', context: READERS },
    }),
    ...(has('title') && { title: textProperty('Title of the item.', EVERYWHERE) }),
    ...(has('editor') && { content: contentProperty() }),
    ...(has('author') && { author: { description: 'Number of the author.', type: 'integer', context: EVERYWHERE } }),
    ...(has('excerpt') && { excerpt: protectedTextProperty('Short form of the item.', EVERYWHERE) }),
    ...(has('thumbnail') && {
      featured_media: {
        description: 'Number of the image that stands for the item.',
        type: 'integer',
        context: EVERYWHERE,
      },
    }),
    ...(has('comments') && {
      comment_status: {
        description: 'Whether comments are taken.',
        type: 'string',
        enum: ['open', 'closed'],
        context: READERS,
      },
      ping_status: {
        description: 'Whether other sites may tell that they link to the item.',
        type: 'string',
        enum: ['open', 'closed'],
        context: READERS,
      },
    }),
    ...(has('page-attributes') && {
      menu_order: { description: 'Place among the items of the same parent.', type: 'integer', context: READERS },
    }),
    ...(has('post-formats') && {
      format: { description: 'Form of the item.', type: 'string', enum: [...POST_FORMATS], context: READERS },
    }),
    ...(has('custom-fields') && parts.meta !== null && { meta: parts.meta }),
    ...(type.name === 'post' && {
      sticky: { description: 'Whether the item stays at the top of lists.', type: 'boolean', context: READERS },
    }),
    template: { description: 'Template of the theme that shows the item.', type: 'string', context: READERS },
    ...Object.fromEntries(parts.taxonomies.map((taxonomy) => [taxonomy.rest_base, termsProperty(taxonomy)])),
  }
  return { $schema: SCHEMA_DRAFT, title: type.name, type: 'object', properties, links: actionLinks(parts) }
}

function commonProperties({ statuses }: SchemaParts): Record<string, PropertySchema> {
  const date = (description: string, context: readonly string[]): PropertySchema => ({
    description,
    type: ['string', 'null'],
    format: 'date-time',
    context,
  })
  const changed = (description: string): PropertySchema => ({
    description,
    type: 'string',
    format: 'date-time',
    context: READERS,
    readonly: true,
  })
  return {
    date: date('When the item was published, in the time of the site.', EVERYWHERE),
    date_gmt: date('When the item was published, in UTC.', READERS),
    guid: {
      description: 'Identifier of the item that is the same everywhere.',
      type: 'object',
      context: READERS,
      readonly: true,
      properties: {
        raw: { description: 'The identifier as it is stored.', type: 'string', context: EDITORS, readonly: true },
        rendered: { description: 'The identifier for readers.', type: 'string', context: READERS, readonly: true },
      },
    },
    id: { description: 'Number of the item.', type: 'integer', context: EVERYWHERE, readonly: true },
    link: {
      description: 'Address of the page of the item.',
      type: 'string',
      format: 'uri',
      context: EVERYWHERE,
      readonly: true,
    },
    modified: changed('When the item was last changed, in the time of the site.'),
    modified_gmt: changed('When the item was last changed, in UTC.'),
    slug: { description: 'Name of the item in addresses, unique in its type.', type: 'string', context: EVERYWHERE },
    status: { description: 'State of the item.', type: 'string', enum: [...statuses], context: READERS },
    type: { description: 'Name of the content type.', type: 'string', context: EVERYWHERE, readonly: true },
    password: { description: 'Word that opens content and excerpt.', type: 'string', context: EDITORS },
  }
}

function addressProperties(): Record<string, PropertySchema> {
  return {
    permalink_template: {
      description: 'Address of the page, with a mark in place of the name.',
      type: 'string',
      context: EDITORS,
      readonly: true,
    },
    generated_slug: {
      description: 'Name in addresses that the title gives an item that is published without one.',
      type: 'string',
      context: EDITORS,
      readonly: true,
    },
  }
}

function textProperty(description: string, context: readonly string[]): PropertySchema {
  return {
    description,
    type: 'object',
    context,
    // Written as text as well: what is read of it is read where it is stored.
    arg_options: { validate_callback: null, sanitize_callback: null },
    properties: {
      raw: { description: 'As it is written.', type: 'string', context: EDITORS },
      rendered: { description: 'As readers see it, in HTML.', type: 'string', context, readonly: true },
    },
  }
}

function protectedTextProperty(description: string, context: readonly string[]): PropertySchema {
  const text = textProperty(description, context)
  const shut: PropertySchema = {
    description: 'Whether a password opens it.',
    type: 'boolean',
    context: EVERYWHERE,
    readonly: true,
  }
  return {
    ...text,
    // As long as a body may hold.
    arg_options: { ...text.arg_options, size_limits: TEXTS_OF_ANY_LENGTH },
    properties: { ...text.properties, protected: shut },
  }
}

function contentProperty(): PropertySchema {
  const { properties, ...content } = protectedTextProperty('Content of the item.', READERS)
  const version: PropertySchema = {
    description: 'Version of the blocks that the content is made of; 0 for none.',
    type: 'integer',
    context: EDITORS,
    readonly: true,
  }
  const { protected: shut, ...texts } = properties as Record<string, PropertySchema>
  return { ...content, properties: { ...texts, block_version: version, protected: shut as PropertySchema } }
}

function termsProperty({ labels, name }: Taxonomy): PropertySchema {
  return {
    description: `Numbers of the item's terms: ${labels['name'] ?? name}.`,
    type: 'array',
    items: { type: 'integer' },
    context: READERS,
  }
}

/** What links of an item tell that its reader may do with it. */
function actionLinks({ type, taxonomies, itemHref, relation }: SchemaParts): Record<string, unknown>[] {
  const link = (name: string, title: string, properties: Record<string, unknown>) => ({
    rel: relation(`action-${name}`),
    title,
    href: itemHref,
    targetSchema: { type: 'object', properties },
  })
  const links = [
    link('unfiltered-html', 'The current person may use HTML of every kind.', { content: { raw: { type: 'string' } } }),
  ]
  // What is uploaded is there at once.
  if (type.name !== 'attachment') {
    const status = { type: 'string', enum: ['publish', 'future'] }
    links.unshift(link('publish', 'The current person may publish this item.', { status }))
  }
  if (type.name === 'post') {
    links.push(link('sticky', 'The current person may keep this item at the top.', { sticky: { type: 'boolean' } }))
  }
  if (hasFeature(type, 'author')) {
    links.push(link('assign-author', 'The current person may change the author.', { author: { type: 'integer' } }))
  }
  for (const { rest_base: base, labels, name } of taxonomies) {
    const terms = { [base]: { type: 'array', items: { type: 'integer' } } }
    links.push(link(`assign-${base}`, `The current person may give terms: ${labels['name'] ?? name}.`, terms))
    links.push(link(`create-${base}`, `The current person may make terms: ${labels['name'] ?? name}.`, terms))
  }
  return links
}

/**
 * The arguments of a list of posts beside those of every list.
 * @param statuses that may be asked for
 * @param status asked for where none is named
 */
export function listArguments(
  type: ContentType,
  taxonomies: readonly Taxonomy[],
  statuses: readonly string[],
  status: string,
): Arguments {
  const has = (feature: string) => hasFeature(type, feature)
  const numbers = (description: string): ArgumentSchema => ({
    description,
    type: 'array',
    items: { type: 'integer' },
    default: [],
  })
  const time = (description: string): ArgumentSchema => ({ description, type: 'string', format: 'date-time' })
  const above = type.hierarchical || type.name === 'attachment'
  const ordered = has('page-attributes')
  return {
    after: time('Limits the list to items published after this time.'),
    modified_after: time('Limits the list to items changed after this time.'),
    ...(has('author') && {
      author: numbers('Limits the list to items of these authors.'),
      author_exclude: numbers('Leaves out items of these authors.'),
    }),
    before: time('Limits the list to items published before this time.'),
    modified_before: time('Limits the list to items changed before this time.'),
    exclude: numbers('Leaves these items out.'),
    include: numbers('Limits the list to these items.'),
    ...(ordered && { menu_order: { description: 'Limits the list to items of this place.', type: 'integer' } }),
    offset: { description: 'Skips this many items; goes before the page.', type: 'integer' },
    order: { description: 'Direction of the order.', type: 'string', default: 'desc', enum: ['asc', 'desc'] },
    orderby: {
      description: 'What the items are ordered by.',
      type: 'string',
      default: 'date',
      enum: [
        'author', 'date', 'id', 'include', 'modified', 'parent', 'relevance', 'slug', 'include_slugs', 'title',
        ...(ordered ? ['menu_order'] : []),
      ], // prettier-ignore
    },
    ...(above && {
      parent: numbers('Limits the list to items below these.'),
      parent_exclude: numbers('Leaves out items below these.'),
    }),
    slug: {
      description: 'Limits the list to items with one of these slugs.',
      type: 'array',
      items: { type: 'string' },
    },
    status: {
      description: 'Limits the list to items of these states.',
      type: 'array',
      items: { type: 'string', enum: [...statuses] },
      default: status,
    },
    ...(taxonomies.length > 0 && {
      tax_relation: {
        description: 'How conditions on several taxonomies go together.',
        type: 'string',
        enum: ['AND', 'OR'],
      },
    }),
    ...Object.fromEntries(taxonomies.flatMap(termArguments)),
    ...(type.name === 'post' && {
      sticky: { description: 'Limits the list to sticky items, or to others.', type: 'boolean' },
    }),
  }
}

function termArguments({ rest_base: base, labels, name, hierarchical }: Taxonomy): [string, ArgumentSchema][] {
  const label = labels['name'] ?? name
  const children = hierarchical && {
    include_children: { description: 'Whether terms below count too.', type: 'boolean', default: false },
  }
  const terms = { description: 'Numbers of terms.', type: 'array', items: { type: 'integer' }, default: [] }
  const operator = {
    description: 'Whether an item has all the terms, or one of them.',
    type: 'string',
    enum: ['AND', 'OR'],
    default: 'OR',
  }
  const argument = (description: string, properties: Record<string, ArgumentSchema>): ArgumentSchema => ({
    description,
    type: ['object', 'array'],
    oneOf: [
      {
        title: 'Term ID List',
        description: 'Items with one of these terms.',
        type: 'array',
        items: { type: 'integer' },
      },
      {
        title: 'Term ID Taxonomy Query',
        description: 'What is asked of the terms of an item.',
        type: 'object',
        properties,
        additionalProperties: false,
      },
    ],
  })
  return [
    [base, argument(`Limits the list to items with these terms: ${label}.`, { terms, ...children, operator })],
    [`${base}_exclude`, argument(`Leaves out items with these terms: ${label}.`, { terms, ...children })],
  ]
}

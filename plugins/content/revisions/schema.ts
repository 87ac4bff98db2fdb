import { SCHEMA_DRAFT, type ItemSchema, type PropertySchema } from '../../resources/index.ts'
import type { ArgumentSchema, Arguments } from '../../../kernel/index.ts'

const EVERYWHERE = ['view', 'edit', 'embed'] as const
const READERS = ['view', 'edit'] as const

/**
 * Returns the schema of revisions.
 * @param post schema properties of the content type
 * @param meta schema property of the stored meta; null if revisions show none
 */
export function revisionSchema(
  title: string,
  post: Readonly<Record<string, PropertySchema>>,
  meta: PropertySchema | null,
): ItemSchema {
  const { guid, title: ownTitle, content, excerpt } = post
  return {
    $schema: SCHEMA_DRAFT,
    title,
    type: 'object',
    properties: {
      author: id('ID of the user who created the revision.'),
      date: date('Date of the revision, in the time zone of the site.', EVERYWHERE),
      date_gmt: date('Date of the revision, in UTC.', READERS),
      ...(guid && { guid }),
      id: id('ID of the revision.'),
      modified: date('Date of the last change, in the time zone of the site.', READERS),
      modified_gmt: date('Date of the last change, in UTC.', READERS),
      parent: id('ID of the post of the revision.'),
      slug: { description: 'Slug of the revision, unique in its type.', type: 'string', context: EVERYWHERE },
      ...(ownTitle && { title: withRendered(ownTitle) }),
      ...(content && { content: withRendered(content) }),
      ...(excerpt && { excerpt }),
      ...(meta && { meta }),
    },
  }
}

/** The arguments of the delete route. */
export const DELETE_ARGUMENTS: Arguments = {
  force: { description: 'Must be true: revisions cannot be moved to the trash.', type: 'boolean', default: false },
}

/** Returns the arguments specific to lists of revisions. */
export function revisionListArguments(): Arguments {
  const ids = (description: string): ArgumentSchema => ({
    description,
    type: 'array',
    items: { type: 'integer' },
    default: [],
  })
  return {
    exclude: ids('IDs of revisions to exclude.'),
    include: ids('Limits the list to revisions with these IDs.'),
    offset: { description: 'Number of revisions to skip; takes precedence over page.', type: 'integer' },
    order: { description: 'Direction of the order.', type: 'string', default: 'desc', enum: ['asc', 'desc'] },
    orderby: {
      description: 'Field to order revisions by.',
      type: 'string',
      default: 'date',
      enum: ['date', 'id', 'include', 'relevance', 'slug', 'include_slugs', 'title'],
    },
  }
}

/** Adds `rendered` to a text that posts show only as raw text. */
function withRendered(property: PropertySchema): PropertySchema {
  const { context, properties = {} } = property
  if (Object.hasOwn(properties, 'rendered')) return property
  const rendered: PropertySchema = {
    description: 'Text as HTML, for display.',
    type: 'string',
    ...(context && { context }),
  }
  return { ...property, properties: { ...properties, rendered } }
}

function id(description: string): PropertySchema {
  return { description, type: 'integer', context: EVERYWHERE }
}

function date(description: string, context: readonly string[]): PropertySchema {
  return { description, type: 'string', format: 'date-time', context }
}

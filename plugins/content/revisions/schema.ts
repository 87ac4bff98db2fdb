import { SCHEMA_DRAFT, type ItemSchema, type PropertySchema } from '../../resources/index.ts'
import type { ArgumentSchema, Arguments } from '../../../kernel/index.ts'

const EVERYWHERE = ['view', 'edit', 'embed'] as const
const READERS = ['view', 'edit'] as const

/**
 * The schema of the revisions of posts.
 * @param post the properties of the posts that they are revisions of
 * @param meta the property of the meta that they keep; null where they tell none
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
      author: id('ID of the user who made the revision.'),
      date: date('When the revision was made, in the time zone of the site.', EVERYWHERE),
      date_gmt: date('When the revision was made, in UTC.', READERS),
      ...(guid && { guid }),
      id: id('ID of the revision.'),
      modified: date('When the revision was last changed, in the time zone of the site.', READERS),
      modified_gmt: date('When the revision was last changed, in UTC.', READERS),
      parent: id('ID of the post that this is a revision of.'),
      slug: { description: 'Slug of the revision, unique in its type.', type: 'string', context: EVERYWHERE },
      ...(ownTitle && { title: withRendered(ownTitle) }),
      ...(content && { content: withRendered(content) }),
      ...(excerpt && { excerpt }),
      ...(meta && { meta }),
    },
  }
}

/** The arguments of deleting a revision. */
export const DELETE_ARGUMENTS: Arguments = {
  force: { description: 'Must be true: revisions are deleted for good.', type: 'boolean', default: false },
}

/** The arguments of a list of revisions beside those of every list. */
export function revisionListArguments(): Arguments {
  const ids = (description: string): ArgumentSchema => ({
    description,
    type: 'array',
    items: { type: 'integer' },
    default: [],
  })
  return {
    exclude: ids('Leaves these revisions out.'),
    include: ids('Limits the list to these revisions.'),
    offset: { description: 'Skips this many revisions; overrides the page.', type: 'integer' },
    order: { description: 'Direction of the order.', type: 'string', default: 'desc', enum: ['asc', 'desc'] },
    orderby: {
      description: 'What the revisions are ordered by.',
      type: 'string',
      default: 'date',
      enum: ['date', 'id', 'include', 'relevance', 'slug', 'include_slugs', 'title'],
    },
  }
}

/** A text as revisions have it: rendered too, where posts show it as it is written alone. */
function withRendered(property: PropertySchema): PropertySchema {
  const { context, properties = {} } = property
  if (Object.hasOwn(properties, 'rendered')) return property
  const rendered: PropertySchema = {
    description: 'As readers see it, in HTML.',
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

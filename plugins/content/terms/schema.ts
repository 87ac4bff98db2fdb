import { CURSOR_ARGUMENT, SCHEMA_DRAFT, type ItemSchema, type PropertySchema } from '../../resources/index.ts'
import { LONG_TEXT_LIMITS } from '../../requests/arguments/index.ts'
import type { ArgumentSchema, Arguments } from '../../../kernel/index.ts'
import type { Taxonomy } from '../taxonomies/index.ts'
import { errors } from './errors.ts'
import { TERM_ORDERS } from './query.ts'

const EVERYWHERE = ['view', 'embed', 'edit'] as const
const READERS = ['view', 'edit'] as const

/**
 * The schema of a term (specification 2.1).
 * @param meta schema of the property `meta`; null for a site without meta
 */
export function termSchema({ name, objectType, hierarchical }: Taxonomy, meta: PropertySchema | null): ItemSchema {
  return {
    $schema: SCHEMA_DRAFT,
    title: objectType,
    type: 'object',
    properties: {
      id: { description: 'ID of the term.', type: 'integer', context: EVERYWHERE, readonly: true },
      count: {
        description: 'Number of published posts with the term.',
        type: 'integer',
        context: READERS,
        readonly: true,
      },
      description: {
        description: 'Description of the term, in HTML.',
        type: 'string',
        context: READERS,
        arg_options: { size_limits: LONG_TEXT_LIMITS },
      },
      link: { description: 'URL of the term.', type: 'string', format: 'uri', context: EVERYWHERE, readonly: true },
      name: { description: 'Name of the term, in HTML.', type: 'string', context: EVERYWHERE, required: true },
      slug: { description: 'Slug of the term, unique in its taxonomy.', type: 'string', context: EVERYWHERE },
      taxonomy: {
        description: 'Name of the taxonomy of the term.',
        type: 'string',
        enum: [name],
        context: EVERYWHERE,
        readonly: true,
      },
      ...(hierarchical && {
        parent: {
          description: 'ID of the parent term; 0 for none.',
          type: 'integer',
          context: READERS,
          references: {
            source: 'term',
            of: name,
            error: () => errors.rest_term_invalid({ data: { status: 400 } }),
          },
        },
      }),
      ...(meta !== null && { meta }),
    },
  }
}

/** The arguments of a list of terms that other lists lack (specification 2.1). */
export function termListArguments({ hierarchical }: Taxonomy): Arguments {
  return {
    cursor: CURSOR_ARGUMENT,
    exclude: ids('Leaves out terms with these IDs.'),
    include: ids('Limits the list to terms with these IDs.'),
    ...(!hierarchical && { offset: { description: 'Skips this many terms; overrides the page.', type: 'integer' } }),
    order: { description: 'Direction of the order.', type: 'string', default: 'asc', enum: ['asc', 'desc'] },
    orderby: { description: 'Field to sort the terms by.', type: 'string', default: 'name', enum: [...TERM_ORDERS] },
    hide_empty: { description: 'Whether to leave out terms without posts.', type: 'boolean', default: false },
    ...(hierarchical && { parent: { description: 'Limits the list to terms with this parent.', type: 'integer' } }),
    post: { description: 'Limits the list to the terms of the post with this ID.', type: 'integer', default: null },
    slug: {
      description: 'Limits the list to terms with one of these slugs.',
      type: 'array',
      items: { type: 'string' },
    },
  }
}

function ids(description: string): ArgumentSchema {
  return { description, type: 'array', items: { type: 'integer' }, default: [] }
}

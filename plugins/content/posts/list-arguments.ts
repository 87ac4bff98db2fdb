import { CURSOR_ARGUMENT } from '../../resources/index.ts'
import type { ArgumentSchema, Arguments } from '../../../kernel/index.ts'
import { POST_FORMATS, type Taxonomy } from '../taxonomies/index.ts'
import { POST_ORDERS, SEARCH_COLUMNS } from './query/index.ts'
import type { ServedType } from './served-type.ts'

/**
 * Returns the arguments of post lists that other lists lack.
 * @param statuses values that `status` accepts
 * @param status default of `status`
 */
export function listArguments(served: ServedType, statuses: readonly string[], status: string): Arguments {
  const { type, taxonomies, since } = served
  const hasParents = type.hierarchical || type.name === 'attachment'
  const hasOrder = served.has('page-attributes')
  return {
    after: time('Limits the list to posts published after this time.'),
    modified_after: time('Limits the list to posts changed after this time.'),
    ...(served.has('author') && {
      author: ids('Limits the list to posts of these authors.'),
      author_exclude: ids('Leaves out posts of these authors.'),
    }),
    cursor: CURSOR_ARGUMENT,
    before: time('Limits the list to posts published before this time.'),
    modified_before: time('Limits the list to posts changed before this time.'),
    exclude: ids('Leaves these posts out.'),
    include: ids('Limits the list to these posts.'),
    ...(hasOrder && { menu_order: { description: 'Limits the list to posts with this menu order.', type: 'integer' } }),
    offset: { description: 'Skips this many posts; overrides the page.', type: 'integer' },
    ...orderArguments(hasOrder),
    ...(hasParents && {
      parent: ids('Limits the list to posts below these.'),
      parent_exclude: ids('Leaves out posts below these.'),
    }),
    ...(since('6.2') && { search_columns: searchColumns() }),
    ...(since('6.7') && {
      search_semantics: {
        description: 'How the search is matched: `exact` finds posts with a text that equals a word or phrase of it.',
        type: 'string',
        enum: ['exact'],
      },
    }),
    slug: strings('Limits the list to posts with one of these slugs.'),
    status: {
      ...strings('Limits the list to posts of these statuses.'),
      items: { type: 'string', enum: [...statuses] },
      default: status,
    },
    ...(taxonomies.length > 0 && {
      tax_relation: {
        description: 'How conditions on several taxonomies are combined.',
        type: 'string',
        enum: ['AND', 'OR'],
      },
    }),
    ...Object.fromEntries(taxonomies.flatMap(termArguments)),
    ...(type.name === 'post' && {
      sticky: { description: 'Limits the list to sticky posts, or to others.', type: 'boolean' },
      ...(since('6.8') && {
        ignore_sticky: {
          description:
            'Whether sticky posts are sorted like other posts instead of moved to the top of the first page.',
          type: 'boolean',
          default: true,
        },
      }),
    }),
    ...(served.has('post-formats') &&
      since('6.7') && {
        format: {
          description: 'Limits the list to posts of these formats.',
          type: 'array',
          uniqueItems: true,
          items: { type: 'string', enum: [...POST_FORMATS] },
        },
      }),
  }
}

function orderArguments(hasOrder: boolean): Arguments {
  return {
    order: { description: 'Direction of the order.', type: 'string', default: 'desc', enum: ['asc', 'desc'] },
    orderby: {
      description: 'Field to sort the posts by.',
      type: 'string',
      default: 'date',
      enum: POST_ORDERS.filter((order) => hasOrder || order !== 'menu_order'),
    },
  }
}

function termArguments({ rest_base: base, labels, name, hierarchical }: Taxonomy): [string, ArgumentSchema][] {
  const label = labels['name'] ?? name
  const children: false | Arguments = hierarchical && {
    include_children: {
      description: 'Whether posts with descendant terms match too.',
      type: 'boolean',
      default: false,
    },
  }
  const terms: ArgumentSchema = { description: 'Term IDs.', type: 'array', items: { type: 'integer' }, default: [] }
  const operator: ArgumentSchema = {
    description: 'Whether a post has all the terms, or one of them.',
    type: 'string',
    enum: ['AND', 'OR'],
    default: 'OR',
  }
  return [
    [base, termArgument(`Limits the list to posts with these terms: ${label}.`, { terms, ...children, operator })],
    [`${base}_exclude`, termArgument(`Leaves out posts with these terms: ${label}.`, { terms, ...children })],
  ]
}

function termArgument(description: string, properties: Record<string, ArgumentSchema>): ArgumentSchema {
  return {
    description,
    type: ['object', 'array'],
    oneOf: [
      {
        title: 'Term ID List',
        description: 'Posts with one of these terms.',
        type: 'array',
        items: { type: 'integer' },
      },
      {
        title: 'Term ID Taxonomy Query',
        description: 'A condition on the terms of a post.',
        type: 'object',
        properties,
        additionalProperties: false,
      },
    ],
  }
}

function searchColumns(): ArgumentSchema {
  return {
    ...strings('Post fields to search.'),
    default: [],
    items: { type: 'string', enum: SEARCH_COLUMNS.map((name) => `post_${name}`) },
  }
}

function strings(description: string): ArgumentSchema {
  return { description, type: 'array', items: { type: 'string' } }
}

function ids(description: string): ArgumentSchema {
  return { description, type: 'array', items: { type: 'integer' }, default: [] }
}

function time(description: string): ArgumentSchema {
  return { description, type: 'string', format: 'date-time' }
}

import { SCHEMA_DRAFT, shownField, type ItemSchema } from '../../resources/index.ts'
import type { Arguments, ArgumentSchema } from '../../../kernel/index.ts'

/** Value of `subtype` that includes every subtype. */
export const ANY_SUBTYPE = 'any'

/** Types and subtypes that can be searched. */
export interface Searchable {
  types: readonly string[]
  subtypes: readonly string[]
}

/** The schema of a search result (specification 2.1). */
export function searchSchema({ types, subtypes }: Searchable): ItemSchema {
  const context = ['view', 'embed']
  const text = (description: string) => shownField(description, 'string', context)
  return {
    $schema: SCHEMA_DRAFT,
    title: 'search-result',
    type: 'object',
    properties: {
      id: shownField('ID of the object, or its slug.', ['integer', 'string'], context),
      title: text('Title of the object.'),
      url: { ...text('URL of the object.'), format: 'uri' },
      type: { ...text('Type of the object.'), enum: [...types] },
      subtype: { ...text('Content type or taxonomy of the object.'), enum: [...subtypes] },
    },
  }
}

/** The arguments of a search that other lists lack. */
export function searchArguments({ types, subtypes }: Searchable): Arguments {
  const ids: ArgumentSchema = { type: 'array', items: { type: 'integer' }, default: [] }
  return {
    type: { description: 'Type of the objects to search.', type: 'string', default: types[0], enum: [...types] },
    subtype: {
      description: 'Limits the search to these content types or taxonomies.',
      type: 'array',
      items: { type: 'string', enum: [...subtypes, ANY_SUBTYPE] },
      default: ANY_SUBTYPE,
    },
    exclude: { description: 'Leaves out objects with these IDs.', ...ids },
    include: { description: 'Limits the search to objects with these IDs.', ...ids },
  }
}

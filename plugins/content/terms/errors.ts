import { defineErrors } from '../../../kernel/index.ts'

export const errors = defineErrors({
  rest_term_invalid: [404, 'Term does not exist.'],
  rest_cannot_view: [401, 'You may not view the terms of this taxonomy.'],
  rest_forbidden_context: [401, (action: string) => `You may not ${action}.`],
  rest_cannot_create: [403, 'You may not create terms in this taxonomy.'],
  rest_cannot_update: [403, 'You may not edit this term.'],
  rest_cannot_delete: [403, 'You may not delete this term. The default term of a taxonomy cannot be deleted.'],
  rest_taxonomy_not_hierarchical: [400, 'Cannot set parent term, taxonomy is not hierarchical.'],
  empty_term_name: [400, 'A name is required for this term.'],
  term_exists: [400, 'A term with this name already exists: set a different slug, or use the existing term.'],
  duplicate_term_slug: [400, 'Another term of the taxonomy already has this slug.'],
  rest_post_invalid_id: [400, 'The parameter "post" is not the ID of an existing post.'],
})

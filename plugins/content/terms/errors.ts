import { defineErrors } from '../../../kernel/index.ts'

export const errors = defineErrors({
  rest_term_invalid: [404, 'There is no such term.'],
  rest_cannot_view: [401, 'You may not see the terms of this taxonomy.'],
  rest_forbidden_context: [401, (why: string) => `You may not ${why}.`],
  rest_cannot_create: [403, 'You may not create terms in this taxonomy.'],
  rest_cannot_update: [403, 'You may not change this term.'],
  rest_cannot_delete: [403, 'You may not delete this term: nobody may delete the one that new content gets.'],
  rest_taxonomy_not_hierarchical: [400, 'Terms of this taxonomy have no terms above them: leave parent out.'],
  empty_term_name: [400, 'A term needs a name.'],
  term_exists: [400, 'A term of this name is there already: give the new one a slug of its own, or use that term.'],
  duplicate_term_slug: [400, 'Another term of the taxonomy has this slug.'],
  rest_post_invalid_id: [400, 'There is no such post: name one that is there in the parameter post.'],
})

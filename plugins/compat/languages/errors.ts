import { defineErrors } from '../../public.ts'

export const errors = defineErrors({
  rest_cannot_create: [403, 'Sorry, you are not allowed to create a language.'],
  rest_cannot_update: [403, 'Sorry, you are not allowed to edit this language.'],
  rest_cannot_delete: [403, 'Sorry, you are not allowed to delete this language.'],
  rest_forbidden_context: [403, 'Sorry, you are not allowed to edit options.'],
  rest_invalid_slug: [404, 'Invalid language slug'],
  rest_invalid_id: [404, 'Invalid language ID'],
  pll_non_unique_slug: [400, 'The language code must be unique'],
  pll_invalid_name: [400, 'The language must have a name'],
  pll_invalid_language: [400, (slug: string) => `The language ${slug} does not exist.`],
  pll_invalid_translations: [
    400,
    (slug: string) => `The translation in "${slug}" is not an item of the same kind in this language.`,
  ],
})

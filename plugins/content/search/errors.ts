import { defineErrors } from '../../../kernel/index.ts'

/** The errors of the search. */
export const errors = defineErrors({
  SEARCH_HANDLERS_INVALID: [
    500,
    (why: string) => `A tap of the search handlers left a list that cannot be searched with: ${why}.`,
  ],
  rest_search_invalid_page_number: [400, 'The search has fewer pages than that.'],
})

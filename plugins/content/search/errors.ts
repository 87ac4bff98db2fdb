import { defineErrors } from '../../../kernel/index.ts'

/** The errors of the search. */
export const errors = defineErrors({
  SEARCH_HANDLERS_INVALID: (reason: string) =>
    `A tap of svc_rest_search_handlers returned invalid handlers: ${reason}.`,
  rest_search_invalid_page_number: [400, 'The page number requested is larger than the number of pages available.'],
})

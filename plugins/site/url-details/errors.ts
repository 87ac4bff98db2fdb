import { defineErrors } from '../../../kernel/index.ts'

export const errors = defineErrors({
  rest_cannot_view_url_details: [403, 'Only users who can edit posts can read URL details.'],
  rest_invalid_url: [400, 'The URL must be an HTTP URL of a public site.'],
  no_response: [404, 'The URL did not respond with a page.'],
  no_content: [404, 'The page at this URL is empty or not HTML.'],
})

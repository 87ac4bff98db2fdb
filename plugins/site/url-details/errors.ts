import { defineErrors } from '../../../kernel/index.ts'

export const errors = defineErrors({
  rest_cannot_view_url_details: [403, 'Only users who may edit posts can ask about URLs.'],
  rest_invalid_url: [400, 'This URL is not asked: give one of a public site.'],
  no_response: [404, 'Nothing that could be shown was answered at this URL.'],
  no_content: [404, 'The page at this URL is empty.'],
})

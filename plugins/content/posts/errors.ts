import { defineErrors } from '../../../kernel/index.ts'

export const errors = defineErrors({
  rest_post_invalid_id: [404, 'There is no content of this kind under this number.'],
  rest_post_exists: [
    400,
    'What is about to be made has no number: leave id out, or change the content of this number.',
  ],
  rest_cannot_create: [403, 'You may not make content of this kind.'],
  rest_cannot_edit: [403, 'You may not change this content.'],
  rest_cannot_edit_others: [403, 'You may not write in the name of others.'],
  rest_cannot_delete: [403, 'You may not delete this content.'],
  rest_cannot_publish: [403, 'You may not publish content of this kind: save it as a draft or as pending.'],
  rest_cannot_assign_sticky: [403, 'You may not decide what stays at the top of lists.'],
  rest_cannot_assign_term: [403, 'You may not give one of these terms to content.'],
  rest_invalid_author: [400, 'There is no user of this number who could be the author.'],
  rest_invalid_field: [400, (why: string) => why],

  rest_already_trashed: [410, 'This content is in the trash already: set force to true to delete it.'],
  empty_content: [400, 'Title, content and excerpt are all empty: give one of them.'],
  rest_forbidden_context: [403, 'You may not edit this, so it cannot be shown for editing.'],
  rest_forbidden_status: [403, 'You may not list content of this status.'],
  rest_post_incorrect_password: [403, 'The password of this content is another one.'],
  rest_post_too_many_attempts: [
    429,
    (seconds: number) =>
      `Too many wrong passwords for this content came from this address. Try again in ${seconds} seconds.`,
  ],
  rest_post_invalid_page_number: [400, 'The list has fewer pages than that.'],
  rest_no_search_term_defined: [400, 'A list is ordered by relevance only where it is searched: give search too.'],
  rest_orderby_include_missing_include: [400, 'A list is ordered by include only where include names what it holds.'],
})

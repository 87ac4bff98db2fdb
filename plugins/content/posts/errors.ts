import { defineErrors } from '../../../kernel/index.ts'

export const errors = defineErrors({
  rest_post_invalid_id: [404, 'No post with this ID.'],
  POSTS_SCOPE_MISSING:
    'A query of posts does not say for whom it is: pass services.posts.forUser(query, user), or readScope: null for what the site itself looks for.',
  rest_post_exists: [400, 'A new post has no ID yet: leave id out, or change the post with this ID.'],
  rest_cannot_create: [403, 'You may not create posts of this type.'],
  rest_cannot_edit: [403, 'You may not change this post.'],
  rest_cannot_edit_others: [403, 'You may not write posts in the name of others.'],
  rest_cannot_delete: [403, 'You may not delete this post.'],
  rest_cannot_publish: [403, 'You may not publish posts of this type: save it as a draft or as pending.'],
  rest_cannot_assign_sticky: [403, 'You may not decide which posts are sticky.'],
  rest_cannot_assign_term: [403, 'You may not assign one of these terms.'],
  rest_invalid_author: [400, 'No user with this ID who could be the author.'],
  rest_invalid_field: [400, (why: string) => why],
  empty_content: [400, 'Title, content and excerpt are all empty: give one of them.'],
  rest_forbidden_context: [403, 'You may not edit this post, so it is not shown in the context edit.'],
  rest_forbidden_status: [403, 'You may not list posts of this status.'],
  rest_post_incorrect_password: [403, 'The password is not that of this post.'],
  rest_post_too_many_attempts: [
    429,
    (seconds: number) =>
      `Too many wrong passwords for this post came from this IP address. Try again in ${seconds} seconds.`,
  ],
  rest_post_invalid_page_number: [400, 'The list has fewer pages than that.'],
  rest_no_search_term_defined: [400, 'Only a search can be ordered by relevance: give search too.'],
  rest_orderby_include_missing_include: [400, 'Only a list with include can be ordered by include: give include too.'],
})

import { defineErrors } from '../../../kernel/index.ts'

export const errors = defineErrors({
  rest_preview_invalid: [403, 'This preview link is not valid: request a new one.'],
  rest_preview_expired: [403, 'This preview link has expired: request a new one.'],
  rest_preview_invalid_revision: [400, 'This post has no revision or autosave with this ID.'],
  rest_preview_trashed: [409, 'This post is in the trash: restore it first.'],
  rest_preview_unknown_front_end: [400, (message: string) => message],
  PREVIEW_NOT_EDITABLE: (login: string, id: number) =>
    `${login} may not edit the post ${id}, or no post with previews has this ID. Pass a user who may edit the post.`,
  PREVIEWS_FRONT_END_INVALID: (name: string, mistake: string) => `The preview front end "${name}" ${mistake}.`,
})

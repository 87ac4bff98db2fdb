import { defineErrors } from '../../../kernel/index.ts'

export const errors = defineErrors({
  rest_preview_invalid: [403, 'This link shows no preview, or not any more: ask for a new one.'],
  rest_preview_expired: [403, 'This link to a preview has expired: ask for a new one.'],
  rest_preview_invalid_revision: [400, 'This post has no revision or autosave with this ID.'],
  rest_preview_trashed: [409, 'This post is in the trash: restore it first.'],
  rest_preview_unknown_front_end: [400, (why: string) => why],
  PREVIEW_NOT_EDITABLE: (login: string, id: number) =>
    `${login} may not edit the post ${id}, or there is none with previews: name a user who may.`,
  PREVIEWS_FRONT_END_INVALID: (name: string, why: string) => `The front end ${name} of previews ${why}.`,
})

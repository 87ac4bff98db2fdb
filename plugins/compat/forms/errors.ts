import { defineErrors } from '../../public.ts'

export const errors = defineErrors({
  wpcf7_forbidden: [403, (reason: string) => reason],
  wpcf7_not_found: [404, 'The requested contact form was not found.'],
  wpcf7_post_exists: [400, 'Cannot create existing contact form.'],
  wpcf7_unsupported_media_type: [415, 'The request payload format is not supported.'],
  wpcf7_unit_tag_not_found: [400, 'There is no valid unit tag.'],
  forms_too_many_submissions: [
    429,
    (seconds: number) => `Too many messages were sent from this address. Try again in ${seconds} seconds.`,
  ],
})

import { defineErrors } from '../../public.ts'

export const errors = defineErrors({
  rest_forbidden: [403, 'Sorry, you are not allowed to do that.'],
  redirect: [400, (reason: string) => reason],
  redirect_update_failed: [400, 'Invalid redirect details'],
  redirect_group_update_failed: [400, 'Invalid group details'],
  redirect_import_invalid_file: [400, 'Invalid file upload'],
  redirect_too_many: [400, (count: number) => `A site can have at most ${count} redirects.`],
})

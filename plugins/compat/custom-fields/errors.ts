import { defineErrors } from '../../public.ts'

export const errors = defineErrors({
  FIELD_JSON_INVALID: [
    400,
    (reason: string) => `The file is not an export of Advanced Custom Fields: ${reason}. Export the groups as JSON.`,
  ],
})

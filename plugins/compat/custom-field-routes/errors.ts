import { defineErrors } from '../../public.ts'

export const errors = defineErrors({
  // The status that clients of the recorded plugin get for a request without fields.
  cant_update_item: [500, 'Cannot update item'],
})

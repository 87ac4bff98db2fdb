import { defineErrors } from '../../public.ts'

export const errors = defineErrors({
  not_found: [
    404,
    (key: string) =>
      `No menu has been found with this id or slug: \`${key}\`. Please ensure you passed an existing menu ID, menu slug, ` +
      'location ID or location slug.',
  ],
})

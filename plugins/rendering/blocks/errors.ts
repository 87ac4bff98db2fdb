import { defineErrors } from '../../../kernel/index.ts'

/** The errors of blocks. */
export const errors = defineErrors({
  BLOCK_TYPE_INVALID: [
    500,
    (name: string) =>
      `A type of blocks cannot be named "${name}": take a namespace, a slash and a name, in lower-case letters, digits and hyphens.`,
  ],
  rest_block_type_cannot_view: [403, 'You may not see the types of blocks: that needs the right to write content.'],
  rest_block_type_invalid: [404, 'There is no type of blocks of this name.'],
  block_invalid: [404, 'There is no type of blocks of this name that the server renders.'],
  block_cannot_read: [403, 'You may not render blocks here: that needs the right to write the content they stand in.'],
})

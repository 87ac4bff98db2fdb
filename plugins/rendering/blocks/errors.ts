import { defineErrors, sentence } from '../../../kernel/index.ts'

/** Errors of the plugin `blocks`. */
export const errors = defineErrors({
  BLOCK_TYPE_INVALID: (name: string) =>
    `"${name}" is not a valid name of a block type: use "namespace/name" with lower-case letters, digits and hyphens.`,
  BLOCK_TYPE_DEFINITION_INVALID: (plugin: string, name: string, reason: string) =>
    `${plugin} registers the block ${name} wrongly: ${sentence(reason)}`,
  rest_block_type_cannot_view: [403, 'Sorry, you are not allowed to view block types.'],
  rest_block_type_invalid: [404, 'No block type with this name.'],
  block_invalid: [404, 'The server renders no block type with this name.'],
  block_cannot_read: [403, 'Sorry, you are not allowed to render blocks of this post.'],
})

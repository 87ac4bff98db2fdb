import { defineErrors, sentence } from '../../../kernel/index.ts'

/** Errors of the plugin `blocks`. */
export const errors = defineErrors({
  BLOCK_TYPE_INVALID: (name: string) =>
    `A block type cannot be named "${name}": use a namespace, a slash and a name, in lower-case letters, digits and hyphens.`,
  BLOCK_TYPE_DEFINITION_INVALID: (plugin: string, name: string, why: string) =>
    `${plugin} registers the block ${name} wrongly: ${sentence(why)}`,
  rest_block_type_cannot_view: [403, 'You may not read block types: you may not edit posts of any type.'],
  rest_block_type_invalid: [404, 'No block type with this name.'],
  block_invalid: [404, 'No block type with this name that the server renders.'],
  block_cannot_read: [403, 'You may not render blocks here: you may not edit the post.'],
})

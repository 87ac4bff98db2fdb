import { defineErrors } from '../../../kernel/index.ts'

/** The errors of the block editor. */
export const errors = defineErrors({
  EDITOR_NO_NPM: 'The block editor is fetched by npm, which is not here: install it, or put it on the PATH.',
  EDITOR_NOT_FETCHED: (why: string) =>
    `The packages of the block editor were not fetched, and nothing has changed: is the npm registry within reach? ${why}`,
  EDITOR_NOT_BUNDLED: (why: string) => `The block editor was not bundled, and nothing has changed: ${why}`,
  EDITOR_NOT_INSTALLED: 'No block editor is installed: install it with "svc editor install".',
  EDITOR_MANIFEST_BROKEN: (file: string) =>
    `${file} cannot be read: install the block editor anew with "svc editor install".`,
})

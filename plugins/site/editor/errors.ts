import { defineErrors } from '../../../kernel/index.ts'

export const errors = defineErrors({
  EDITOR_NO_NPM: 'npm was not found on the PATH. Install npm to install the block editor.',
  EDITOR_NOT_FETCHED: (reason: string) =>
    `npm could not download the packages of the block editor; the installed version is unchanged. Check the connection to the npm registry. ${reason}`,
  EDITOR_NOT_BUNDLED: (reason: string) =>
    `The block editor could not be bundled; the installed version is unchanged. ${reason}`,
  EDITOR_NOT_INSTALLED: 'The block editor is not installed. Run "svc editor install".',
  EDITOR_MANIFEST_BROKEN: (file: string) =>
    `${file} is invalid. Run "svc editor install" to install the block editor again.`,
})

import { definePlugin } from '../../../kernel/index.ts'

/** The styles and settings of the theme with those of the user. */
export default definePlugin({
  name: 'global-styles',
  since: '5.9',
  apply() {},
})

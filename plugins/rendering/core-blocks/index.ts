import { definePlugin } from '../../../kernel/index.ts'

/** The types of the core blocks, and the HTML of those that show data of the site. */
export default definePlugin({
  name: 'core-blocks',
  apply() {},
})

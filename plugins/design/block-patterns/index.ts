import { definePlugin } from '../../../kernel/index.ts'

/** Patterns of blocks, their categories, and the patterns of users. */
export default definePlugin({
  name: 'block-patterns',
  since: '6.0',
  apply() {},
})

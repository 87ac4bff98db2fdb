import { definePlugin } from '../../../kernel/index.ts'

/** Templates and template parts: those of the theme, and what users make of them. */
export default definePlugin({
  name: 'templates',
  since: '5.8',
  apply() {},
})

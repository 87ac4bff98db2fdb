import { definePlugin } from '../../../kernel/index.ts'

/** Embeds of own posts for others, and of the posts of others here. */
export default definePlugin({
  name: 'oembed',
  apply() {},
})

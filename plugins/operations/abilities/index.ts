import { definePlugin } from '../../../kernel/index.ts'

/** What the plugins of the site can do, for programs that ask what there is. */
export default definePlugin({
  name: 'abilities',
  since: '6.9',
  apply() {},
})

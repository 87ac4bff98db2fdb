import { definePlugin } from '../../../kernel/index.ts'

/** Tests of the site that clients ask for. */
export default definePlugin({
  name: 'site-health',
  since: '5.6',
  apply() {},
})

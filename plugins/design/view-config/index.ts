import { definePlugin } from '../../../kernel/index.ts'

/** How editors list and edit the items of a kind, as data. */
export default definePlugin({
  name: 'view-config',
  since: '7.1',
  apply() {},
})

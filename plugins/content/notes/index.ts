import { definePlugin } from '../../../kernel/index.ts'

/** Notes that editors leave each other on posts. */
export default definePlugin({
  name: 'notes',
  since: '6.9',
  apply() {},
})

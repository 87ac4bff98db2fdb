import { definePlugin } from '../../../kernel/index.ts'

/** Icons that blocks and editors use. */
export default definePlugin({
  name: 'icons',
  since: '7.0',
  apply() {},
})

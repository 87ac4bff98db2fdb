import { definePlugin } from '../../../kernel/index.ts'

/** Navigations made of blocks, and the one that is used where none is chosen. */
export default definePlugin({
  name: 'navigation',
  since: '5.9',
  apply() {},
})

import { definePlugin } from '../../../kernel/index.ts'

/** Font families, their faces and collections to choose from. */
export default definePlugin({
  name: 'fonts',
  since: '6.5',
  apply() {},
})

import { definePlugin } from '../../../kernel/index.ts'

/** Sidebars and widgets, of which there are none here: the routes answer what is true. */
export default definePlugin({
  name: 'widgets',
  since: '5.8',
  apply() {},
})

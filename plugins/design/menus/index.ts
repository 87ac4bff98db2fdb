import { definePlugin } from '../../../kernel/index.ts'

/** Menus, their items, and the locations of the theme that they are at. */
export default definePlugin({
  name: 'menus',
  since: '5.9',
  apply() {},
})

import { definePlugin } from '../../../kernel/index.ts'

/** Title, icon and image of a URL, for the link dialog of editors. */
export default definePlugin({
  name: 'url-details',
  since: '5.9',
  apply() {},
})

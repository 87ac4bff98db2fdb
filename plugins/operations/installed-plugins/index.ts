import { definePlugin } from '../../../kernel/index.ts'

/** Lists the plugins of the site, which are installed by its config. */
export default definePlugin({
  name: 'installed-plugins',
  since: '5.5',
  apply() {},
})

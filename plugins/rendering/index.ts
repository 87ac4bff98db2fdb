import type { AnyPlugin } from '../../kernel/index.ts'
import blocks from './blocks/index.ts'
import html from './html/index.ts'
import rendering from './rendering/index.ts'
import shortcodes from './shortcodes/index.ts'
import smilies from './smilies.ts'
import themes from './themes/index.ts'

/** How content becomes HTML. */
const plugins: readonly AnyPlugin[] = [themes, html, rendering, shortcodes, blocks, smilies]
export default plugins

import type { AnyPlugin } from '../../kernel/index.ts'
import blocks from './blocks/index.ts'
import html from './html/index.ts'
import rendering from './content-rendering/index.ts'
import shortcodes from './shortcodes/index.ts'
import smilies from './smilies.ts'
import coreBlocks from './core-blocks/index.ts'
import feedReader from './feed-reader/index.ts'
import oembed from './oembed/index.ts'

/** Plugins that turn stored content into HTML. */
const plugins: readonly AnyPlugin[] = [html, rendering, shortcodes, blocks, smilies, coreBlocks, feedReader, oembed]
export default plugins

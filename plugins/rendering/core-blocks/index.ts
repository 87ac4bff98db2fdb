import { definePlugin } from '../../../kernel/index.ts'
import type { BlockTypeSpec } from '../blocks/index.ts'
import types from './block-types.json' with { type: 'json' }
import { commentBlocks } from './comments/index.ts'
import { navigationBlocks } from './navigation/index.ts'
import { postBlocks } from './post/index.ts'
import { keepFirstPagesAlone } from './query/asked-page.ts'
import { queryBlocks } from './query/index.ts'
import { rendererOf, type Renderer } from './renderer.ts'
import { siteBlocks } from './site/index.ts'
import { themeBlocks } from './theme/index.ts'
import { widgetBlocks } from './widgets/index.ts'

/** The renderers of blocks, by their names without `core/`. Other blocks are the HTML that is stored in them. */
const RENDERERS: ReadonlyMap<string, Renderer> = new Map(
  [widgetBlocks, siteBlocks, postBlocks, queryBlocks, commentBlocks, navigationBlocks, themeBlocks].flatMap((blocks) =>
    Object.entries(blocks),
  ),
)

/** The types of the core blocks, and the HTML of those that show data of the site. */
export default definePlugin({
  name: 'core-blocks',
  since: '6.5',
  needs: [
    'blocks',
    'comments',
    'content-types',
    'html',
    'media',
    'meta',
    'permalinks',
    'posts',
    'rendering',
    'roles',
    'settings',
    'taxonomies',
    'terms',
    'users',
  ],
  uses: ['block-patterns', 'cookie-auth', 'navigation', 'outgoing', 'templates', 'themes'],
  apply(plugin) {
    const { blocks } = plugin.services
    keepFirstPagesAlone(plugin)
    for (const [name, type] of Object.entries(types as unknown as Record<string, BlockTypeSpec>)) {
      const renderer = RENDERERS.get(name)
      blocks.register(`core/${name}`, { ...type, render: renderer === undefined ? null : rendererOf(plugin, renderer) })
    }
  },
})

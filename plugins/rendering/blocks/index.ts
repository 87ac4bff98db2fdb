import { applySyncFilter, definePlugin } from '../../../kernel/index.ts'
import { EXCERPT_BLOCKS, EXCERPT_WRAPPERS, excerptHtml } from './excerpt.ts'
import { blockHooks } from './hooks.ts'
import { BlockRendererController } from './renderer-controller.ts'
import { registerServerBlocks } from './server-blocks.ts'
import { Blocks } from './service.ts'
import { BlockTypesController } from './types/controller.ts'

export type { Block } from './parse.ts'
export type { PageStyles } from './page-rules.ts'
export type { Blocks } from './service.ts'
export {
  borderClasses,
  colorClasses,
  kindClass,
  styleOf,
  wrapperAttributes,
  type StylePart,
  type WrapperAttributes,
} from './supports.ts'
export type {
  BlockAttribute,
  BlockBinder,
  BlockInstance,
  BlockPlace,
  BlockRenderer,
  BlockRendering,
  BlockType,
  BlockTypeSpec,
  RenderCallback,
  BoundBlock,
} from './types/registry.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Registers block types, and parses and renders the blocks of content.
     * @example
     * services.blocks.register('shop/price', {
     *   attributes: { of: { type: 'integer' } },
     *   render_callback: ({ of }) => `<p>Price of ${Number(of)}</p>`,
     * })
     */
    blocks: Blocks
  }
}

/** Renders the blocks of content, keeps the registry of block types, and adds the routes that list and render them. */
export default definePlugin({
  name: 'blocks',
  needs: ['resources', 'content-rendering', 'posts', 'content-types', 'roles', 'translations'],
  uses: ['global-styles'],
  provides: ['blocks'],
  hooks: blockHooks,
  apply(plugin) {
    const { hooks, provide } = plugin
    const blocks = new Blocks(plugin)
    provide('blocks', blocks)
    // From 6.5 on, they are part of the core blocks.
    if (!plugin.since('6.5')) registerServerBlocks(plugin, blocks)

    hooks.the_content.tapPromise({ name: 'blocks', stage: 10 }, (content, post, scope) =>
      blocks.isIn(content) ? blocks.show(content, post, scope) : content,
    )
    hooks.excerpt_content.tap('blocks', (content) => {
      if (!blocks.isIn(content)) return content
      const allowed = applySyncFilter(hooks.excerpt_allowed_blocks, EXCERPT_BLOCKS)
      const wrappers = applySyncFilter(hooks.excerpt_allowed_wrapper_blocks, EXCERPT_WRAPPERS)
      return excerptHtml(blocks.parse(content), new Set(allowed), new Set(wrappers))
    })
    hooks.rest_api_init.tap('blocks', (server) => {
      new BlockTypesController(plugin, blocks).register(server)
      new BlockRendererController(plugin, blocks).register(server)
    })
  },
})

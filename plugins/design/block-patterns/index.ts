import { definePlugin } from '../../../kernel/index.ts'
import { termLabels } from '../../content/labels.ts'
import { PatternCategoriesController, PatternsController } from './controller.ts'
import { BlockPatterns } from './service.ts'

export type { BlockPattern, BlockPatterns, PatternCategory } from './service.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Registers block patterns and their categories.
     * @example
     * services.blockPatterns.registerCategory('garden', { label: 'Garden' })
     * services.blockPatterns.register('garden/bed', {
     *   title: 'A bed',
     *   categories: ['garden'],
     *   content: '<p>Roses</p>',
     * })
     */
    blockPatterns: BlockPatterns
  }
}

export interface BlockPatternsOptions {
  /** Whether every theme has the patterns of the built-in default theme. */
  built_in: boolean
}

/** Lists the block patterns of the theme, of this server and of plugins, and registers the categories of patterns that users create. */
export default definePlugin<BlockPatternsOptions>({
  name: 'block-patterns',
  since: '6.0',
  needs: ['resources', 'themes', 'translations', 'content-types', 'taxonomies'],
  provides: ['blockPatterns'],
  options: { built_in: { default: true, type: 'boolean' } },
  apply(plugin, { built_in: hasBuiltIn }) {
    const { branding, hooks, provide, services, since } = plugin
    const patterns = new BlockPatterns(plugin, hasBuiltIn)
    provide('blockPatterns', patterns)
    if (since('6.4')) {
      services.taxonomies.register(branding.typeName('pattern_category'), branding.typeName('block'), {
        labels: { ...termLabels('Pattern Category', 'Pattern Categories'), add_new_item: 'Add Category' },
        public: false,
        // Pattern categories have no archive pages, but every user can list them, like the categories of posts.
        public_terms: true,
        show_ui: true,
        show_admin_column: true,
        show_tagcloud: false,
        show_in_rest: true,
        rewrite: false,
        query_var: false,
      })
    }
    hooks.rest_api_init.tap('block-patterns', (server) => {
      new PatternsController(plugin, patterns).register(server)
      new PatternCategoriesController(plugin, patterns).register(server)
    })
  },
})

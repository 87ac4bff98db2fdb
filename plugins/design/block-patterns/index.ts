import { definePlugin } from '../../../kernel/index.ts'
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

/** Lists the block patterns of the theme and of plugins, and registers the categories of patterns that users create. */
export default definePlugin({
  name: 'block-patterns',
  since: '6.0',
  needs: ['resources', 'themes', 'translations', 'content-types', 'taxonomies'],
  provides: ['blockPatterns'],
  apply(plugin) {
    const { branding, hooks, provide, services, since } = plugin
    const patterns = new BlockPatterns(plugin)
    provide('blockPatterns', patterns)
    if (since('6.4')) {
      services.taxonomies.register(branding.typeName('pattern_category'), branding.typeName('block'), {
        labels: patternCategoryLabels(),
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

/** Returns the labels of pattern categories: the ones of tags, which editors show next to each other. */
function patternCategoryLabels(): Record<string, string> {
  const [one, many] = ['Pattern Category', 'Pattern Categories']
  const [small, smallMany] = ['pattern category', 'pattern categories']
  return {
    name: many,
    singular_name: one,
    search_items: `Search ${many}`,
    popular_items: `Popular ${many}`,
    edit_item: `Edit ${one}`,
    view_item: `View ${one}`,
    update_item: `Update ${one}`,
    add_new_item: 'Add Category',
    new_item_name: `New ${one} Name`,
    separate_items_with_commas: `Separate ${smallMany} with commas`,
    add_or_remove_items: `Add or remove ${smallMany}`,
    choose_from_most_used: `Choose from the most used ${smallMany}`,
    not_found: `No ${smallMany} found.`,
    no_terms: `No ${smallMany}`,
    items_list_navigation: `${many} list navigation`,
    items_list: `${many} list`,
    back_to_items: `&larr; Go to ${many}`,
    item_link: `${one} Link`,
    item_link_description: `A link to a ${small}.`,
  }
}

import { FORMAT_TAXONOMY } from './post-formats.ts'
import type { Taxonomies } from './service.ts'

/** Registers the built-in taxonomies. */
export function registerDefaults(taxonomies: Taxonomies): void {
  taxonomies.register('category', 'post', {
    hierarchical: true,
    show_admin_column: true,
    show_in_rest: true,
    rest_base: 'categories',
    capabilities: {
      manage_terms: 'manage_categories',
      edit_terms: 'edit_categories',
      delete_terms: 'delete_categories',
      assign_terms: 'assign_categories',
    },
    rewrite: { slug: 'category', hierarchical: true },
    query_var: 'category_name',
  })
  taxonomies.register('post_tag', 'post', {
    show_admin_column: true,
    show_in_rest: true,
    rest_base: 'tags',
    capabilities: {
      manage_terms: 'manage_post_tags',
      edit_terms: 'edit_post_tags',
      delete_terms: 'delete_post_tags',
      assign_terms: 'assign_post_tags',
    },
    rewrite: { slug: 'tag' },
    query_var: 'tag',
  })
  // Served by a separate plugin.
  taxonomies.register('nav_menu', 'nav_menu_item', {
    labels: { name: 'Navigation Menus', singular_name: 'Navigation Menu' },
    public: false,
    rest_base: 'menus',
    capabilities: {
      manage_terms: 'edit_theme_options',
      edit_terms: 'edit_theme_options',
      delete_terms: 'edit_theme_options',
      assign_terms: 'edit_theme_options',
    },
    rewrite: false,
    query_var: false,
  })
  taxonomies.register(FORMAT_TAXONOMY, 'post', {
    labels: { name: 'Formats', singular_name: 'Format' },
    show_ui: false,
    show_in_nav_menus: false,
    rewrite: { slug: 'type' },
  })
}

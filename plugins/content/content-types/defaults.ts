import type { PluginContext } from '../../../kernel/index.ts'
import { namedLabels, type Labels } from '../labels.ts'
import type { ContentTypes } from './types/service.ts'
import type { Statuses } from './statuses/service.ts'

/** Capabilities for writing items of a type, except for `create_posts`. */
const WRITE_CAPABILITIES = (
  'edit_posts edit_others_posts edit_private_posts edit_published_posts delete_posts delete_others_posts ' +
  'delete_private_posts delete_published_posts publish_posts read_private_posts'
).split(' ')

/** Capabilities that have separate names for reusable blocks. */
const SEPARATE_BLOCK_CAPABILITIES = /^publish_|_private_/

/** Users with `edit_theme_options` may do everything with the parts of a theme. */
const THEME_CAPABILITIES = Object.fromEntries(
  [...WRITE_CAPABILITIES, 'create_posts'].map((name) => [name, 'edit_theme_options']),
)

/** Registers the built-in content types and statuses. */
export function registerDefaults(types: ContentTypes, statuses: Statuses, { branding, since }: PluginContext): void {
  // Clients expect the options of a feature as the only item of a list.
  const editing = { title: true, editor: since('6.9') ? [{ notes: true }] : true }
  types.register('post', {
    labels: { name_admin_bar: 'Post' },
    public: true,
    supports: {
      ...editing,
      author: true,
      thumbnail: true,
      excerpt: true,
      trackbacks: true,
      'custom-fields': true,
      comments: true,
      revisions: true,
      'post-formats': true,
    },
    show_in_rest: true,
    rest_base: 'posts',
    map_meta_cap: true,
    rewrite: false,
    query_var: false,
    icon: 'dashicons-admin-post',
    delete_with_user: true,
  })
  types.register('page', {
    labels: { name_admin_bar: 'Page' },
    public: true,
    hierarchical: true,
    supports: {
      ...editing,
      author: true,
      thumbnail: true,
      'page-attributes': true,
      'custom-fields': true,
      comments: true,
      revisions: true,
    },
    show_in_rest: true,
    rest_base: 'pages',
    capability_type: 'page',
    map_meta_cap: true,
    rewrite: false,
    query_var: false,
    icon: 'dashicons-admin-page',
    delete_with_user: true,
  })
  // Types without routes are not registered as shown in REST; the plugin that serves them sets it, for this one the
  // media plugin.
  types.register('attachment', {
    labels: {
      name: 'Media',
      name_admin_bar: 'Media',
      singular_name: 'Media',
      add_new: 'Add New',
      ...(since('7.0') && { add_new: 'Add Media File', add_new_item: 'Add Media File' }),
      edit_item: 'Edit Media',
      view_item: 'View Attachment Page',
      attributes: 'Attachment Attributes',
    },
    public: true,
    supports: ['title', 'author', 'comments'],
    rest_base: 'media',
    capabilities: { create_posts: 'upload_files' },
    map_meta_cap: true,
    show_in_nav_menus: false,
    rewrite: false,
    query_var: false,
    icon: 'dashicons-admin-media',
    delete_with_user: true,
  })
  types.register('revision', {
    labels: { name: 'Revisions', singular_name: 'Revision' },
    supports: ['author'],
    map_meta_cap: true,
    rewrite: false,
    query_var: false,
    delete_with_user: true,
  })
  types.register('nav_menu_item', {
    labels: { name: 'Navigation Menu Items', singular_name: 'Navigation Menu Item' },
    rest_base: 'menu-items',
    // Routes of menu items show the items of open menus to everyone. Nothing else does, such as the change feed.
    capabilities: { ...THEME_CAPABILITIES, read: 'edit_theme_options' },
    map_meta_cap: true,
    rewrite: false,
    query_var: false,
    delete_with_user: false,
  })
  // Only users who may write posts see a reusable block on its own; readers see it within other content.
  types.register(branding.typeName('block'), {
    labels: blockLabels(since('6.3')),
    supports: [
      'title',
      'editor',
      'revisions',
      ...(since('6.3') ? ['custom-fields'] : []),
      ...(since('6.6') ? ['excerpt'] : []),
    ],
    show_ui: true,
    show_in_rest: true,
    rest_base: 'blocks',
    capability_type: 'block',
    capabilities: {
      ...Object.fromEntries(
        WRITE_CAPABILITIES.filter((name) => !SEPARATE_BLOCK_CAPABILITIES.test(name)).map((name) => [name, name]),
      ),
      read: 'edit_posts',
      create_posts: 'publish_posts',
    },
    map_meta_cap: true,
    rewrite: false,
  })
  for (const [name, base, singular, plural, description] of [
    ['template', 'templates', 'Template', 'Templates', 'Block markup of whole pages.'],
    ['template_part', 'template-parts', 'Template Part', 'Template Parts', 'Block markup that templates include.'],
  ] as const) {
    types.register(branding.typeName(name), {
      labels: namedLabels(singular, plural),
      description,
      supports: ['title', 'slug', 'excerpt', 'editor', 'revisions', 'author'],
      rest_base: base,
      rest_controller_class: false,
      capability_type: name === 'template' ? ['template', 'templates'] : 'post',
      capabilities: { ...THEME_CAPABILITIES, read: 'edit_theme_options' },
      unique_slugs: false,
      map_meta_cap: true,
      rewrite: false,
    })
  }
  types.register(branding.typeName('navigation'), {
    labels: namedLabels('Navigation Menu', 'Navigation Menus', ['Navigation Menu', 'Navigation Menu']),
    description: 'Menus of links that blocks show.',
    supports: ['title', 'editor', 'revisions'],
    show_ui: true,
    rest_base: 'navigation',
    capabilities: THEME_CAPABILITIES,
    map_meta_cap: true,
    rewrite: false,
  })

  statuses.register('publish', { label: 'Published', public: true })
  statuses.register('future', { label: 'Scheduled', protected: true })
  statuses.register('draft', { label: 'Draft', protected: true, date_floating: true })
  statuses.register('pending', { label: 'Pending', protected: true, date_floating: true })
  statuses.register('private', { label: 'Private', private: true })
  statuses.register('trash', { label: 'Trash', internal: true })
  statuses.register('auto-draft', { label: 'auto-draft', internal: true, date_floating: true })
  statuses.register('inherit', { label: 'inherit', internal: true, exclude_from_search: false })
  // Statuses of requests to export or erase personal data.
  for (const [step, label] of [
    ['pending', 'Pending'],
    ['confirmed', 'Confirmed'],
    ['failed', 'Failed'],
    ['completed', 'Completed'],
  ] as const) {
    statuses.register(`request-${step}`, { label, internal: true })
  }
}

/** Returns the labels of reusable blocks, which newer editors call patterns. */
function blockLabels(arePatterns: boolean): Labels {
  const [one, many] = arePatterns
    ? (['Pattern', 'Patterns'] as const)
    : (['Reusable block', 'Reusable blocks'] as const)
  const {
    parent_item_colon: _parent,
    insert_into_item: _insert,
    uploaded_to_this_item: _uploaded,
    ...labels
  } = namedLabels(one, many)
  const all = `All ${many}`
  return {
    ...labels,
    view_items: `View ${many}`,
    all_items: all,
    archives: all,
    item_published: `${one} published.`,
    item_published_privately: `${one} published privately.`,
    item_reverted_to_draft: `${one} reverted to draft.`,
    item_scheduled: `${one} scheduled.`,
  }
}

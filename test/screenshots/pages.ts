import { GROUPS } from '../../plugins/site/admin/pages/settings/groups.ts'

/** A page of the screenshots. */
export interface ShownPage {
  /** Name of its picture. */
  readonly name: string
  /** Path on the site; words in capital letters stand for the IDs of the sample. */
  readonly path: string
  /** Selector of an element that the scripts of the page add last. */
  readonly ready?: string
  /** Status of the response; 200 by default. */
  readonly status?: number
  /** Whether opening the page changes the site: an editor locks its post. Lists of changes are shown before. */
  readonly changesSite?: boolean
  /** Selector of texts that change with each run or release. They are replaced by dots. */
  readonly varying?: string
}

const ADMIN: readonly ShownPage[] = [
  { name: 'dashboard', path: '', varying: 'section:has(#panel-storage) dd' },
  ...['site', 'appearance', 'content', 'account', 'post'].map((step) => ({
    name: `setup-${step}`,
    path: `welcome/${step}`,
  })),
  { name: 'search', path: 'search?q=tide' },
  { name: 'posts', path: 'content/post' },
  { name: 'pages', path: 'content/page' },
  { name: 'patterns', path: 'content/svc_block' },
  { name: 'navigation', path: 'content/svc_navigation' },
  { name: 'new-post', path: 'content/post/new', ready: '.ProseMirror', changesSite: true },
  { name: 'edit-post', path: 'content/post/POST', ready: '.ProseMirror', changesSite: true },
  { name: 'edit-page', path: 'content/page/PAGE', ready: '.ProseMirror', changesSite: true },
  { name: 'revisions', path: 'content/post/POST/revisions' },
  { name: 'categories', path: 'terms/category' },
  { name: 'tags', path: 'terms/post_tag' },
  { name: 'edit-category', path: 'terms/category/TERM' },
  { name: 'comments', path: 'comments' },
  { name: 'edit-comment', path: 'comments/COMMENT' },
  { name: 'media', path: 'media' },
  { name: 'media-upload', path: 'media/new' },
  { name: 'edit-file', path: 'media/FILE' },
  { name: 'appearance', path: 'appearance', changesSite: true },
  { name: 'menus', path: 'menus' },
  { name: 'edit-menu', path: 'menus/MENU' },
  { name: 'users', path: 'users' },
  { name: 'new-user', path: 'users/new' },
  { name: 'roles', path: 'users/roles' },
  { name: 'edit-user', path: 'users/USER' },
  { name: 'delete-user', path: 'users/delete?ids=USER' },
  { name: 'account', path: 'account' },
  ...GROUPS.map(({ name }) =>
    name === '' ? { name: 'settings', path: 'settings' } : { name: `settings-${name}`, path: `settings/${name}` },
  ),
  { name: 'permalinks', path: 'settings/permalinks' },
  { name: 'import', path: 'import' },
  { name: 'export', path: 'export' },
  { name: 'plugins', path: 'plugins' },
  { name: 'plugin', path: 'plugins/posts' },
  { name: 'jobs', path: 'jobs' },
  { name: 'health', path: 'health', varying: 'dd' },
  { name: 'changes', path: 'changes' },
  { name: 'log-out', path: 'log-out' },
  { name: 'not-found', path: 'content/nothing', status: 404 },
  // Pages of the plugins that stand in for plugins of WordPress.
  { name: 'content-types', path: 'content-types' },
  { name: 'new-content-type', path: 'content-types/add/type' },
  { name: 'edit-content-type', path: 'content-types/type/boat' },
  { name: 'field-groups', path: 'custom-fields' },
  { name: 'new-field-group', path: 'custom-fields/add' },
  { name: 'edit-field-group', path: 'custom-fields/group_boats' },
  { name: 'form-messages', path: 'forms' },
  { name: 'form-message', path: 'forms/MESSAGE' },
  { name: 'languages', path: 'languages' },
  { name: 'redirects', path: 'redirects' },
  { name: 'redirects-missing', path: 'redirects/missing' },
  { name: 'edit-redirect', path: 'redirects/REDIRECT' },
  { name: 'settings-search-engines', path: 'settings/search-engines' },
]

/** Pages of the admin, opened as an administrator. */
export const ADMIN_PAGES: readonly ShownPage[] = ADMIN.map((page) => ({ ...page, path: `/svc-admin/${page.path}` }))

/** Pages for visitors that no theme changes. */
export const VISITOR_PAGES: readonly ShownPage[] = [{ name: 'log-in', path: '/svc-login' }]

/** Pages that each theme shows to visitors. */
export const PUBLIC_PAGES: readonly ShownPage[] = [
  { name: 'home', path: '/' },
  { name: 'post', path: '/2026/03/12/letters-of-the-spring-tide/' },
  { name: 'page', path: '/about-the-harbor/' },
  { name: 'archive', path: '/category/tides/' },
  { name: 'search', path: '/?s=tide' },
  { name: 'not-found', path: '/nothing/', status: 404 },
]

export const THEMES = ['default', 'magazine', 'minimal'] as const

/** Replaces the words in capital letters of a path by IDs. */
export function filledPath(path: string, ids: Readonly<Record<string, number>>): string {
  return path.replace(/\b[A-Z]{3,}\b/g, (word) => String(ids[word]))
}

import type { Branding } from '../../../kernel/index.ts'
import type { ContentType } from '../../content/content-types/index.ts'
import type { Post } from '../../content/posts/index.ts'
import type { PreloadEntry } from '../../responses/preload.ts'

/**
 * Fields of the index, in the order of the editor's own request: it uses a preloaded response only for the same URL.
 */
const INDEX_FIELDS =
  'description,gmt_offset,home,image_max_bit_depth,image_sizes,image_size_threshold,image_strip_meta,name,site_icon,site_icon_url,site_logo,timezone_string,url,page_for_posts,page_on_front,show_on_front'

/** The active theme, as far as preloading needs it. */
export interface ThemeFacts {
  /** Slug of the theme. */
  readonly stylesheet: string
  /** ID of the post with the user's styles. */
  readonly stylesId: number
  /** Whether the user may change the styles. */
  readonly mayEditStyles: boolean
}

/** Returns the first requests of the post editor, with exactly the same URLs. */
export function postPaths(branding: Branding, type: ContentType, post: Post, theme: ThemeFacts): PreloadEntry[] {
  const root = `/${branding.namespace('v2')}`
  const items = `/${type.rest_namespace}/${type.rest_base}`
  const item = `${items}/${post.id}`
  return [
    ...commonPaths(root, theme),
    `${item}?context=edit`,
    `${root}/types/${type.name}?context=edit`,
    `${item}/autosaves?context=edit`,
    ...(type.viewable ? templatePaths(root, type, post) : []),
    ...('author' in type.supports ? [`${root}/users/${post.author_id}?context=view&_fields=id,name`] : []),
    ...[`${root}/media`, `${root}/pages`, `${root}/blocks`, `${root}/templates`, items].map(optionsOf),
  ]
}

/** Returns the requests for the template of the post and of the front page. */
function templatePaths(root: string, type: ContentType, post: Post): PreloadEntry[] {
  const slug = type.name === 'page' ? 'page' : `single-${type.name}`
  const slugs = [post.slug === '' ? slug : `${slug}-${post.slug}`, 'front-page']
  return slugs.map((one) => `${root}/templates/lookup?slug=${one}`)
}

/** Returns the first requests of the site editor. */
export function sitePaths(branding: Branding, theme: ThemeFacts): PreloadEntry[] {
  const root = `/${branding.namespace('v2')}`
  const typeOf = (name: string) => `${root}/types/${branding.typeName(name)}?context=edit`
  return [
    ...commonPaths(root, theme),
    typeOf('template'),
    typeOf('template_part'),
    `${root}/templates?context=edit&per_page=-1`,
    `${root}/template-parts?context=edit&per_page=-1`,
    `${root}/templates/lookup?slug=front-page`,
    `${root}/templates/lookup?slug=home`,
    ...[`${root}/media`, `${root}/pages`, `${root}/blocks`, `${root}/templates`].map(optionsOf),
  ]
}

function commonPaths(root: string, { stylesheet, stylesId, mayEditStyles }: ThemeFacts): PreloadEntry[] {
  const styles = `${root}/global-styles`
  return [
    `${root}/types?context=view`,
    `${root}/taxonomies?context=view`,
    `${root}/taxonomies?context=edit`,
    `${root}/users/me`,
    `${root}/settings`,
    `${styles}/themes/${stylesheet}?context=view`,
    `${styles}/themes/${stylesheet}/variations?context=view`,
    `${root}/themes?context=edit&status=active`,
    `${styles}/${stylesId}?context=${mayEditStyles ? 'edit' : 'view'}`,
    `${root}/block-patterns/categories`,
    `/?_fields=${INDEX_FIELDS}`,
    optionsOf(`${styles}/${stylesId}`),
    optionsOf(`${root}/settings`),
  ]
}

const optionsOf = (path: string): PreloadEntry => [path, 'OPTIONS']

import { isObject } from '../../../kernel/index.ts'
import type { Renderer } from './renderer.ts'

/**
 * Names of blocks with a renderer, without `core/`. Equals the keys in `renderers.ts`, which is only loaded when
 * needed.
 */
export const RENDERED: ReadonlySet<string> = new Set(
  `accordion accordion-heading accordion-item archives avatar block breadcrumbs calendar categories comment-author-name comment-content comment-date
comment-edit-link comment-reply-link comment-template comments comments-pagination comments-pagination-next
comments-pagination-numbers comments-pagination-previous comments-title cover footnotes gallery home-link icon image
latest-comments latest-posts legacy-widget loginout media-text navigation navigation-link navigation-overlay-close
navigation-submenu page-list pattern playlist playlist-track post-author
post-author-biography post-author-name post-comments post-comments-count post-comments-form post-comments-link
post-content post-date post-excerpt post-featured-image post-navigation-link post-template post-terms
post-time-to-read post-title query-no-results query-pagination query-pagination-next query-pagination-numbers
query-pagination-previous query-title query-total read-more rss search shortcode site-logo site-tagline site-title
social-link tab-list tab-panel tab-panels tabs tag-cloud template-part term-count term-description term-name term-template video widget-group`.split(
    /\s+/,
  ),
)

const always = () => true

/** Blocks with stored HTML that their renderer changes, and whether it changes blocks with these attributes. */
export const RENDERED_IF: Readonly<
  Record<string, ((attributes: Readonly<Record<string, unknown>>) => boolean) | undefined>
> = {
  accordion: ({ autoclose }) => autoclose === true,
  'accordion-heading': always,
  'accordion-item': always,
  cover: ({ useFeaturedImage }) => useFeaturedImage === true,
  gallery: ({ randomOrder }) => randomOrder === true,
  image: ({ lightbox }) => isObject(lightbox) && lightbox['enabled'] === true,
  'media-text': ({ useFeaturedImage }) => useFeaturedImage === true,
  'tab-list': always,
  'tab-panel': always,
  'tab-panels': always,
  tabs: always,
}

type Renderers = Readonly<Record<string, Renderer | undefined>>

let loaded: Renderers | undefined
let loading: Promise<Renderers> | undefined

/** Returns the renderer of a block. The first use loads all renderers. @param name one of `RENDERED` */
export function rendererNamed(name: string): Renderer {
  return (block, rendering) =>
    loaded === undefined ? load().then((all) => all[name]!(block, rendering)) : loaded[name]!(block, rendering)
}

function load(): Promise<Renderers> {
  return (loading ??= import('./renderers.ts').then(({ RENDERERS }) => (loaded = RENDERERS)))
}

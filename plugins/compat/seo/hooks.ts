import { filter, type Filter, type HookSpecs } from '../../public.ts'
import type { Head, SeoPage } from './page.ts'

/** The hooks of the plugin `seo`. */
interface SeoHooks {
  /**
   * Filter: the title, texts, images and structured data of the head of a page, before they are written for the REST API
   * or for a page of the site. @since 0.1.0
   */
  seo_head: Filter<Head, [page: SeoPage]>
}

declare module '../../../kernel/index.ts' {
  interface Hooks extends SeoHooks {}
}

export const seoHooks: HookSpecs<SeoHooks> = {
  seo_head: { ...filter('head', 'page'), accepts: (head) => typeof head === 'object' && head !== null },
}

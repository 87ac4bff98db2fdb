import { definePlugin } from '../../public.ts'
import { switchedOn } from '../switched-on.ts'
import type { Dialect } from './dialect.ts'
import { seoHooks } from './hooks.ts'

export type { Head, HeadImage, PageSubject, Piece, SeoPage } from './page.ts'

/** Options of the plugin. */
export interface SeoOptions {
  /** Plugin of WordPress whose data are served. By default the one whose data the site has. */
  dialect: Dialect | 'auto'
}

/**
 * Serves titles, descriptions, robots, images and structured data of pages, from the data of Yoast SEO or Rank Math: in
 * the REST API under the names of these plugins, and in the heads of pages of the site.
 */
export default definePlugin<SeoOptions>({
  name: 'seo',
  description: 'Heads of pages, from the data of Yoast SEO or Rank Math.',
  needs: [
    'changes',
    'content-rendering',
    'content-types',
    'extra-fields',
    'media',
    'meta',
    'permalinks',
    'posts',
    'roles',
    'settings',
    'store',
    'taxonomies',
    'terms',
    'translations',
    'users',
  ],
  uses: ['admin', 'crawlers', 'site-pages'],
  startsIf: switchedOn('seo'),
  hooks: seoHooks,
  options: { dialect: { default: 'auto', type: 'string', enum: ['auto', 'yoast', 'rank-math'] } },
  async apply(plugin, { dialect }) {
    const { start } = await import('./start.ts')
    await start(plugin, dialect)
  },
})

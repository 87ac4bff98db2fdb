import { applyFilter, type PluginContext } from '../../public.ts'
import type { Dialect } from './dialect.ts'
import { SeoFacts } from './facts.ts'
import type { Head, SeoPage } from './page.ts'
import { RankMathHeads } from './rank-math/head.ts'
import { SeoResolver } from './resolver.ts'
import { YoastHeads } from './yoast/head.ts'

/** Builds the heads of pages in the dialect of the site. */
export class SeoHeads {
  readonly dialect: Dialect
  readonly resolver: SeoResolver
  readonly #plugin: PluginContext
  readonly #builder: RankMathHeads | YoastHeads

  constructor(plugin: PluginContext, dialect: Dialect) {
    const facts = new SeoFacts(plugin)
    this.dialect = dialect
    this.resolver = new SeoResolver(plugin)
    this.#plugin = plugin
    this.#builder = dialect === 'yoast' ? new YoastHeads(facts) : new RankMathHeads(facts)
  }

  /** Whether search engines may list a page. */
  isIndexed(page: SeoPage): Promise<boolean> {
    return this.#builder.isIndexed(page)
  }

  /** Returns the head of a page, after the filter `seo_head`. */
  async of(page: SeoPage): Promise<Head> {
    const head = await this.#builder.headOf(page)
    const isList = page.pages > 1 && page.kind !== 'missing' && page.kind !== 'other'
    const linked = isList
      ? {
          ...head,
          prev: await this.resolver.urlOf(page, page.page - 1),
          next: await this.resolver.urlOf(page, page.page + 1),
        }
      : head
    return applyFilter(this.#plugin.hooks.seo_head, linked, page)
  }
}

import {
  plainText,
  type FoundPost,
  type FoundTerm,
  type PluginContext,
  type RequestCache,
  type User,
} from '../../public.ts'
import type { SeoPage } from './page.ts'
import { SeoTexts } from './texts.ts'

/** Type of the image service of avatars in pixels. */
const AVATAR_SIZE = 96

/** An entry of the breadcrumbs of a page. */
export interface Crumb {
  readonly name: string
  readonly url: string
}

/** The facts about posts, terms and users that heads contain, read through services that batch the reads of a list. */
export class SeoFacts {
  readonly plugin: PluginContext
  readonly texts: SeoTexts

  constructor(plugin: PluginContext) {
    this.plugin = plugin
    this.texts = new SeoTexts(plugin.services)
  }

  /** Returns the stored values of an object by key, one for each key. */
  async meta(kind: 'post' | 'term' | 'user', id: number, scope: RequestCache): Promise<ReadonlyMap<string, unknown>> {
    const values = await this.plugin.services.meta.registeredValues(kind, id, scope)
    return new Map([...values].map(([key, [first]]) => [key, first]))
  }

  /** Returns the terms of a post in a taxonomy, ordered by name. */
  async termsOf(post: FoundPost, taxonomy: string, scope: RequestCache): Promise<readonly FoundTerm[]> {
    return (await this.plugin.services.terms.ofPosts(scope).load(post.id)).get(taxonomy) ?? []
  }

  /** Returns the primary term of a post: the chosen one if the post has it, otherwise the first. */
  async primaryTerm(
    post: FoundPost,
    taxonomy: string,
    chosen: unknown,
    scope: RequestCache,
  ): Promise<FoundTerm | null> {
    const terms = await this.termsOf(post, taxonomy, scope)
    return terms.find(({ id }) => id === Number(chosen)) ?? terms[0] ?? null
  }

  /** Returns the author of a post. */
  async author({ author_id: id }: FoundPost, scope: RequestCache): Promise<User | null> {
    return id === 0 ? null : ((await this.plugin.services.users.get(id, scope)) ?? null)
  }

  /** Returns the number of published posts of a user. */
  async postCount(user: { readonly id: number }): Promise<number> {
    const { posts } = this.plugin.services
    const { total } = await posts.queryKeys({
      types: ['post'],
      statuses: ['publish'],
      author: [user.id],
      limit: 1,
      readScope: null,
    })
    return total
  }

  /** Returns the biography of a user as plain text. */
  async biography(id: number, scope: RequestCache): Promise<string> {
    return plainText((await this.plugin.services.users.profile(id, scope)).description)
  }

  avatarUrl(email: string): string {
    const { avatars } = this.plugin.services
    return avatars.areShown ? avatars.url(email, AVATAR_SIZE) : ''
  }

  /** Returns the name of a page without the title of the site, as plain text. */
  async name(page: SeoPage): Promise<string> {
    switch (page.kind) {
      case 'post':
        return this.title(page.post)
      case 'term':
        return plainText(page.term.name)
      case 'author':
        return plainText(page.user.name)
      case 'type':
        return page.type.label
      case 'date':
        return this.period(page.period)
      case 'search':
        return page.search
      case 'home':
      case 'missing':
      case 'other':
        return ''
    }
  }

  title({ title }: Pick<FoundPost, 'title'>): string {
    return plainText(title)
  }

  /** Formats a period: `May 2024`. */
  async period(period: string): Promise<string> {
    const [year = '', month = '01', day = '01'] = period.split('-')
    const format = ['Y', 'F Y', ''][period.split('-').length - 1] ?? ''
    return this.texts.date(`${year}-${month}-${day} 00:00:00`, format)
  }

  /** Returns the pages above a page and the page itself, from the home page. */
  async crumbs(page: SeoPage, home: string, primary: FoundTerm | null): Promise<Crumb[]> {
    const { permalinks, posts } = this.plugin.services
    const { scope } = page
    const first = { name: home, url: this.plugin.urls.site('/') }
    if (page.isFront || page.kind === 'home') return [first]
    const above: Crumb[] = []
    if (page.kind === 'post') {
      await posts.loadAll([page.post.parent_id], scope)
      for (const parent of [...(await permalinks.above(page.post, scope))].reverse())
        if (parent.status === 'publish')
          above.push({ name: plainText(parent.title), url: await permalinks.post(parent, scope) })
      if (primary !== null) above.push(...(await this.#crumbsOf(primary, scope)))
    }
    if (page.kind === 'term') above.push(...(await this.#crumbsOf(page.term, scope)).slice(0, -1))
    return [first, ...above, { name: await this.name(page), url: page.url ?? '' }]
  }

  /** The terms above a term, and the term itself. */
  async #crumbsOf(term: FoundTerm, scope: RequestCache): Promise<Crumb[]> {
    const { permalinks, terms } = this.plugin.services
    const linked = [...(await permalinks.termsAbove(term, scope))].reverse()
    const above = await Promise.all(linked.map(async ({ id }) => terms.get(id, scope)))
    return Promise.all(
      [...above, term]
        .filter((one) => one !== undefined)
        .map(async (one) => ({ name: plainText(one.name), url: await permalinks.term(one, scope) })),
    )
  }
}

import { hash } from 'node:crypto'
import { plainText, trimEndSlashes, type FoundTerm, type RequestCache, type User } from '../../../public.ts'
import type { SeoFacts } from '../facts.ts'
import { imageFrom, isWebUrl } from '../images.ts'
import { isOn, listOf, textOf } from '../options.ts'
import { withoutEmpty, type Head, type HeadImage, type Piece, type SeoPage } from '../page.ts'
import { utcTime } from '../texts.ts'
import type { Chosen } from './chosen.ts'
import type { YoastSettings } from './settings.ts'

/** The facts from which the structured data of a page are made, in addition to its head. */
export interface GraphSource {
  readonly facts: SeoFacts
  readonly settings: YoastSettings
  readonly featured: HeadImage | null
  readonly primary: FoundTerm | null
  readonly chosen: Chosen
}

/** Returns the structured data of a page. */
export async function graphOf(page: SeoPage, head: Omit<Head, 'graph'>, source: GraphSource): Promise<Piece[]> {
  return new YoastGraph(page, head, source).pieces()
}

class YoastGraph {
  readonly #page: SeoPage
  readonly #head: Omit<Head, 'graph'>
  readonly #source: GraphSource
  /** URL of the home page, with its slash. */
  readonly #home: string
  readonly #language: string
  readonly #url: string

  constructor(page: SeoPage, head: Omit<Head, 'graph'>, source: GraphSource) {
    this.#page = page
    this.#head = head
    this.#source = source
    this.#home = `${trimEndSlashes(source.facts.plugin.urls.site('/'))}/`
    this.#language = head.og.locale.replaceAll('_', '-')
    this.#url = page.url ?? ''
  }

  async pieces(): Promise<Piece[]> {
    const page = this.#page
    const { featured } = this.#source
    if (page.kind === 'missing' || page.kind === 'other') return [this.#website(), ...(await this.#owner())]
    const crumbs = await this.#crumbs()
    const person =
      page.kind === 'author'
        ? [await this.#person(page.user, page.scope, true)]
        : page.kind === 'post' && this.#articleType !== null
          ? await this.#author(page)
          : []
    return [
      ...(await this.#article(person[0])),
      await this.#webPage(person[0]),
      ...(featured === null ? [] : [this.#image(featured, `${this.#url}#primaryimage`)]),
      ...(crumbs === null ? [] : [crumbs]),
      this.#website(),
      ...(await this.#owner()),
      ...person,
    ]
  }

  get #isFront(): boolean {
    return this.#page.isFront || this.#page.kind === 'home'
  }

  /** The person or company that publishes the site; undefined without one. */
  get #publisher() {
    const { owner, settings } = { owner: this.#source.settings.owner, settings: this.#source.settings }
    if (owner === '') return undefined
    const id = owner === 'company' ? '#organization' : personId(textOf(settings.titles, 'company_or_person_user_id'))
    return { '@id': `${this.#home}${id}` }
  }

  get #articleType(): string | null {
    const page = this.#page
    if (page.kind !== 'post' || this.#isFront) return null
    const own = this.#source.chosen('schema_article_type')
    if (own === 'None') return null
    return /^\w{1,40}$/.test(own) ? own : this.#source.settings.articleType(page.post.type)
  }

  async #article(person: Piece | undefined): Promise<Piece[]> {
    const page = this.#page
    const type = this.#articleType
    if (page.kind !== 'post' || type === null) return []
    const { facts, featured } = this.#source
    const { post, scope } = page
    const names = async (taxonomy: string) =>
      (await facts.termsOf(post, taxonomy, scope)).map(({ name }) => plainText(name))
    return [
      withoutEmpty({
        '@type': type,
        '@id': `${this.#url}#article`,
        isPartOf: { '@id': this.#url },
        author: person === undefined ? undefined : { name: person['name'], '@id': person['@id'] },
        headline: facts.title(post),
        ...this.#times(),
        mainEntityOfPage: { '@id': this.#url },
        wordCount: facts.texts.words(post) || undefined,
        commentCount: post.comment_status === 'open' || post.comment_count > 0 ? post.comment_count : undefined,
        publisher: this.#publisher,
        ...this.#imageOfPage(false),
        thumbnailUrl: featured?.url,
        keywords: await names('post_tag'),
        articleSection: await names('category'),
        inLanguage: this.#language,
        potentialAction:
          post.comment_status === 'open'
            ? [{ '@type': 'CommentAction', name: 'Comment', target: [`${this.#url}#respond`] }]
            : undefined,
      }),
    ]
  }

  #times(): Piece {
    const page = this.#page
    if (page.kind !== 'post') return {}
    return { datePublished: utcTime(page.post.date_gmt), dateModified: utcTime(page.post.modified_gmt) }
  }

  #imageOfPage(isPage: boolean): Piece {
    if (this.#source.featured === null) return {}
    const image = { '@id': `${this.#url}#primaryimage` }
    return isPage ? { primaryImageOfPage: image, image } : { image }
  }

  async #webPage(person: Piece | undefined): Promise<Piece> {
    const page = this.#page
    const { title, description } = this.#head
    const { featured } = this.#source
    const hasAction = page.kind === 'post' || page.kind === 'author'
    return withoutEmpty({
      '@type': this.#pageType(),
      '@id': this.#url,
      url: this.#url,
      name: title,
      isPartOf: { '@id': `${this.#home}#website` },
      about: this.#isFront ? this.#publisher : undefined,
      ...this.#imageOfPage(true),
      thumbnailUrl: featured?.url,
      ...this.#times(),
      author:
        person !== undefined && page.kind === 'post' && this.#publisher === undefined
          ? { '@id': person['@id'] }
          : undefined,
      description,
      breadcrumb: this.#url === '' ? undefined : { '@id': `${this.#url}#breadcrumb` },
      inLanguage: this.#language,
      potentialAction: hasAction ? [{ '@type': 'ReadAction', target: [this.#url] }] : undefined,
    })
  }

  #pageType(): string | readonly string[] {
    const { kind } = this.#page
    if (kind === 'author') return 'ProfilePage'
    if (kind === 'search') return ['CollectionPage', 'SearchResultsPage']
    if (kind !== 'post') return 'CollectionPage'
    const own = this.#source.chosen('schema_page_type')
    return /^\w{1,40}$/.test(own) && own !== 'WebPage' ? ['WebPage', own] : 'WebPage'
  }

  #image({ url, width, height, alt }: HeadImage, id: string): Piece {
    return withoutEmpty({
      '@type': 'ImageObject',
      inLanguage: this.#language,
      '@id': id,
      url,
      contentUrl: url,
      width: width || undefined,
      height: height || undefined,
      caption: alt,
    })
  }

  async #crumbs(): Promise<Piece | null> {
    const { facts, settings, primary, chosen } = this.#source
    if (this.#url === '' || !isOn(settings.titles, 'breadcrumbs-enable', true)) return null
    const crumbs = await facts.crumbs(
      this.#page,
      textOf(settings.titles, 'breadcrumbs-home', 'Home') || 'Home',
      primary,
    )
    return {
      '@type': 'BreadcrumbList',
      '@id': `${this.#url}#breadcrumb`,
      itemListElement: crumbs.map(({ name, url }, at) => {
        const isLast = at === crumbs.length - 1
        const item = { '@type': 'ListItem', position: at + 1, name: (isLast && chosen('bctitle')) || name }
        return isLast ? item : { ...item, item: url }
      }),
    }
  }

  #website(): Piece {
    const { titles } = this.#source.settings
    return {
      ...withoutEmpty({
        '@type': 'WebSite',
        '@id': `${this.#home}#website`,
        url: this.#home,
        name: textOf(titles, 'website_name') || this.#head.og.siteName,
        alternateName: textOf(titles, 'alternate_website_name'),
        publisher: this.#publisher,
        potentialAction: [
          {
            '@type': 'SearchAction',
            target: { '@type': 'EntryPoint', urlTemplate: `${this.#home}?s={search_term_string}` },
            'query-input': 'required name=search_term_string',
          },
        ],
      }),
      inLanguage: this.#language,
    }
  }

  /** The company or person that publishes the site. */
  async #owner(): Promise<Piece[]> {
    const { facts, settings } = this.#source
    const { titles, social } = settings
    const { services } = facts.plugin
    if (settings.owner === 'person') {
      const user = await services.users.get(Number(titles['company_or_person_user_id']), this.#page.scope)
      return user === undefined ? [] : [await this.#person(user, this.#page.scope, false)]
    }
    if (settings.owner === '') return []
    const name = textOf(titles, 'company_name')
    const chosen = { id: titles['company_logo_id'], url: titles['company_logo'] }
    const found = await imageFrom(services, chosen, this.#page.scope)
    const id = `${this.#home}#/schema/logo/image/`
    const handle = textOf(social, 'twitter_site').replace(/^@/, '')
    const profiles = [
      textOf(social, 'facebook_site'),
      handle === '' ? '' : `https://x.com/${handle}`,
      ...(listOf(social, 'other_social_urls') ?? []),
    ]
    return [
      withoutEmpty({
        '@type': 'Organization',
        '@id': `${this.#home}#organization`,
        name,
        alternateName: textOf(titles, 'company_alternate_name'),
        url: this.#home,
        logo: found === null ? undefined : { ...this.#image(found, id), caption: name },
        image: found === null ? undefined : { '@id': id },
        sameAs: profiles.filter((url) => isWebUrl(url)),
      }),
    ]
  }

  async #author({ post, scope }: SeoPage & { kind: 'post' }): Promise<Piece[]> {
    const author = await this.#source.facts.author(post, scope)
    return author === null ? [] : [await this.#person(author, scope, false)]
  }

  async #person(
    user: Pick<User, 'id' | 'name' | 'slug' | 'email' | 'url'>,
    scope: RequestCache,
    isPage: boolean,
  ): Promise<Piece> {
    const { facts } = this.#source
    const avatar = facts.avatarUrl(user.email)
    const name = plainText(user.name)
    return withoutEmpty({
      '@type': 'Person',
      '@id': `${this.#home}${personId(user.id)}`,
      name,
      image:
        avatar === ''
          ? undefined
          : {
              '@type': 'ImageObject',
              inLanguage: this.#language,
              '@id': `${this.#home}#/schema/person/image/`,
              url: avatar,
              contentUrl: avatar,
              caption: name,
            },
      description: await facts.biography(user.id, scope),
      sameAs: isWebUrl(user.url) ? [user.url] : [],
      url: await facts.plugin.services.permalinks.author(user, scope),
      mainEntityOfPage: isPage ? { '@id': this.#url } : undefined,
    })
  }
}

/** A stable name of a person, which does not show the ID. */
const personId = (id: number | string) => `#/schema/person/${hash('sha256', `person ${id}`).slice(0, 32)}`

import { trimEndSlashes, type FoundTerm, type RequestCache, type User } from '../../../public.ts'
import type { SeoFacts } from '../facts.ts'
import { imageFrom, isWebUrl } from '../images.ts'
import { isOn, textOf, type Settings } from '../options.ts'
import { withoutEmpty, type Head, type HeadImage, type Piece, type SeoPage } from '../page.ts'
import type { RankMathSettings } from './settings.ts'

/** The facts from which the structured data of a page are made, in addition to its head. */
export interface GraphSource {
  readonly facts: SeoFacts
  readonly settings: RankMathSettings
  readonly featured: HeadImage | null
  readonly primary: FoundTerm | null
  /** Returns a chosen text of the page by its meta key. */
  chosen(name: string): string
}

/** Returns the structured data of a page. */
export async function graphOf(page: SeoPage, head: Omit<Head, 'graph'>, source: GraphSource): Promise<Piece[]> {
  return new RankMathGraph(page, head, source).pieces()
}

class RankMathGraph {
  readonly #page: SeoPage
  readonly #head: Omit<Head, 'graph'>
  readonly #source: GraphSource
  readonly #home: string
  readonly #language: string

  constructor(page: SeoPage, head: Omit<Head, 'graph'>, source: GraphSource) {
    this.#page = page
    this.#head = head
    this.#source = source
    this.#home = trimEndSlashes(source.facts.plugin.urls.site('/'))
    this.#language = head.og.locale.replaceAll('_', '-')
  }

  async pieces(): Promise<Piece[]> {
    const { featured } = this.#source
    const page = this.#page
    const image = featured === null ? null : this.#image(featured)
    const crumbs = await this.#crumbs()
    const times = await this.#times()
    const pieces = [
      await this.#owner(),
      this.#website(),
      image,
      crumbs,
      this.#webPage(image, crumbs, times),
      ...(page.kind === 'author' ? [await this.#person(page.user, page.scope, true)] : []),
      ...(await this.#article(image, times)),
    ]
    return pieces.filter((piece) => piece !== null)
  }

  get #isFront(): boolean {
    return this.#page.isFront || this.#page.kind === 'home'
  }

  get #publisher() {
    return { '@id': `${this.#home}/#${this.#source.settings.isCompany ? 'organization' : 'person'}` }
  }

  get #webPageId() {
    return { '@id': `${this.#head.og.url}#webpage` }
  }

  /** The type of the article; null for pages without one. */
  get #articleType(): string | null {
    const page = this.#page
    if (page.kind !== 'post' || this.#source.chosen('rich_snippet') === 'off') return null
    const fallback = this.#source.settings.articleType(page.post.type)
    const own = this.#source.chosen('snippet_article_type')
    return fallback !== null && /^\w{1,40}$/.test(own) ? own : fallback
  }

  /** The person or company that publishes the site. */
  async #owner(): Promise<Piece> {
    const { facts, settings } = this.#source
    const { titles } = settings
    const name = textOf(titles, 'knowledgegraph_name', this.#head.og.siteName)
    const chosen = { id: titles['knowledgegraph_logo_id'], url: titles['knowledgegraph_logo'] }
    const found = await imageFrom(facts.plugin.services, chosen, this.#page.scope)
    const logo = found === null ? undefined : this.#logo(found)
    const common = { ...this.#publisher, name }
    const sameAs = profilesOf(titles)
    if (settings.isCompany)
      return withoutEmpty({
        '@type': textOf(titles, 'local_business_type', 'Organization') || 'Organization',
        ...common,
        url: textOf(titles, 'url', this.#home),
        sameAs,
        email: textOf(titles, 'email'),
        logo,
        description: textOf(titles, 'organization_description'),
      })
    // Articles need an organization as their publisher.
    const isPublisher = this.#articleType !== null
    return withoutEmpty({
      '@type': isPublisher ? ['Person', 'Organization'] : 'Person',
      ...common,
      url: textOf(titles, 'url'),
      sameAs,
      email: textOf(titles, 'email'),
      logo: isPublisher ? logo : undefined,
      image: logo,
    })
  }

  #logo({ url, width, height }: HeadImage): Piece {
    return withoutEmpty({
      '@type': 'ImageObject',
      '@id': `${this.#home}/#logo`,
      url,
      contentUrl: url,
      caption: textOf(this.#source.settings.titles, 'website_name', this.#head.og.siteName),
      inLanguage: this.#language,
      width: width > 0 ? String(width) : '',
      height: height > 0 ? String(height) : '',
    })
  }

  #website(): Piece {
    const { titles } = this.#source.settings
    return withoutEmpty({
      '@type': 'WebSite',
      '@id': `${this.#home}/#website`,
      url: this.#home,
      name: textOf(titles, 'website_name', this.#head.og.siteName),
      alternateName: textOf(titles, 'website_alternate_name'),
      publisher: this.#publisher,
      inLanguage: this.#language,
      potentialAction: this.#isFront
        ? {
            '@type': 'SearchAction',
            target: `${this.#home}/?s={search_term_string}`,
            'query-input': 'required name=search_term_string',
          }
        : undefined,
    })
  }

  #image({ url, width, height, alt }: HeadImage): Piece {
    return withoutEmpty({
      '@type': 'ImageObject',
      '@id': url,
      url,
      width: width > 0 ? String(width) : '',
      height: height > 0 ? String(height) : '',
      caption: alt,
      inLanguage: this.#language,
    })
  }

  async #crumbs(): Promise<Piece | null> {
    const { facts, settings, primary } = this.#source
    const { url } = this.#head.og
    if (!isOn(settings.general, 'breadcrumbs') || this.#isFront || url === '') return null
    const crumbs = await facts.crumbs(this.#page, textOf(settings.general, 'breadcrumbs_home_label', 'Home'), primary)
    return {
      '@type': 'BreadcrumbList',
      '@id': `${url}#breadcrumb`,
      itemListElement: crumbs.map((crumb, at) => ({
        '@type': 'ListItem',
        position: String(at + 1),
        item: { '@id': at === 0 ? this.#home : crumb.url, name: crumb.name },
      })),
    }
  }

  async #times(): Promise<Piece> {
    const page = this.#page
    if (page.kind !== 'post') return {}
    const { texts } = this.#source.facts
    return {
      datePublished: await texts.iso(page.post.date_gmt),
      dateModified: await texts.iso(page.post.modified_gmt),
    }
  }

  #webPage(image: Piece | null, crumbs: Piece | null, times: Piece): Piece {
    const { title, og } = this.#head
    return {
      '@type': pageType(this.#page),
      ...this.#webPageId,
      // A URL that is not a page has an empty text here.
      url: og.url,
      ...withoutEmpty({
        name: this.#page.kind === 'other' ? '' : title,
        ...times,
        about: this.#isFront ? this.#publisher : undefined,
        isPartOf: { '@id': `${this.#home}/#website` },
        primaryImageOfPage: image === null ? undefined : { '@id': image['@id'] },
        inLanguage: this.#language,
        breadcrumb: crumbs === null ? undefined : { '@id': crumbs['@id'] },
      }),
    }
  }

  async #person(user: Pick<User, 'id' | 'name' | 'slug' | 'email' | 'url'>, scope: RequestCache, isPage: boolean) {
    const { facts, settings } = this.#source
    const url = await facts.plugin.services.permalinks.author(user, scope)
    // Escaped as in texts of pages, as existing readers of these data expect.
    const avatar = facts.avatarUrl(user.email).replaceAll('&', '&amp;')
    return withoutEmpty({
      '@type': 'Person',
      '@id': url,
      name: user.name,
      url,
      image:
        avatar === ''
          ? undefined
          : { '@type': 'ImageObject', '@id': avatar, url: avatar, caption: user.name, inLanguage: this.#language },
      sameAs: isWebUrl(user.url) ? [user.url] : [],
      worksFor: settings.isCompany ? this.#publisher : undefined,
      mainEntityOfPage: isPage ? this.#webPageId : undefined,
    })
  }

  async #article(image: Piece | null, times: Piece): Promise<Piece[]> {
    const page = this.#page
    const type = this.#articleType
    if (page.kind !== 'post' || type === null) return []
    const { title, description, article, og } = this.#head
    const author = await this.#source.facts.author(page.post, page.scope)
    const person = author === null ? null : await this.#person(author, page.scope, false)
    const piece = withoutEmpty({
      '@type': type,
      headline: title,
      keywords: this.#source.chosen('focus_keyword'),
      ...times,
      articleSection: article.section,
      author: person === null ? undefined : { '@id': person['@id'], name: person['name'] },
      publisher: this.#publisher,
      description,
      name: title,
      '@id': `${og.url}#richSnippet`,
      isPartOf: this.#webPageId,
      image: image === null ? undefined : { '@id': image['@id'] },
      inLanguage: this.#language,
      mainEntityOfPage: this.#webPageId,
    })
    return person === null ? [piece] : [person, piece]
  }
}

function pageType({ kind }: SeoPage): string {
  if (kind === 'author') return 'ProfilePage'
  if (kind === 'search') return 'SearchResultsPage'
  return kind === 'home' || kind === 'term' || kind === 'type' || kind === 'date' ? 'CollectionPage' : 'WebPage'
}

/** The URLs of the owner's profiles at other sites. */
function profilesOf(titles: Settings): string[] {
  const handle = textOf(titles, 'twitter_author_names').replace(/^@/, '')
  const urls = [
    textOf(titles, 'social_url_facebook'),
    handle === '' ? '' : `https://twitter.com/${handle}`,
    ...textOf(titles, 'social_additional_profiles').split(/\s+/),
  ]
  return urls.filter((url) => isWebUrl(url))
}

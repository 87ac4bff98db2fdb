import { plainText, type FoundTerm, type PluginContext } from '../../../public.ts'
import type { SeoFacts } from '../facts.ts'
import { imageFrom, imageOf, isWebUrl } from '../images.ts'
import { isOn, textOf } from '../options.ts'
import type { Head, HeadImage, SeoPage } from '../page.ts'
import { oneLine, shortened, utcTime } from '../texts.ts'
import { valuesOf } from '../values.ts'
import { replaceVariables } from '../variables.ts'
import { chosenFor, type Chosen } from './chosen.ts'
import { graphOf } from './schema.ts'
import { YoastSettings } from './settings.ts'

/** Maximum characters of a description. */
const MAX_DESCRIPTION_LENGTH = 500
/** Characters of a description for sharing that comes from the excerpt. */
const EXCERPT_LENGTH = 250
/** Words per minute of the reading time. */
const WORDS_PER_MINUTE = 238

/** Builds heads from the settings and meta of Yoast SEO. */
export class YoastHeads {
  readonly #facts: SeoFacts
  readonly #plugin: PluginContext

  constructor(facts: SeoFacts) {
    this.#facts = facts
    this.#plugin = facts.plugin
  }

  async headOf(page: SeoPage): Promise<Head> {
    const { services } = this.#plugin
    const settings = await YoastSettings.read(services)
    const { titles, social } = settings
    const texts = await this.#facts.texts.site()
    const chosen = await chosenFor(page, settings, this.#facts)
    const values = valuesOf(page, {
      facts: this.#facts,
      separator: settings.separator,
      focus: chosen('focuskw'),
      primary: chosen('primary_category'),
      organization: textOf(titles, 'company_name', texts.title),
    })
    const fill = async (template: string) =>
      shortened(oneLine(await replaceVariables(template, settings.separator, values)), MAX_DESCRIPTION_LENGTH)
    const title = (await fill(chosen('title') || settings.titleOf(page))) || texts.title
    const description = await fill(chosen('metadesc') || settings.descriptionOf(page))
    const robots = this.#robots(page, settings, chosen, Boolean(await services.options.get('blog_public', true)))
    const own = chosen('canonical')
    const url = isWebUrl(own) ? own : (page.url ?? '')
    const primary = await this.#primary(page, chosen('primary_category'))
    const featured = await this.#featured(page)
    const image = await this.#image(page, settings, chosen, featured)
    const article = await this.#article(page, settings)
    const author = page.kind === 'post' ? await this.#facts.author(page.post, page.scope) : null
    const handle = textOf(social, 'twitter_site').replace(/^@/, '')
    const site = handle === '' || !isOn(social, 'twitter', true) ? '' : `@${handle}`
    const facts: (readonly [string, string])[] = []
    if (page.kind === 'post' && article.published !== '') {
      const minutes = chosen('estimated-reading-time-minutes') || String(this.#minutes(page))
      if (author !== null && page.post.type === 'post') facts.push(['Written by', plainText(author.name)])
      if (Number(minutes) > 0) facts.push(['Est. reading time', minutes === '1' ? '1 minute' : `${minutes} minutes`])
    }
    const twitterImage = await imageFrom(
      services,
      { id: chosen('twitter-image-id'), url: chosen('twitter-image') },
      page.scope,
    )
    const head: Omit<Head, 'graph'> = {
      title,
      description,
      robots,
      canonical: robots['index'] === 'index' ? url : '',
      prev: '',
      next: '',
      og: {
        locale: texts.locale,
        type: page.isFront || page.kind === 'home' ? 'website' : page.kind === 'author' ? 'profile' : 'article',
        title: (await fill(chosen('opengraph-title'))) || (await this.#frontTitle(page, settings, fill)) || title,
        description: (await fill(chosen('opengraph-description'))) || description || (await this.#generated(page)),
        url: page.kind === 'missing' ? '' : url,
        siteName: texts.title,
        images: image === null ? [] : [image],
      },
      article,
      author: author !== null && page.kind === 'post' && page.post.type === 'post' ? plainText(author.name) : '',
      twitter: {
        card: textOf(social, 'twitter_card_type', 'summary_large_image'),
        title: await fill(chosen('twitter-title')),
        description: await fill(chosen('twitter-description')),
        image: twitterImage?.url ?? '',
        site,
        creator: page.kind === 'post' && page.post.type === 'post' ? site : '',
        facts,
      },
    }
    return { ...head, graph: await graphOf(page, head, { facts: this.#facts, settings, featured, primary, chosen }) }
  }

  /** Whether search engines may list a page. */
  async isIndexed(page: SeoPage): Promise<boolean> {
    const { options } = this.#plugin.services
    const settings = await YoastSettings.read(this.#plugin.services)
    const chosen = await chosenFor(page, settings, this.#facts)
    const isPublic = Boolean(await options.get('blog_public', true))
    return this.#robots(page, settings, chosen, isPublic)['index'] === 'index'
  }

  /** Values in the order of Yoast SEO. */
  #robots(page: SeoPage, settings: YoastSettings, chosen: Chosen, isPublic: boolean): Record<string, string> {
    const noindex = chosen('meta-robots-noindex')
    const isProtected = page.kind === 'post' && page.post.status !== 'publish' && page.post.status !== 'inherit'
    const isHidden = !isPublic || isProtected || noindex === '1' || (noindex !== '2' && settings.isHidden(page))
    const robots: Record<string, string> = {
      index: isHidden ? 'noindex' : 'index',
      follow: chosen('meta-robots-nofollow') === '1' ? 'nofollow' : 'follow',
    }
    const advanced = chosen('meta-robots-adv').split(',')
    for (const name of ['noimageindex', 'noarchive', 'nosnippet'])
      if (advanced.includes(name)) robots[name.slice(2)] = name
    if (isHidden) return robots
    return {
      ...robots,
      'max-snippet': 'max-snippet:-1',
      'max-image-preview': 'max-image-preview:large',
      'max-video-preview': 'max-video-preview:-1',
    }
  }

  async #primary(page: SeoPage, chosen: string): Promise<FoundTerm | null> {
    if (page.kind !== 'post' || page.post.type !== 'post') return null
    return this.#facts.primaryTerm(page.post, 'category', chosen, page.scope)
  }

  async #featured(page: SeoPage): Promise<HeadImage | null> {
    if (page.kind !== 'post') return null
    const { posts } = this.#plugin.services
    return imageOf(this.#plugin.services, await posts.featuredMedia(page.post.id, page.scope), page.scope)
  }

  /** The image for sharing: the chosen one, the featured image, or the default of the site. */
  async #image(page: SeoPage, { social }: YoastSettings, chosen: Chosen, featured: HeadImage | null) {
    const { services } = this.#plugin
    const isFront = page.isFront || page.kind === 'home'
    const own = { id: chosen('opengraph-image-id'), url: chosen('opengraph-image') }
    const front = { id: social['og_frontpage_image_id'], url: social['og_frontpage_image'] }
    const fallback = { id: social['og_default_image_id'], url: social['og_default_image'] }
    return (
      (await imageFrom(services, own, page.scope)) ??
      featured ??
      (isFront ? await imageFrom(services, front, page.scope) : null) ??
      (page.kind === 'missing' || page.kind === 'other' ? null : await imageFrom(services, fallback, page.scope))
    )
  }

  async #frontTitle(page: SeoPage, { titles }: YoastSettings, fill: (template: string) => Promise<string>) {
    return page.isFront || page.kind === 'home' ? fill(textOf(titles, 'open_graph_frontpage_title')) : ''
  }

  /** The description for sharing of a page without a chosen one. */
  async #generated(page: SeoPage): Promise<string> {
    if (page.kind === 'post') return this.#facts.texts.excerpt(page.post, EXCERPT_LENGTH, page.scope)
    if (page.kind === 'term') return oneLine(plainText(page.term.description))
    if (page.kind === 'author') return oneLine(await this.#facts.biography(page.user.id, page.scope))
    return page.kind === 'home' ? (await this.#facts.texts.site()).tagline : ''
  }

  #minutes(page: SeoPage & { kind: 'post' }): number {
    return Math.ceil(this.#facts.texts.words(page.post) / WORDS_PER_MINUTE)
  }

  async #article(page: SeoPage, { social }: YoastSettings): Promise<Head['article']> {
    const publisher = textOf(social, 'facebook_site')
    const none = { publisher, author: '', tags: [], section: '', published: '', modified: '' }
    if (page.kind !== 'post') return { ...none, publisher: page.kind === 'missing' ? '' : publisher }
    const { post } = page
    const published = utcTime(post.date_gmt)
    const modified = utcTime(post.modified_gmt)
    const isDated = post.type === 'post'
    return {
      ...none,
      author: isDated ? await this.#authorProfile(page) : '',
      published: isDated ? published : '',
      modified: modified > published ? modified : '',
    }
  }

  /** The Facebook page of the author. */
  async #authorProfile({ post, scope }: SeoPage & { kind: 'post' }): Promise<string> {
    if (post.author_id === 0) return ''
    const url = (await this.#facts.meta('user', post.author_id, scope)).get('facebook')
    return isWebUrl(url) ? url : ''
  }
}

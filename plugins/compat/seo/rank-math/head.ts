import type { FoundTerm, PluginContext } from '../../../public.ts'
import type { SeoFacts } from '../facts.ts'
import { imageFrom, imageOf, isWebUrl } from '../images.ts'
import { RANK_MATH_PREFIX } from '../meta-keys.ts'
import { isOn, textOf } from '../options.ts'
import type { Head, HeadImage, SeoPage } from '../page.ts'
import { oneLine, shortened } from '../texts.ts'
import { valuesOf } from '../values.ts'
import { replaceVariables } from '../variables.ts'
import { robotsOf } from './robots.ts'
import { graphOf } from './schema.ts'
import { RankMathSettings } from './settings.ts'

/** Maximum characters of a description. */
const MAX_DESCRIPTION_LENGTH = 500

/** Builds heads from the settings and meta of Rank Math. */
export class RankMathHeads {
  readonly #facts: SeoFacts
  readonly #plugin: PluginContext

  constructor(facts: SeoFacts) {
    this.#facts = facts
    this.#plugin = facts.plugin
  }

  async headOf(page: SeoPage): Promise<Head> {
    const { services } = this.#plugin
    const { scope } = page
    const settings = await RankMathSettings.read(services)
    const texts = await this.#facts.texts.site()
    const meta = await this.#metaOf(page)
    const chosen = (name: string) => {
      const value = meta.get(RANK_MATH_PREFIX + name)
      return typeof value === 'string' ? value : ''
    }
    const values = valuesOf(page, {
      facts: this.#facts,
      separator: settings.separator,
      focus: chosen('focus_keyword'),
      primary: chosen('primary_category'),
      organization: textOf(settings.titles, 'knowledgegraph_name', texts.title),
    })
    const fill = async (template: string) =>
      shortened(oneLine(await replaceVariables(template, settings.separator, values)), MAX_DESCRIPTION_LENGTH)
    const title = (await fill(chosen('title') || settings.titleOf(page))) || texts.title
    const description = await fill(chosen('description') || settings.descriptionOf(page))
    const robots = await this.#robots(page, settings, meta)
    const own = chosen('canonical_url')
    const url = isWebUrl(own) ? own : (page.url ?? '')
    const primary = page.kind === 'post' ? await this.#primary(page, chosen('primary_category')) : null
    const featured = await this.#featured(page)
    const facebook = {
      title: (await fill(chosen('facebook_title'))) || title,
      description: (await fill(chosen('facebook_description'))) || description,
      image:
        (await imageFrom(services, { id: chosen('facebook_image_id'), url: chosen('facebook_image') }, scope)) ??
        featured ??
        (await imageFrom(
          services,
          { id: settings.titles['open_graph_image_id'], url: settings.titles['open_graph_image'] },
          scope,
        )),
    }
    const usesFacebook = chosen('twitter_use_facebook') !== 'off'
    const twitterImage = usesFacebook
      ? facebook.image
      : ((await imageFrom(services, { id: chosen('twitter_image_id'), url: chosen('twitter_image') }, scope)) ??
        featured)
    const isOther = page.kind === 'other'
    const site = handleOf(textOf(settings.titles, 'twitter_author_names'))
    const article = await this.#article(page, primary, settings)
    const head: Omit<Head, 'graph'> = {
      title,
      description,
      robots,
      canonical: robots['index'] === 'index' ? url : '',
      prev: '',
      next: '',
      og: {
        locale: texts.locale,
        type: this.#type(page),
        title: isOther ? '' : facebook.title,
        description: facebook.description,
        url,
        siteName: texts.title,
        images: facebook.image === null ? [] : [withAlt(facebook.image, page, this.#facts)],
      },
      article,
      author: '',
      twitter: {
        card: chosen('twitter_card_type') || textOf(settings.titles, 'twitter_card_type', 'summary_large_image'),
        title: isOther ? '' : usesFacebook ? facebook.title : (await fill(chosen('twitter_title'))) || title,
        description: usesFacebook ? facebook.description : (await fill(chosen('twitter_description'))) || description,
        image: twitterImage?.url ?? '',
        site,
        creator: page.kind === 'post' ? site : '',
        facts: await this.#labels(page, settings),
      },
    }
    return { ...head, graph: await graphOf(page, head, { facts: this.#facts, settings, featured, primary, chosen }) }
  }

  /** Whether search engines may list a page. */
  async isIndexed(page: SeoPage): Promise<boolean> {
    const settings = await RankMathSettings.read(this.#plugin.services)
    return (await this.#robots(page, settings, await this.#metaOf(page)))['index'] === 'index'
  }

  async #robots(page: SeoPage, settings: RankMathSettings, meta: ReadonlyMap<string, unknown>) {
    return robotsOf(page, settings, {
      chosen: meta.get(`${RANK_MATH_PREFIX}robots`),
      advanced: meta.get(`${RANK_MATH_PREFIX}advanced_robots`),
      isPublic: Boolean(await this.#plugin.services.options.get('blog_public', true)),
    })
  }

  async #metaOf(page: SeoPage): Promise<ReadonlyMap<string, unknown>> {
    if (page.kind === 'post') return this.#facts.meta('post', page.post.id, page.scope)
    if (page.kind === 'term') return this.#facts.meta('term', page.term.id, page.scope)
    if (page.kind === 'author') return this.#facts.meta('user', page.user.id, page.scope)
    return new Map()
  }

  async #featured(page: SeoPage): Promise<HeadImage | null> {
    if (page.kind !== 'post') return null
    const { posts } = this.#plugin.services
    return imageOf(this.#plugin.services, await posts.featuredMedia(page.post.id, page.scope), page.scope)
  }

  async #primary(page: SeoPage & { kind: 'post' }, chosen: string): Promise<FoundTerm | null> {
    return page.post.type === 'post' ? this.#facts.primaryTerm(page.post, 'category', chosen, page.scope) : null
  }

  #type(page: SeoPage): string {
    if (page.isFront || page.kind === 'home') return 'website'
    return page.kind === 'author' ? 'profile' : 'article'
  }

  async #article(page: SeoPage, primary: FoundTerm | null, { titles }: RankMathSettings): Promise<Head['article']> {
    const none = { publisher: '', author: '', tags: [], section: '', published: '', modified: '' }
    const publisher = textOf(titles, 'social_url_facebook')
    if (page.kind !== 'post' || page.isFront) return { ...none, publisher: page.kind === 'other' ? '' : publisher }
    const { post, scope } = page
    const published = await this.#facts.texts.iso(post.date_gmt)
    const modified = await this.#facts.texts.iso(post.modified_gmt)
    return {
      publisher,
      author: textOf(titles, 'facebook_author_urls'),
      tags: (await this.#facts.termsOf(post, 'post_tag', scope)).map(({ name }) => name),
      section: primary?.name ?? '',
      published,
      modified: modified > published ? modified : '',
    }
  }

  /** The labelled facts that some programs show next to a link. */
  async #labels(page: SeoPage, { titles }: RankMathSettings): Promise<(readonly [string, string])[]> {
    const shares = (name: string) => isOn(titles, `${name}_slack_enhanced_sharing`, true)
    if (page.kind === 'term') return shares(`tax_${page.term.taxonomy}`) ? [['Posts', String(page.term.count)]] : []
    if (page.kind === 'author')
      return shares('author')
        ? [
            ['Name', await this.#facts.name(page)],
            ['Posts', String(await this.#facts.postCount(page.user))],
          ]
        : []
    if (page.kind !== 'post' || !shares(`pt_${page.post.type}`)) return []
    const { post, scope } = page
    const time = ['Time to read', timeToRead(this.#facts.texts.minutes(post))] as const
    const author = post.type === 'page' ? null : await this.#facts.author(post, scope)
    return author === null ? [time] : [['Written by', author.name], time]
  }
}

function timeToRead(minutes: number): string {
  if (minutes < 1) return 'Less than a minute'
  return minutes === 1 ? '1 minute' : `${minutes} minutes`
}

const handleOf = (name: string) => (name === '' || URL.canParse(name) ? '' : `@${name.replace(/^@/, '')}`)

/** Images without a text get the title of their post. */
function withAlt(image: HeadImage, page: SeoPage, facts: SeoFacts): HeadImage {
  return image.alt === '' && page.kind === 'post' ? { ...image, alt: facts.title(page.post) } : image
}

import {
  dependsOn,
  type Awaitable,
  type PluginContext,
  type RestRequest,
  type Selection,
  type TimeZone,
} from '../../../kernel/index.ts'
import { FORMAT_TAXONOMY, POST_FORMATS, slugOfFormat } from '../taxonomies/index.ts'
import type { PostTerms } from '../terms/index.ts'
import { shownDates } from './dates.ts'
import { passwordOf } from './password.ts'
import type { LeanPost, ListedPost, Post } from './post.ts'
import type { ServedType } from './served-type.ts'

type Data = Record<string, unknown>

/** What posts of one type show. */
export class PostShape {
  readonly #services: PluginContext['services']
  readonly #served: ServedType

  constructor(services: PluginContext['services'], served: ServedType) {
    this.#services = services
    this.#served = served
  }

  /** @param readTexts title, content and excerpt, as far as they show */
  async data(
    post: ListedPost,
    selection: Selection,
    request: RestRequest,
    readTexts: () => Promise<Data>,
  ): Promise<Data> {
    const { meta, options, permalinks, posts } = this.#services
    const { scope } = request
    dependsOn(`post:${post.id}`)
    const when = <T>(field: string, read: () => Awaitable<T>) => (selection.has(field) ? read() : undefined)
    // Asked for at once, so that what all items of a list need comes from the same statements.
    const [zone, link, texts, media, template, terms, sticky, form, slug, values] = await Promise.all([
      scope.get('posts: time zone', () => options.get<TimeZone>('timezone', 'UTC')),
      when('link', () => permalinks.post(post, scope)),
      readTexts(),
      when('featured_media', () => posts.featuredMedia(post.id, scope)),
      when('template', () => posts.template(post.id, scope)),
      this.#termsOf(post, selection, request),
      when('sticky', async () => (await posts.sticky()).includes(post.id)),
      when('permalink_template', () => permalinks.postTemplate(post, scope)),
      when('generated_slug', () => posts.generatedSlug(post, scope)),
      when('meta', () => meta.values('post', this.#served.type.name, post.id, request, selection)),
    ])
    const { date, date_gmt, modified, modified_gmt } = shownDates(post, zone)
    const guid = selection.parts('guid', { rendered: post.guid, raw: post.guid })
    const { password, slug: ownSlug, status, type } = post
    // Registered fields know the post by its ID, whatever else is asked for.
    return {
      id: post.id,
      ...selection.pick({ date, date_gmt, guid, modified, modified_gmt, password, slug: ownSlug, status, type, link }),
      ...texts,
      ...selection.pick({
        author: post.author_id,
        featured_media: media,
        parent: post.parent_id,
        menu_order: post.menu_order,
        comment_status: post.comment_status,
        ping_status: post.ping_status,
        sticky,
        template,
        format: formatOf(terms),
        meta: values,
        ...this.#termIds(terms, request),
        permalink_template: form,
        generated_slug: slug,
      }),
    }
  }

  /** Title, content and excerpt; what a password protects is empty without it. */
  async texts(listed: ListedPost, selection: Selection, request: RestRequest): Promise<Data> {
    const { rendering } = this.#services
    // A list reads the texts wherever one of them is asked for.
    const post = listed as Post
    const open = await this.#isOpen(post, request)
    // Of some types what is written is shown to readers too.
    const raw = (text: string) => (open || request.get('context') === 'edit' ? text : '')
    const texts: Data = {}
    if (selection.has('title')) {
      texts['title'] = selection.parts('title', {
        raw: post.title,
        rendered: selection.has('title.rendered') ? await rendering.title(post) : '',
      })
    }
    if (selection.has('content')) {
      texts['content'] = selection.parts('content', {
        raw: raw(post.content),
        rendered: open && selection.has('content.rendered') ? await rendering.content(post, request.scope) : '',
        protected: post.password !== '',
        block_version: rendering.blockVersion(post.content),
      })
    }
    if (selection.has('excerpt')) {
      texts['excerpt'] = selection.parts('excerpt', {
        raw: raw(post.excerpt),
        rendered: open && selection.has('excerpt.rendered') ? await rendering.excerpt(post, request.scope) : '',
        protected: post.password !== '',
      })
    }
    return texts
  }

  /** Whether content and excerpt are shown: to those who edit the post, and to those who know its password. */
  async #isOpen(post: LeanPost, request: RestRequest): Promise<boolean> {
    const { posts } = this.#services
    if (await posts.opens(post, passwordOf(request), request)) return true
    return request.get('context') === 'edit' && (await posts.isEditable(post, request.user, request.scope))
  }

  /** The terms of a post, where a field shows them. */
  #termsOf(post: LeanPost, selection: Selection, request: RestRequest): Awaitable<PostTerms | undefined> {
    const taxonomies = this.#served.taxonomiesFor(request)
    const shown = selection.has('format') || taxonomies.some(({ rest_base: base }) => selection.has(base))
    return shown ? this.#services.terms.ofPosts(request.scope).load(post.id) : undefined
  }

  #termIds(terms: PostTerms | undefined, request: RestRequest): Record<string, number[]> {
    const ids: Record<string, number[]> = {}
    for (const { name, rest_base: base } of this.#served.taxonomiesFor(request)) {
      ids[base] = (terms?.get(name) ?? []).map(({ id }) => id)
    }
    return ids
  }
}

/** The format of a post by the term that stands for it. */
function formatOf(terms: PostTerms | undefined): string {
  const slug = terms?.get(FORMAT_TAXONOMY)?.[0]?.slug ?? ''
  return POST_FORMATS.find((format) => slug === slugOfFormat(format)) ?? POST_FORMATS[0]
}

import {
  awaitAll,
  isThenable,
  type Awaitable,
  type PluginContext,
  type RequestCache,
  type RestRequest,
} from '../../../kernel/index.ts'
import { decodeName, type TimeZone, type Selection } from '../../resources/index.ts'
import { classList, formatOf } from './class-list.ts'
import { shownDates } from './dates.ts'
import { declaredValue } from './declared-value.ts'
import { passwordOf } from './password.ts'
import type { ListedPost, Post } from './post.ts'
import type { ServedType } from './served-type.ts'

type Data = Record<string, unknown>

/** Fields that read the meta of a post. */
const META_FIELDS = ['featured_media', 'template', 'class_list'] as const

/** The GUID of a post. Ampersands in its URL are escaped, as in GUIDs written by other systems. */
export function shownGuid({ guid }: Pick<ListedPost, 'guid'>, selection: Selection): Data {
  const escaped = guid.replace(/&(?!#?\w{1,10};)/g, '&#038;')
  return selection.parts('guid', { rendered: escaped, raw: escaped })
}

/** Builds the data of posts of one type for responses. */
export class PostShape {
  readonly #services: PluginContext['services']
  readonly #served: ServedType
  /** Posts that are shown without their password. */
  readonly #opened = new WeakSet<ListedPost>()

  constructor(services: PluginContext['services'], served: ServedType) {
    this.#services = services
    this.#served = served
  }

  /** Shows a post in full, including its password-protected texts. */
  open(post: ListedPost): void {
    this.#opened.add(post)
  }

  /** Preloads the data of several posts. */
  gather(posts: readonly ListedPost[], selection: Selection, request: RestRequest): Promise<unknown> {
    const { meta, permalinks, posts: service, terms } = this.#services
    const { scope } = request
    const { shown } = selection
    const ids = posts.map(({ id }) => id)
    const { type } = this.#served
    const readsMeta =
      META_FIELDS.some((field) => shown.has(field)) ||
      (selection.links && this.#served.has('thumbnail')) ||
      meta.shows('post', type.name, selection)
    const [first] = posts
    return Promise.all([
      this.#zone(scope),
      shown.has('link') && permalinks.ready(scope),
      readsMeta && meta.loadAll('post', ids, scope),
      this.#showsTerms(selection, request) && terms.ofPosts(scope).loadAll(ids),
      shown.has('sticky') && first !== undefined && service.isSticky(first, scope),
      selection.links && this.#served.has('revisions') && service.versionsOf(scope).loadAll(ids),
    ])
  }

  /** @param readTexts reads the selected texts: title, content and excerpt */
  async data(
    post: ListedPost,
    selection: Selection,
    request: RestRequest,
    readTexts: () => Awaitable<Data>,
  ): Promise<Data> {
    const { meta, permalinks, posts, terms } = this.#services
    const { scope } = request
    // Methods of the selection would be called sixty times per post.
    const { shown } = selection
    const { type } = this.#served
    // Requested together, so that reads of several items share statements.
    const read = awaitAll([
      this.#zone(scope),
      shown.has('link') ? permalinks.post(post, scope) : undefined,
      readTexts(),
      shown.has('featured_media') || shown.has('class_list') ? posts.featuredMedia(post.id, scope) : 0,
      shown.has('template') ? posts.template(post.id, scope) : undefined,
      this.#showsTerms(selection, request) ? terms.ofPosts(scope).load(post.id) : undefined,
      shown.has('sticky') ? posts.isSticky(post, scope) : undefined,
      shown.has('permalink_template') ? permalinks.postTemplate(post, scope) : undefined,
      shown.has('generated_slug') ? posts.generatedSlug(post, scope) : undefined,
      shown.has('meta') ? meta.values('post', type.name, post.id, request, selection) : undefined,
    ])
    const [zone, link, texts, media, template, ownTerms, sticky, form, slug, values] = isThenable(read)
      ? await read
      : read
    const dates = shownDates(post, zone)
    // Registered fields need the ID even if it is not selected. Spelled out name by name: a loop over the names takes
    // twice as long, which matters for lists.
    const data: Data = { id: post.id }
    if (shown.has('date')) data['date'] = dates.date
    if (shown.has('date_gmt')) data['date_gmt'] = dates.date_gmt
    if (shown.has('guid')) data['guid'] = shownGuid(post, selection)
    if (shown.has('modified')) data['modified'] = dates.modified
    if (shown.has('modified_gmt')) data['modified_gmt'] = dates.modified_gmt
    if (shown.has('password')) data['password'] = post.password
    if (shown.has('slug')) data['slug'] = post.slug
    if (shown.has('status')) data['status'] = post.status
    if (shown.has('type')) data['type'] = post.type
    if (shown.has('link')) data['link'] = link
    for (const field in texts) data[field] = texts[field]
    if (shown.has('author')) data['author'] = post.author_id
    if (shown.has('featured_media')) data['featured_media'] = media
    if (shown.has('parent')) data['parent'] = post.parent_id
    if (shown.has('menu_order')) data['menu_order'] = post.menu_order
    if (shown.has('comment_status')) data['comment_status'] = post.comment_status
    if (shown.has('ping_status')) data['ping_status'] = post.ping_status
    if (shown.has('sticky')) data['sticky'] = sticky
    if (shown.has('template')) data['template'] = template
    if (shown.has('format')) data['format'] = formatOf(ownTerms)
    if (shown.has('meta')) data['meta'] = values
    for (const { name, rest_base: base } of this.#served.taxonomiesFor(request)) {
      if (shown.has(base)) data[base] = (ownTerms?.get(name) ?? []).map(({ id }) => id)
    }
    if (shown.has('permalink_template')) data['permalink_template'] = form
    if (shown.has('generated_slug')) data['generated_slug'] = decodeName(slug as string)
    if (shown.has('class_list')) data['class_list'] = classList(this.#served, post, ownTerms, media)
    return data
  }

  /** Title, content and excerpt. Password-protected texts are empty without the password. */
  async texts(listed: ListedPost, selection: Selection, request: RestRequest): Promise<Data> {
    const { contentRendering: rendering } = this.#services
    const { shown } = selection
    // A list includes the texts whenever one of them is selected.
    const post = listed as Post
    const opened = this.#isOpen(post, request)
    const open = isThenable(opened) ? await opened : opened
    const length = request.endpoint?.args['excerpt_length'] === undefined ? undefined : excerptLength(request)
    const rendered = awaitAll([
      shown.has('title.rendered') ? rendering.title(post, !this.#served.since('6.7')) : '',
      open && shown.has('content.rendered') ? rendering.content(post, request.scope) : '',
      open && shown.has('excerpt.rendered') ? rendering.excerpt(post, request.scope, length) : '',
    ])
    const [title, content, excerpt] = isThenable(rendered) ? await rendered : rendered
    // Some types show the raw text to readers as well.
    const raw = (text: string) => (open || request.get('context') === 'edit' ? text : '')
    const texts: Data = {}
    if (shown.has('title')) texts['title'] = selection.parts('title', { raw: post.title, rendered: title })
    if (shown.has('content')) {
      texts['content'] = selection.parts('content', {
        raw: raw(post.content),
        rendered: content,
        protected: post.password !== '',
        block_version: rendering.blockVersion(post.content),
      })
    }
    if (shown.has('excerpt')) {
      texts['excerpt'] = selection.parts('excerpt', {
        raw: raw(post.excerpt),
        rendered: excerpt,
        protected: post.password !== '',
      })
    }
    return texts
  }

  /** Whether content and excerpt are shown: to editors of the post, and to clients with its password. */
  #isOpen(post: ListedPost, request: RestRequest): Awaitable<boolean> {
    return this.#opened.has(post) || post.password === '' || this.#isOpened(post, request)
  }

  async #isOpened(post: ListedPost, request: RestRequest): Promise<boolean> {
    const { posts } = this.#services
    if (await posts.checkPassword(post, passwordOf(request), request)) return true
    return request.get('context') === 'edit' && posts.isEditable(post, request.user, request.scope)
  }

  #zone(scope: RequestCache): Awaitable<TimeZone> {
    return scope.getLater('posts: time zone', () => this.#services.options.get<TimeZone>('timezone', 'UTC'))
  }

  /** Whether a selected field shows the terms of a post. */
  #showsTerms({ shown }: Selection, request: RestRequest): boolean {
    if (shown.has('format')) return true
    if (shown.has('class_list') && this.#served.publicTaxonomies.length > 0) return true
    return this.#served.taxonomiesFor(request).some(({ rest_base: base }) => shown.has(base))
  }
}

/** Number of words that the request asks for in a generated excerpt, or undefined. */
export function excerptLength(request: RestRequest): number | undefined {
  const length = declaredValue(request, 'excerpt_length')
  return typeof length === 'number' ? Math.max(length, 0) : undefined
}

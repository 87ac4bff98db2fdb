import {
  addQuery,
  RequestCache,
  type CurrentUser,
  type PluginContext,
  type RestRequest,
} from '../../../kernel/index.ts'
import { hint } from '../../library/suggestions/index.ts'
import type { ContentType } from '../content-types/index.ts'
import { hasPostsController, type Post } from '../posts/index.ts'
import { errors } from './errors.ts'
import { fillTemplate, readFrontEnds, type FrontEnd } from './front-ends.ts'
import { Issuers } from './issuers.ts'
import { PreviewTokens, type PreviewClaim } from './token.ts'

/** Query parameter of a request for a single post or its page that shows a preview to the holder of the token. */
export const PREVIEW_TOKEN = 'preview_token'

/** Types whose posts are not viewed on their own. */
const UNSEEN: ReadonlySet<string> = new Set(['attachment', 'nav_menu_item'])

export interface PreviewsOptions {
  /**
   * Front ends that show previews: maps a name to its preview URL, such as
   * `https://front.example/preview?token={token}&id={id}`. `{type}`, `{rest_base}` and `{slug}` are available too. The
   * first front end is the default. Without any, links point to the page of the post on this site.
   */
  front_ends: Readonly<Record<string, string>>
  /** Default lifetime of a link, in seconds. */
  lifetime: number
  /** Maximum lifetime of a link, in seconds. */
  max_lifetime: number
}

/** Options of a preview link. */
export interface PreviewWish {
  /** Name of the front end; the first one of the config by default. */
  frontEnd?: string | undefined
  /** ID of the revision or autosave to show; by default the newest autosave at each read. */
  revision?: number | null | undefined
  /** Lifetime in seconds. */
  expiresIn?: number | undefined
}

/** A link that shows a preview of a post to anyone who has it. */
export interface PreviewLink {
  readonly link: string
  readonly token: string
  readonly expires: Date
  /** Name of the front end; null if none is configured. */
  readonly frontEnd: string | null
  readonly revision: number | null
}

/** The columns of a post that its preview link depends on. */
export type PreviewedPost = Pick<Post, 'id' | 'type' | 'status' | 'slug'>

/** Issues preview links, and returns the posts they show. */
export class Previews {
  readonly #plugin: PluginContext
  readonly #options: PreviewsOptions
  readonly #frontEnds: readonly FrontEnd[]
  readonly #tokens: PreviewTokens
  readonly #issuers: Issuers
  /**
   * Returns the URL of the page that shows a post to the holder of a token; null if the post has no page. Without pages,
   * links point to the post in the REST API.
   */
  pageUrl: ((post: PreviewedPost, token: string) => string | null) | null = null

  /** Must be constructed while the plugin is applied. @throws PREVIEWS_FRONT_END_INVALID */
  constructor(plugin: PluginContext, options: PreviewsOptions) {
    this.#plugin = plugin
    this.#options = options
    this.#frontEnds = readFrontEnds(options.front_ends)
    this.#tokens = new PreviewTokens(plugin.services.options)
    this.#issuers = new Issuers(plugin.services, this.#tokens)
  }

  /** Names of the front ends, in the order of the config. */
  get frontEnds(): string[] {
    return this.#frontEnds.map(({ name }) => name)
  }

  /** Whether posts of a type have previews. Files and parts of a site, such as patterns and menus, do not. */
  isPreviewed(type: ContentType): boolean {
    const isPart = type.name.startsWith(this.#plugin.branding.typeName(''))
    return !isPart && !UNSEEN.has(type.name) && type.show_in_rest && hasPostsController(type)
  }

  /**
   * Creates a link that shows a post with its unpublished changes to anyone who has it, as long as `user` may edit the
   * post. Does not check permissions: a link from a user who may not edit the post shows nothing.
   * @throws rest_preview_trashed, rest_preview_unknown_front_end, rest_preview_invalid_revision
   */
  async link(post: PreviewedPost, user: CurrentUser, options: PreviewWish = {}): Promise<PreviewLink> {
    const { revision = null } = options
    if (post.status === 'trash') throw errors.rest_preview_trashed()
    const frontEnd = this.#frontEndOf(options.frontEnd)
    if (revision !== null && (await this.#revisionOf(post.id, revision)) === undefined)
      throw errors.rest_preview_invalid_revision()
    return this.#issue(post, user, frontEnd, { ...options, revision })
  }

  /**
   * Returns the link by which an editor shows a post, or an autosave of it, in the first front end; null if no front
   * end is configured, or the post has no preview.
   * @param autosave ID of the autosave to show; null for the post itself
   */
  async linkOfEditor(post: PreviewedPost, user: CurrentUser, autosave: number | null): Promise<string | null> {
    const [frontEnd] = this.#frontEnds
    const type = this.#plugin.services.contentTypes.get(post.type)
    if (frontEnd === undefined || user.id === 0 || post.status === 'trash') return null
    if (type === undefined || !this.isPreviewed(type)) return null
    return (await this.#issue(post, user, frontEnd, { revision: autosave })).link
  }

  /**
   * Returns the requested post with the texts that its token shows.
   * @param token the value sent by the client
   * @throws rest_preview_expired; rest_preview_invalid, which reveals neither the reason nor whether the post exists
   */
  async shown(token: unknown, request: RestRequest, type: ContentType): Promise<Post> {
    const claim = await this.#claimOf(token)
    if (claim?.post !== Number(request.captures['id'])) throw errors.rest_preview_invalid()
    if (isExpired(claim)) throw errors.rest_preview_expired()
    const post = await this.#postOf(claim, request.headers.get('Origin'), request.scope)
    if (post?.type !== type.name) throw errors.rest_preview_invalid()
    return post
  }

  /**
   * Returns a post with the texts that a token shows on a page of this site; null if the token is for another post or a
   * front end, or is no longer valid.
   */
  async shownOnPage(token: string, id: number, scope: RequestCache): Promise<Post | null> {
    const claim = await this.#claimOf(token)
    if (claim?.post !== id || claim.frontEnd !== '' || isExpired(claim)) return null
    return (await this.#postOf(claim, null, scope)) ?? null
  }

  /**
   * Returns the requested attachment if it is the featured image of the token's post and the issuer may read it.
   * Otherwise null, and the usual permissions apply.
   */
  async shownImage(token: unknown, request: RestRequest): Promise<Post | null> {
    const { posts, users } = this.#plugin.services
    const id = Number(request.captures['id'])
    const claim = await this.#claimOf(token)
    if (claim === null || isExpired(claim)) return null
    const post = await this.#postOf(claim, request.headers.get('Origin'), request.scope)
    if (post === undefined || (await posts.featuredMedia(post.id, request.scope)) !== id) return null
    const image = await posts.getAttached(id, request.scope)
    const issuer = await users.current(claim.issuer)
    if (image?.type !== 'attachment' || issuer === undefined) return null
    return (await posts.isReadable(image, issuer, new RequestCache())) ? image : null
  }

  /** Invalidates all links issued so far. */
  revokeAll(): Promise<void> {
    return this.#tokens.forgetKey()
  }

  async #claimOf(token: unknown): Promise<PreviewClaim | null> {
    return typeof token === 'string' ? this.#tokens.read(token) : null
  }

  async #issue(
    post: PreviewedPost,
    user: CurrentUser,
    frontEnd: FrontEnd,
    { revision = null, expiresIn }: PreviewWish,
  ): Promise<PreviewLink> {
    const { lifetime, max_lifetime: maxLifetime } = this.#options
    const issued = unixNow()
    const expires = issued + Math.min(expiresIn ?? lifetime, maxLifetime)
    const token = await this.#tokens.sign({
      post: post.id,
      revision,
      frontEnd: frontEnd.name,
      origin: frontEnd.origin,
      issuer: user.id,
      issuerState: await this.#issuers.stateOf(user),
      issued,
      expires,
    })
    const link = this.#urlOf(post, frontEnd, token)
    return { link, token, expires: new Date(expires * 1000), frontEnd: frontEnd.name || null, revision }
  }

  /** Whether the claim's front end is still configured, and the `Origin` of the request, if any, matches it. */
  #isFor({ frontEnd, origin }: PreviewClaim, requestOrigin: string | null): boolean {
    if (requestOrigin !== null && requestOrigin !== origin) return false
    return this.#targets().some((target) => target.name === frontEnd && target.origin === origin)
  }

  /** Returns the post of a claim with the texts to show; undefined if the claim is no longer valid. */
  async #postOf(claim: PreviewClaim, origin: string | null, scope: RequestCache): Promise<Post | undefined> {
    if (!this.#isFor(claim, origin)) return undefined
    const post = await this.#plugin.services.posts.get(claim.post, scope)
    if (post === undefined || post.status === 'trash') return undefined
    if (!(await this.#issuers.mayStillEdit(claim, post))) return undefined
    const texts = claim.revision === null ? await this.#newestOf(post) : await this.#revisionOf(post.id, claim.revision)
    if (texts === undefined) return undefined
    const { title, content, excerpt } = texts
    return { ...post, title, content, excerpt }
  }

  /** The latest saved texts of a post: its newest autosave, or the post itself if that is newer. */
  async #newestOf(post: Post): Promise<Post> {
    const saved = await this.#plugin.services.posts.newestAutosave(post.id)
    return saved !== undefined && saved.modified_gmt >= post.modified_gmt ? saved : post
  }

  /** A revision or autosave of a post. Uses a separate cache, so that the request does not keep it. */
  async #revisionOf(post: number, id: number): Promise<Post | undefined> {
    const revision = await this.#plugin.services.posts.get(id, new RequestCache())
    return revision?.type === 'revision' && revision.parent_id === post ? revision : undefined
  }

  #frontEndOf(requestedName: string | undefined): FrontEnd {
    const targets = this.#targets()
    const frontEnd =
      requestedName === undefined ? targets[0] : targets.find(({ name }) => name === requestedName && name !== '')
    if (frontEnd !== undefined) return frontEnd
    const advice = this.frontEnds.length === 0 ? ': none is configured' : hint(requestedName ?? '', this.frontEnds)
    throw errors.rest_preview_unknown_front_end(`No front end is named "${requestedName}"${advice}.`)
  }

  /** Places that show previews: the front ends, or this site without any. */
  #targets(): readonly FrontEnd[] {
    if (this.#frontEnds.length > 0) return this.#frontEnds
    return [{ name: '', origin: new URL(this.#plugin.urls.home).origin, template: null }]
  }

  #urlOf(post: PreviewedPost, { template }: FrontEnd, token: string): string {
    const { id, type, slug } = post
    const { contentTypes } = this.#plugin.services
    const { rest_base: base, rest_namespace: namespace } = contentTypes.get(type)!
    if (template !== null) return fillTemplate(template, { token, id: String(id), type, rest_base: base, slug })
    const page = this.pageUrl?.(post, token) ?? null
    return page ?? addQuery(this.#plugin.urls.rest(`/${namespace}/${base}/${id}`), { [PREVIEW_TOKEN]: token })
  }
}

const isExpired = ({ expires }: PreviewClaim) => expires <= unixNow()
const unixNow = () => Math.floor(Date.now() / 1000)

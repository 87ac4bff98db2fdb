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

/** The parameter of a GET request for a single post that shows a preview to whoever has the token. */
export const PARAMETER = 'preview_token'

/** Types whose posts nobody looks at by themselves. */
const UNSEEN: ReadonlySet<string> = new Set(['attachment', 'nav_menu_item'])

export interface PreviewsOptions {
  /**
   * Front ends that show previews: the URL of a preview by a name of yours, such as
   * `https://front.example/preview?token={token}&id={id}`; `{type}`, `{rest_base}` and `{slug}` may stand in it too. The
   * first one is taken where a request names none. Without any, links go to the post in the REST API.
   */
  front_ends: Readonly<Record<string, string>>
  /** Seconds for which a link is good that does not say it. */
  lifetime: number
  /** Seconds for which any link is good at most. */
  longest: number
}

/** What a link to a preview is wanted for. */
export interface PreviewWish {
  /** Name of the front end; the first one of the config unless given. */
  frontEnd?: string | undefined
  /** ID of the revision or autosave to show; unless given, the newest autosave at each read. */
  revision?: number | null | undefined
  /** Seconds. */
  expiresIn?: number | undefined
}

/** A link that shows a preview of a post to whoever has it. */
export interface PreviewLink {
  readonly link: string
  readonly token: string
  readonly expires: Date
  /** Name of the front end; null where none is configured. */
  readonly frontEnd: string | null
  readonly revision: number | null
}

/** What a link needs to know of a post. */
export type PreviewedPost = Pick<Post, 'id' | 'type' | 'status' | 'slug'>

/** Gives out links to previews, and shows what they stand for. */
export class Previews {
  readonly #plugin: PluginContext
  readonly #options: PreviewsOptions
  readonly #frontEnds: readonly FrontEnd[]
  readonly #tokens: PreviewTokens
  readonly #issuers: Issuers

  /** To be made where the plugin is applied. @throws PREVIEWS_FRONT_END_INVALID */
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

  /** Whether posts of a type have previews: neither files nor parts of a site, such as reusable blocks and menus. */
  isPreviewed(type: ContentType): boolean {
    const isPart = type.name.startsWith(this.#plugin.branding.typeName(''))
    return !isPart && !UNSEEN.has(type.name) && type.show_in_rest && hasPostsController(type)
  }

  /**
   * A link that shows a post as it would be, to whoever has it, as long as `user` may edit the post. Asks for no
   * permission: a link of a user who may not edit the post shows nothing.
   * @throws rest_preview_trashed, rest_preview_unknown_front_end, rest_preview_invalid_revision
   */
  async link(post: PreviewedPost, user: CurrentUser, wish: PreviewWish = {}): Promise<PreviewLink> {
    const { revision = null } = wish
    if (post.status === 'trash') throw errors.rest_preview_trashed()
    const frontEnd = this.#frontEndOf(wish.frontEnd)
    if (revision !== null && (await this.#revisionOf(post.id, revision)) === undefined)
      throw errors.rest_preview_invalid_revision()
    return this.#issue(post, user, frontEnd, { ...wish, revision })
  }

  /**
   * Returns the link by which an editor shows a post, or an autosave of it, in the first front end; null if there is none.
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
   * The post of a request with the texts that its token shows.
   * @param token as the client sent it
   * @throws rest_preview_expired; rest_preview_invalid, which does not tell what is wrong, nor whether there is a post
   */
  async shown(token: unknown, request: RestRequest, type: ContentType): Promise<Post> {
    const claim = await this.#claimOf(token)
    if (claim?.post !== Number(request.captures['id'])) throw errors.rest_preview_invalid()
    if (isOver(claim)) throw errors.rest_preview_expired()
    const post = await this.#postOf(claim, request)
    if (post?.type !== type.name) throw errors.rest_preview_invalid()
    return post
  }

  /**
   * The attachment of a request, where it is the featured image of the post that its token shows, and who gave out the
   * token may read it; null for any other, which has its usual readers.
   */
  async shownImage(token: unknown, request: RestRequest): Promise<Post | null> {
    const { posts, users } = this.#plugin.services
    const id = Number(request.captures['id'])
    const claim = await this.#claimOf(token)
    if (claim === null || isOver(claim)) return null
    const post = await this.#postOf(claim, request)
    if (post === undefined || (await posts.featuredMedia(post.id, request.scope)) !== id) return null
    const image = await posts.getAttached(id, request.scope)
    const issuer = await users.current(claim.issuer)
    if (image?.type !== 'attachment' || issuer === undefined) return null
    return (await posts.isReadable(image, issuer, new RequestCache())) ? image : null
  }

  /** Ends all links that were given out. */
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
    const { lifetime, longest } = this.#options
    const issued = unixNow()
    const expires = issued + Math.min(expiresIn ?? lifetime, longest)
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

  /** Whether a claim is for a front end that is still there, and for the page that asks, where a page asks. */
  #isFor({ frontEnd, origin }: PreviewClaim, { headers }: RestRequest): boolean {
    const asking = headers.get('Origin')
    if (asking !== null && asking !== origin) return false
    return this.#places().some((place) => place.name === frontEnd && place.origin === origin)
  }

  /** The post of a claim with the texts that it shows to who asks; undefined where it shows nothing, or not any more. */
  async #postOf(claim: PreviewClaim, request: RestRequest): Promise<Post | undefined> {
    if (!this.#isFor(claim, request)) return undefined
    const post = await this.#plugin.services.posts.get(claim.post, request.scope)
    if (post === undefined || post.status === 'trash') return undefined
    if (!(await this.#issuers.mayStillEdit(claim, post))) return undefined
    const texts = claim.revision === null ? await this.#newestOf(post) : await this.#revisionOf(post.id, claim.revision)
    if (texts === undefined) return undefined
    const { title, content, excerpt } = texts
    return { ...post, title, content, excerpt }
  }

  /** What was saved last of a post: its newest autosave, or the post itself where that is newer. */
  async #newestOf(post: Post): Promise<Post> {
    const saved = await this.#plugin.services.posts.newestAutosave(post.id)
    return saved !== undefined && saved.modified_gmt >= post.modified_gmt ? saved : post
  }

  /** A revision or autosave of a post. Read anew: one of another request is none of this. */
  async #revisionOf(post: number, id: number): Promise<Post | undefined> {
    const revision = await this.#plugin.services.posts.get(id, new RequestCache())
    return revision?.type === 'revision' && revision.parent_id === post ? revision : undefined
  }

  #frontEndOf(wanted: string | undefined): FrontEnd {
    const places = this.#places()
    const found = wanted === undefined ? places[0] : places.find(({ name }) => name === wanted && name !== '')
    if (found !== undefined) return found
    const why = this.frontEnds.length === 0 ? ': none is configured' : hint(wanted ?? '', this.frontEnds)
    throw errors.rest_preview_unknown_front_end(`No front end is called ${wanted}${why}.`)
  }

  /** Where previews are shown: at the front ends, or where there are none by the REST API itself. */
  #places(): readonly FrontEnd[] {
    if (this.#frontEnds.length > 0) return this.#frontEnds
    return [{ name: '', origin: new URL(this.#plugin.urls.home).origin, template: null }]
  }

  #urlOf({ id, type, slug }: PreviewedPost, { template }: FrontEnd, token: string): string {
    const { contentTypes } = this.#plugin.services
    const { rest_base: base, rest_namespace: namespace } = contentTypes.get(type)!
    if (template !== null) return fillTemplate(template, { token, id: String(id), type, rest_base: base, slug })
    return addQuery(this.#plugin.urls.rest(`/${namespace}/${base}/${id}`), { [PARAMETER]: token })
  }
}

const isOver = ({ expires }: PreviewClaim) => expires <= unixNow()
const unixNow = () => Math.floor(Date.now() / 1000)

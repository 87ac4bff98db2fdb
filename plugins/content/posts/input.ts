import { datePair, type DatePair, type TimeZone, type ResourceInput } from '../../resources/index.ts'
import type { PluginContext, RestRequest } from '../../../kernel/index.ts'
import { collectionQuery } from './collection-query.ts'
import { declaredValue } from './declared-value.ts'
import type { PostPermissions } from './permissions.ts'
import type { NewPost, Post, PostChange, PostTexts } from './post.ts'
import type { PostQuery } from './query/index.ts'
import type { ServedType } from './served-type.ts'

/** Fields that are copied without conversion. */
const PLAIN_FIELDS = [
  'slug',
  'status',
  'password',
  'menu_order',
  'comment_status',
  'ping_status',
  'sticky',
  'format',
  'featured_media',
  'template',
] as const

/** The fields of a post that a request sets. */
export type GivenPost = Omit<NewPost, 'type'>

/** Converts list requests to queries and request bodies to changes, for posts of one type. */
export class PostInput implements ResourceInput<Post, PostQuery, GivenPost> {
  /** Status used if a list request names none; every client may list it. */
  readonly defaultStatus: string = 'publish'
  readonly #services: PluginContext['services']
  readonly #served: ServedType
  readonly #permissions: PostPermissions

  constructor(services: PluginContext['services'], served: ServedType, permissions: PostPermissions) {
    this.#services = services
    this.#served = served
    this.#permissions = permissions
  }

  /** @throws rest_no_search_term_defined, rest_orderby_include_missing_include */
  async queryOf(request: RestRequest): Promise<PostQuery> {
    const { defaultStatus } = this
    const { type } = this.#served
    const taxonomies = this.#served.taxonomiesFor(request)
    return collectionQuery(this.#services, { type: type.name, taxonomies, defaultStatus }, request)
  }

  /**
   * Returns the changes that the request makes to a post.
   * @param post the current post; null for a new one
   * @throws rest_cannot_publish, rest_invalid_field
   */
  async changeOf(request: RestRequest, post: Post | null): Promise<GivenPost> {
    const change: PostChange = await this.textsOf(request)
    const setField = <K extends keyof PostChange>(name: K, value: unknown) => {
      if (value !== undefined && value !== null) change[name] = value as NonNullable<PostChange[K]>
    }
    for (const name of PLAIN_FIELDS) setField(name, declaredValue(request, name))
    setField('author_id', declaredValue(request, 'author') || undefined)
    setField('parent_id', declaredValue(request, 'parent'))
    const refused = this.#permissions.refuseStatus(change.status, post, request)
    if (refused !== null) throw refused
    const date = await this.#dateOf(request, post)
    if (date !== undefined) change.date = date
    const pending = (change.status ?? post?.status) === 'pending'
    // Pending posts get their slug from the user who publishes them.
    if (pending && !this.#permissions.publishes(request)) change.slug = ''
    const terms = this.#termsOf(request)
    if (terms.size > 0) change.terms = terms
    const refusedPassword = await this.#permissions.refuseStickyPassword(change, post)
    if (refusedPassword !== null) throw refusedPassword
    return change
  }

  /** The texts in the request, with HTML that the user may not write removed. */
  async textsOf(request: RestRequest): Promise<Partial<PostTexts>> {
    const texts: Partial<PostTexts> = {}
    for (const name of ['title', 'content', 'excerpt'] as const) {
      const text = await this.textOf(request, name)
      if (text !== undefined) texts[name] = text
    }
    return texts
  }

  /** The text in the request for a field, with HTML that the user may not write removed. */
  async textOf(request: RestRequest, field: string): Promise<string | undefined> {
    const { capabilities, html } = this.#services
    const raw = rawText(declaredValue(request, field))
    const isTitle = field === 'title'
    const text = isTitle ? raw?.trim() : raw
    if (text === undefined || capabilities.can(request.user, 'unfiltered_html')) return text
    // A title is a single line, so block-level HTML is removed.
    return isTitle ? (await html.filterLong(text, 'comment')).trim() : html.filterLong(text, 'post')
  }

  #termsOf(request: RestRequest): Map<string, readonly number[]> {
    const terms = new Map<string, readonly number[]>()
    for (const { name, rest_base: base } of this.#served.taxonomies) {
      const ids = request.get(base)
      if (Array.isArray(ids)) terms.set(name, ids as number[])
    }
    return terms
  }

  /** The date in the request, or undefined if the post already has it. `date` takes precedence over `date_gmt`. */
  async #dateOf(request: RestRequest, post: Post | null): Promise<DatePair | null | undefined> {
    const local = declaredValue(request, 'date')
    const utc = declaredValue(request, 'date_gmt')
    if (local || utc) {
      const zone = await this.#services.options.get<TimeZone>('timezone', 'UTC')
      const pair = local ? datePair(local, zone) : datePair(utc, zone, { utc: true })
      const isUnchanged = local ? post?.date === pair?.[0] : post?.date_gmt === pair?.[1]
      if (pair !== null && !isUnchanged) return pair
    }
    return local === null || utc === null ? null : undefined
  }
}

/**
 * A text from a client: a string, or an object with `raw` as in responses. Other values are ignored, as in the recorded
 * API: a request whose only text is a number has no text.
 * @returns undefined if the value holds no text
 */
export function rawText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'raw')) return undefined
  const { raw } = value as { raw: unknown }
  if (typeof raw === 'string') return raw
  return typeof raw === 'number' || typeof raw === 'boolean' ? String(raw) : undefined
}

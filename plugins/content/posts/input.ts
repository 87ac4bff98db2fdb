import {
  authorizationStatus,
  datePair,
  type RestError,
  type DatePair,
  type PluginContext,
  type RestRequest,
  type TimeZone,
} from '../../../kernel/index.ts'
import type { ContentType } from '../content-types/index.ts'
import type { Taxonomy } from '../taxonomies/index.ts'
import { errors } from './errors.ts'
import type { Post } from './reader.ts'
import { isSticky } from './sticky.ts'
import type { PostChange, PostTexts } from './post.ts'

/** What requests give of items of one content type: who may give it, and what it is to the model. */
export class PostInput {
  readonly #plugin: PluginContext
  readonly #type: ContentType
  /** The taxonomies that requests give terms of. */
  readonly #taxonomies: () => readonly Taxonomy[]

  constructor(plugin: PluginContext, type: ContentType, taxonomies: () => readonly Taxonomy[]) {
    this.#plugin = plugin
    this.#type = type
    this.#taxonomies = taxonomies
  }

  /** Whether the person may make an item with what the request gives; the error says why not. */
  async mayCreate(request: RestRequest): Promise<true | RestError> {
    if (request.get('id')) return errors.rest_post_exists()
    const refused = this.#refuseAuthor(request) ?? this.#refuseSticky(request, false)
    if (refused !== null) return refused
    if (!this.#can(request, this.#type.capabilities.create_posts)) return errors.rest_cannot_create(denied(request))
    return (await this.#refuseTerms(request)) ?? true
  }

  /** Whether the person may change an item to what the request gives; the error says why not. */
  async mayUpdate(post: Post, request: RestRequest): Promise<true | RestError> {
    const refused = (await this.refuseEdit(post, request)) ?? this.#refuseAuthor(request)
    if (refused !== null) return refused
    return (await this.#refuseMove(post, request)) ?? (await this.#refuseTerms(request)) ?? true
  }

  async mayDelete(post: Post, request: RestRequest): Promise<true | RestError> {
    const { capabilities, posts } = this.#plugin.services
    const subject = await posts.subject(post, request.scope)
    return capabilities.can(request.user, 'delete_post', subject) || errors.rest_cannot_delete(denied(request))
  }

  /** Why the person may not change the item at all; null when they may. Nobody may change what is not there. */
  async refuseEdit(post: Post | undefined, request: RestRequest): Promise<RestError | null> {
    const { posts } = this.#plugin.services
    const may = post !== undefined && (await posts.isEditable(post, request.user, request.scope))
    return may ? null : errors.rest_cannot_edit(denied(request))
  }

  /**
   * Why an item may not be changed as asked for, by what is stored of it now; null when it may. Asked in the transaction
   * of the change: others may have changed or published the item since the person was asked for their rights.
   */
  async refuseNow(change: PostChange, post: Post, request: RestRequest): Promise<RestError | null> {
    return (
      (await this.refuseEdit(post, request)) ??
      this.refuseStatus(change.status, post, request) ??
      this.#refuseSchedule(change, post, request) ??
      (await this.#refuseMove(post, request)) ??
      (await this.#refuseBoth(change, post))
    )
  }

  /** Why the person may not give an item this status; null when they may, or when it has it already. */
  refuseStatus(status: string | undefined, post: Post | null, request: RestRequest): RestError | null {
    if (status === undefined || status === post?.status) return null
    const { statuses } = this.#plugin.services
    const known = statuses.get(status)
    // What only waits for somebody with the right needs none.
    if (known?.date_floating === true && !known.internal) return null
    const may = this.#can(request, this.#type.capabilities.publish_posts)
    return may ? null : errors.rest_cannot_publish(denied(request))
  }

  /** Why the person may not give an item that waits for its date another one: that decides when it is published. */
  #refuseSchedule(change: PostChange, post: Post, request: RestRequest): RestError | null {
    const waits = post.status === 'future' && (change.status ?? 'future') === 'future'
    if (!waits || change.date === undefined) return null
    return this.refuseStatus('publish', post, request)
  }

  /**
   * What the request gives of an item.
   * @param post the item; null for one that is made
   * @throws rest_cannot_publish, rest_invalid_author, rest_post_invalid_id, rest_invalid_field
   */
  async changeOf(request: RestRequest, post: Post | null): Promise<PostChange> {
    const change: PostChange = await this.textsOf(request)
    const take = <K extends keyof PostChange>(name: K, value: unknown) => {
      if (value !== undefined && value !== null) change[name] = value as NonNullable<PostChange[K]>
    }
    for (const name of [
      'slug', 'status', 'password', 'menu_order', 'comment_status', 'ping_status', 'sticky', 'format',
      'featured_media', 'template',
    ] as const) take(name, this.#given(request, name)) // prettier-ignore
    take('author_id', this.#given(request, 'author') || undefined)
    take('parent_id', this.#given(request, 'parent'))
    const refused = this.refuseStatus(change.status, post, request)
    if (refused !== null) throw refused
    const date = await this.#dateOf(request, post)
    if (date !== undefined) change.date = date
    const pending = (change.status ?? post?.status) === 'pending'
    // Who waits for others to publish leaves the name to them.
    if (pending && !this.#can(request, this.#type.capabilities.publish_posts)) change.slug = ''
    const terms = new Map<string, readonly number[]>()
    for (const { name, rest_base: base } of this.#taxonomies()) {
      const ids = request.get(base)
      if (Array.isArray(ids)) terms.set(name, ids as number[])
    }
    if (terms.size > 0) change.terms = terms
    await this.#check(change, post, request)
    return change
  }

  /** The texts that the request gives, as the person may write them. */
  async textsOf(request: RestRequest): Promise<Partial<PostTexts>> {
    const texts: Partial<PostTexts> = {}
    for (const name of ['title', 'content', 'excerpt'] as const) {
      const text = await this.textOf(request, name)
      if (text !== undefined) texts[name] = text
    }
    return texts
  }

  /** The text that the request gives for a field, as the person may write it. */
  async textOf(request: RestRequest, field: string): Promise<string | undefined> {
    const given = rawText(this.#given(request, field))
    const isTitle = field === 'title'
    const text = isTitle ? given?.trim() : given
    if (text === undefined || this.#can(request, 'unfiltered_html')) return text
    const { html } = this.#plugin.services
    // A title is one line among others: it is set in type, and holds nothing that breaks the line.
    return isTitle ? (await html.filterLong(text, 'comment')).trim() : html.filterLong(text, 'post')
  }

  /** What the request gives for a field, where items have it: clients send whole items, and those of other types. */
  #given(request: RestRequest, name: string): unknown {
    const args = request.endpoint?.args
    return args !== undefined && Object.hasOwn(args, name) ? request.get(name) : undefined
  }

  /** The date of a request, of which the local one goes first; undefined when it is that of the item. */
  async #dateOf(request: RestRequest, post: Post | null): Promise<DatePair | null | undefined> {
    const local = this.#given(request, 'date')
    const utc = this.#given(request, 'date_gmt')
    const zone = await this.#plugin.services.options.get<TimeZone>('timezone', 'UTC')
    const pair = local ? datePair(local, zone) : utc ? datePair(utc, zone, { utc: true }) : null
    if (pair !== null) {
      const known = local ? post?.date === pair[0] : post?.date_gmt === pair[1]
      if (!known) return pair
    }
    return local === null || utc === null ? null : undefined
  }

  /** @throws what is wrong with a change that its arguments alone do not tell */
  async #check(change: PostChange, post: Post | null, request: RestRequest): Promise<void> {
    const { posts, users } = this.#plugin.services
    const { author_id: author, parent_id: parent } = change
    if (author !== undefined && author !== request.user.id && author !== post?.author_id) {
      const known = Number.isSafeInteger(author) && (await users.get(author, request.scope)) !== undefined
      if (!known) throw errors.rest_invalid_author()
    }
    if (parent !== undefined && parent !== 0 && parent !== post?.parent_id) {
      const above = parent > 0 ? await posts.get(parent, request.scope) : undefined
      const readable = above !== undefined && (await posts.isReadable(above, request.user, request.scope))
      // What may not be read is not told to be there; the address of the item would have the name of it.
      if (!readable) throw errors.rest_post_invalid_id({ data: { status: 400 } })
    }
    const refused = await this.#refuseBoth(change, post)
    if (refused !== null) throw refused
  }

  /** Why a change is refused after which the item had a password at the top of lists; null when it has not. */
  async #refuseBoth({ sticky, password }: PostChange, post: Post | null): Promise<RestError | null> {
    if (this.#type.name !== 'post' || (sticky === undefined && password === undefined)) return null
    if ((password ?? post?.password ?? '') === '') return null
    const isOnTop = sticky ?? (post !== null && (await this.#isSticky(post)))
    const reason = 'What stays at the top of lists has no password: give it one or the other.'
    return isOnTop ? errors.rest_invalid_field(reason) : null
  }

  #refuseAuthor(request: RestRequest): RestError | null {
    const author = request.get('author')
    const isOther =
      author !== undefined && author !== null && Number(author) !== request.user.id && Number(author) !== 0
    const may = !isOther || this.#can(request, this.#type.capabilities.edit_others_posts)
    return may ? null : errors.rest_cannot_edit_others(denied(request))
  }

  /**
   * Why the person may not move an item to the top of lists, or from there: that place is shared by what everybody
   * publishes.
   * @param was whether it is there; what stays as it is needs no right
   */
  #refuseSticky(request: RestRequest, was: boolean): RestError | null {
    const sticky = this.#given(request, 'sticky')
    if (typeof sticky !== 'boolean' || sticky === was) return null
    const { edit_others_posts: others, publish_posts: publish } = this.#type.capabilities
    return this.#can(request, others) && this.#can(request, publish)
      ? null
      : errors.rest_cannot_assign_sticky(denied(request))
  }

  async #refuseTerms(request: RestRequest): Promise<RestError | null> {
    const { capabilities, terms } = this.#plugin.services
    for (const { name, rest_base: base } of this.#taxonomies()) {
      const ids = request.get(base)
      const wanted = Array.isArray(ids)
        ? [...new Set(ids.map(Number))].filter((id) => Number.isSafeInteger(id) && id > 0)
        : []
      const found = await Promise.all(wanted.map((id) => terms.get(id, request.scope)))
      for (const term of found) {
        // What is no term of the taxonomy is left out later.
        if (term?.taxonomy !== name || capabilities.can(request.user, 'assign_term', term)) continue
        return errors.rest_cannot_assign_term(denied(request))
      }
    }
    return null
  }

  /** Why the person may not move an item to the top of lists, or from there; what stays as it is needs no right. */
  async #refuseMove(post: Post, request: RestRequest): Promise<RestError | null> {
    if (typeof this.#given(request, 'sticky') !== 'boolean') return null
    return this.#refuseSticky(request, await this.#isSticky(post))
  }

  #isSticky({ id }: Post): Promise<boolean> {
    return isSticky(this.#plugin.services.options, id)
  }

  #can(request: RestRequest, capability: string): boolean {
    return this.#plugin.services.capabilities.can(request.user, capability)
  }
}

/** The status of a refusal. */
function denied(request: RestRequest): { data: { status: number } } {
  return { data: { status: authorizationStatus(request) } }
}

/** A text as clients give it: as it is, or in an object as it is read. */
function rawText(given: unknown): string | undefined {
  const text =
    typeof given === 'object' && given !== null && Object.hasOwn(given, 'raw') ? (given as { raw: unknown }).raw : given
  if (typeof text === 'string') return text
  return typeof text === 'number' || typeof text === 'boolean' ? String(text) : undefined
}

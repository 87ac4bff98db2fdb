import {
  errors as kernelErrors,
  RequestCache,
  runAction,
  VISITOR,
  type PluginContext,
  type TimeZone,
} from '../../../kernel/index.ts'
import type { NewRow, Row, RowChange, Store } from '../../storage/store/index.ts'
import { PostChildren } from './children.ts'
import { settleDates, settleStatus, type PostDates } from './dates.ts'
import { errors } from './errors.ts'
import { authorAfterTrash, checkAuthor, parentFor } from './parents-and-authors.ts'
import { COLUMNS, type NewPost, type Post, type PostChange, type PostTexts, type PostWrite } from './post.ts'
import { writeExtras } from './post-extras.ts'
import { allTerms, PostTermWriter, termsOf } from './post-terms.ts'
import { PostSlugs } from './slugs.ts'
import { takeOffSite } from './sticky.ts'
import { PostTrash } from './trash.ts'
import { announce, currentPost, inTurn, storedPost, withoutPassword } from './write-turn.ts'

/** Columns that a change gives as they are stored. */
const PLAIN_COLUMNS = [
  'title', 'content', 'excerpt', 'password', 'author_id', 'parent_id', 'menu_order', 'comment_status', 'ping_status',
] as const satisfies readonly (keyof PostChange & keyof Row<'posts'>)[] // prettier-ignore

/** What follows from a change, the post and the time. */
interface Settled {
  status: string
  slug: string
  dates: PostDates
}

/** Writes posts of every type. */
export class PostWriter {
  readonly #plugin: PluginContext
  readonly #slugs: PostSlugs
  readonly #terms: PostTermWriter
  readonly #trash: PostTrash
  readonly #children: PostChildren

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
    this.#slugs = new PostSlugs(plugin.services)
    this.#terms = new PostTermWriter(plugin.services)
    this.#trash = new PostTrash(plugin, this.#slugs)
    this.#children = new PostChildren(plugin.services, this.#slugs)
  }

  create(given: NewPost, write: PostWrite): Promise<Post> {
    const { hooks, services } = this.#plugin
    const { type } = given
    return this.#inTurn(write, async (tx) => {
      const defaults = { status: 'draft', author_id: write.user.id, ...(await this.#commentDefaults(type)) }
      const post: NewPost = { ...defaults, ...given }
      this.#refuseEmpty(type, post)
      await checkAuthor(tx, post.author_id ?? 0, write.user)
      post.parent_id = await parentFor(tx, 0, post.parent_id ?? 0)
      const settled = await this.#settle(tx, null, type, post)
      const id = await this.#insert(tx, post, settled)
      const { status } = settled
      const terms = await this.#terms.write(tx, { id, type, status }, post, new Map())
      await writeExtras(services, tx, { id, status }, post, write)
      const stored = await this.#withGuid(tx, await storedPost(tx, id), post.guid)
      await services.terms.recount(status === 'publish' ? terms.changed : [])
      await announce(hooks, stored, null, write)
      return stored
    })
  }

  update(id: number, given: PostChange, write: PostWrite): Promise<Post> {
    const { hooks, services } = this.#plugin
    return this.#inTurn(write, async (tx) => {
      const before = await currentPost(tx, id, write)
      const { type } = before
      this.#refuseEmpty(type, { ...before, ...given })
      const change = await this.#withReferences(tx, before, given, write)
      const { status, slug, dates } = await this.#settle(tx, before, type, change)
      const row: RowChange<'posts'> = { ...plainColumns(change), ...withoutPassword(status), ...dates, status, slug }
      await tx.run(tx.db.updateTable('posts').set(row).where('id', '=', id))
      if (before.status === 'trash' && status !== 'trash') await this.#trash.forget(id)
      const terms = await this.#terms.write(tx, { id, type, status }, change, await termsOf(tx, id))
      await writeExtras(services, tx, { id, status }, change, write)
      const after = await storedPost(tx, id)
      await this.#terms.recount(before.status, status, terms)
      await announce(hooks, after, before, write)
      return after
    })
  }

  trash(id: number, write: PostWrite): Promise<Post> {
    return this.#inTurn(write, async (tx) => {
      const before = await currentPost(tx, id, write)
      if (before.status === 'trash') throw kernelErrors.rest_already_trashed()
      return this.#trash.move(tx, before, write)
    })
  }

  async remove(id: number, write: PostWrite): Promise<void> {
    const { hooks, services } = this.#plugin
    await this.#inTurn(write, async (tx) => {
      const post = await currentPost(tx, id, write)
      await runAction(hooks.before_delete_post, post)
      await takeOffSite(services.options, id)
      const terms = allTerms(await termsOf(tx, id))
      const { db } = tx
      await tx.run(db.deleteFrom('comments').where('post_id', '=', id))
      // A revision has nothing below it.
      const hidden = post.type === 'revision' ? [] : await this.#children.hide(tx, post)
      const moved = post.type === 'revision' ? [] : await this.#children.moveUp(tx, post)
      await tx.run(db.deleteFrom('posts').where('id', '=', id))
      for (const below of moved) await this.#children.rename(tx, below, post)
      for (const below of hidden) await announce(hooks, await storedPost(tx, below.id), below, write)
      await services.terms.recount(terms)
      await runAction(hooks.deleted_post, post)
    })
  }

  async reassign(from: number, to: number): Promise<void> {
    await this.#inTurn({ user: VISITOR, scope: new RequestCache() }, async (tx) => {
      await tx.run(tx.db.updateTable('posts').set({ author_id: to }).where('author_id', '=', from))
    })
  }

  async trashOf(author: number, write: PostWrite): Promise<void> {
    const { contentTypes } = this.#plugin.services
    const goWithAuthor = contentTypes
      .all()
      .filter(({ name, delete_with_user: goes }) => goes ?? contentTypes.supports(name, 'author'))
    const types = goWithAuthor.flatMap(({ name }) => (name === 'revision' ? [] : [name]))
    if (types.length === 0) return
    await this.#inTurn(write, async (tx) => {
      const theirs = tx.db
        .selectFrom('posts')
        .select(COLUMNS)
        .where('author_id', '=', author)
        .where('status', '<>', 'trash')
        .where('type', 'in', types)
      for (const post of await tx.all(theirs)) await this.#trash.move(tx, post, write)
    })
  }

  #inTurn<T>(write: PostWrite, work: (tx: Store) => Promise<T>): Promise<T> {
    return inTurn(this.#plugin.services.store, write, work)
  }

  async #insert(tx: Store, post: NewPost, { status, slug, dates }: Settled): Promise<number> {
    const { type, guid, mime_type: mimeType, content_filtered: filtered } = post
    const row: NewRow<'posts'> = {
      type,
      status,
      slug,
      ...dates,
      ...plainColumns(post),
      ...withoutPassword(status),
      ...(guid !== undefined && { guid }),
      ...(mimeType !== undefined && { mime_type: mimeType }),
      ...(filtered !== undefined && { content_filtered: filtered }),
    }
    const { id } = (await tx.first(tx.db.insertInto('posts').values(row).returning('id')))!
    // Only now there is an ID, which is the slug of a post whose title gives none.
    if (slug === '' && !this.#slugs.isUnnamed(status)) {
      const name = await this.#slugs.free(tx, String(id), { id, type, parent_id: post.parent_id ?? 0 })
      await tx.run(tx.db.updateTable('posts').set({ slug: name }).where('id', '=', id))
    }
    return id
  }

  /** The post with its GUID: where none was given, what its URL is now identifies it for good. */
  async #withGuid(tx: Store, post: Post, given: string | undefined): Promise<Post> {
    if (given !== undefined) return post
    const guid = await this.#plugin.services.permalinks.post(post, new RequestCache())
    await tx.run(tx.db.updateTable('posts').set({ guid }).where('id', '=', post.id))
    return { ...post, guid }
  }

  /** A change whose author and parent are there. */
  async #withReferences(tx: Store, before: Post, given: PostChange, { user }: PostWrite): Promise<PostChange> {
    const change = { ...given }
    const { author_id: author = before.author_id, parent_id: parent = before.parent_id } = change
    if (author !== before.author_id) await checkAuthor(tx, author, user)
    else if (before.status === 'trash' && (change.status ?? 'trash') !== 'trash') {
      change.author_id = await authorAfterTrash(tx, author, user)
    }
    if (parent !== before.parent_id) change.parent_id = await parentFor(tx, before.id, parent)
    return change
  }

  async #settle(tx: Store, before: Post | null, type: string, change: PostChange): Promise<Settled> {
    const now = Math.floor(Date.now() / 1000)
    const { options, statuses } = this.#plugin.services
    const floats = (status: string) => statuses.get(status)?.date_floating === true
    const asked = change.status ?? before?.status ?? 'draft'
    const floated = before !== null && floats(before.status)
    const zone = await options.get<TimeZone>('timezone', 'UTC')
    const dates = settleDates(before, change, floats(asked), floated, zone, now)
    const status = type === 'attachment' ? asked : settleStatus(asked, dates.date_gmt, now)
    return { status, slug: await this.#slugs.of(tx, before, type, status, change), dates }
  }

  /** Whether a new post takes comments, and pingbacks of other sites. */
  async #commentDefaults(type: string): Promise<Pick<NewPost, 'comment_status' | 'ping_status'>> {
    const { contentTypes, options } = this.#plugin.services
    const of = async (feature: string, option: string) => {
      if (type === 'page' || !contentTypes.supports(type, feature)) return 'closed'
      return (await options.get(option)) === 'closed' ? 'closed' : 'open'
    }
    return {
      comment_status: await of('comments', 'default_comment_status'),
      ping_status: await of('trackbacks', 'default_ping_status'),
    }
  }

  /** @throws empty_content where nothing would be there to read */
  #refuseEmpty(type: string, { title = '', content = '', excerpt = '' }: Partial<PostTexts>): void {
    const { contentTypes } = this.#plugin.services
    const texts = ['title', 'editor', 'excerpt'].every((feature) => contentTypes.supports(type, feature))
    if (texts && title === '' && content === '' && excerpt === '') throw errors.empty_content()
  }
}

function plainColumns(change: PostChange): RowChange<'posts'> {
  return Object.fromEntries(PLAIN_COLUMNS.flatMap((name) => (change[name] === undefined ? [] : [[name, change[name]]])))
}

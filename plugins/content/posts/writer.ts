import { errors as kernelErrors, RequestCache, runAction, VISITOR, type PluginContext } from '../../../kernel/index.ts'
import type { TimeZone } from '../../resources/index.ts'
import type { RowChange, Store } from '../../storage/store/index.ts'
import { TEMPLATE_KEY, THUMBNAIL_KEY } from '../meta-keys.ts'
import { PostChildren } from './children.ts'
import { commentDefaults } from './comment-defaults.ts'
import { resolveDates, statusByDate, type PostDates } from './dates.ts'
import { errors } from './errors.ts'
import { authorAfterTrash, checkAuthor, parentFor } from './parents-and-authors.ts'
import {
  COLUMNS,
  PLAIN_COLUMNS,
  type NewPost,
  type Post,
  type PostChange,
  type PostTexts,
  type PostWrite,
} from './post.ts'
import { guidBefore, reservePostId } from './new-post.ts'
import {
  allTerms,
  assignTerms,
  termChanges,
  readTermsOf,
  resolveTerms,
  type TermChanges,
  type TermsByTaxonomy,
} from './post-terms.ts'
import { PostSlugs } from './slugs.ts'
import { setSticky, takeOffSite } from './sticky.ts'
import { forgetTrash, moveToTrash } from './trash.ts'
import { runSaveActions, currentPost, inTurn, storedPost, withoutPassword } from './write-turn.ts'

/** Values derived from a change, the current post and the time. */
interface ResolvedChange {
  status: string
  slug: string
  dates: PostDates
}

/**
 * Writes posts of every type. The caller of `create` and `update` (a controller or the service) must hold the write
 * turn.
 */
export class PostWriter {
  readonly #plugin: PluginContext
  readonly #slugs: PostSlugs
  readonly #children: PostChildren

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
    this.#slugs = new PostSlugs(plugin)
    this.#children = new PostChildren(plugin.services, this.#slugs)
  }

  async create(input: NewPost, write: PostWrite): Promise<Post> {
    const { hooks, services } = this.#plugin
    const { store: tx } = services
    const { type } = input
    // Data read before the turn may be stale.
    write.scope.clear()
    const defaults = {
      status: 'draft',
      author_id: write.user.id,
      ...(await commentDefaults(this.#plugin.services))(type),
    }
    const post: NewPost = { ...defaults, ...input }
    this.#refuseEmpty(type, post)
    post.parent_id = await parentFor(tx, 0, post.parent_id ?? 0)
    // Independent statements are sent to the database together.
    const [, resolved, id, requestedTerms] = await Promise.all([
      checkAuthor(tx, post.author_id ?? 0, write.user),
      this.#resolve(tx, null, type, post),
      reservePostId(tx),
      resolveTerms(services, tx, { type, status: post.status! }, post, new Map()),
    ])
    const row = await this.#rowOf(tx, id, post, resolved)
    const inserted = (await tx.first(tx.db.insertInto('posts').values(row).returning(COLUMNS)))!
    const { status } = resolved
    const terms = termChanges(new Map(), requestedTerms)
    await Promise.all([assignTerms(tx, inserted, terms), this.#count(false, status === 'publish', [], terms)])
    await writeExtras(services, tx, { id, status }, post, write)
    const stored = await this.#withGuid(tx, inserted, post.guid)
    await runSaveActions(hooks, stored, null, write)
    return stored
  }

  async update(id: number, input: PostChange, write: PostWrite): Promise<Post> {
    const { hooks, services } = this.#plugin
    const { store: tx } = services
    write.scope.clear()
    const before = await currentPost(tx, id, write)
    const { type } = before
    this.#refuseEmpty(type, { ...before, ...input })
    const change = await this.#withReferences(tx, before, input, write)
    const [{ status, slug, dates }, previousTerms] = await Promise.all([
      this.#resolve(tx, before, type, change),
      readTermsOf(tx, id),
    ])
    const row: RowChange<'posts'> = { ...plainColumns(change), ...withoutPassword(status), ...dates, status, slug }
    const update = tx.db.updateTable('posts').set(row).where('id', '=', id).returning(COLUMNS)
    const after = (await tx.first(update))!
    if (before.status === 'trash' && status !== 'trash') await forgetTrash(services, id)
    const requestedTerms = await resolveTerms(services, tx, { type, status }, change, previousTerms)
    const terms = termChanges(previousTerms, requestedTerms)
    await Promise.all([
      assignTerms(tx, after, terms),
      this.#count(before.status === 'publish', status === 'publish', allTerms(previousTerms), terms),
    ])
    await writeExtras(services, tx, { id, status }, change, write)
    await runSaveActions(hooks, after, before, write)
    return after
  }

  trash(id: number, write: PostWrite): Promise<Post> {
    return this.#inTurn(write, async (tx) => {
      const before = await currentPost(tx, id, write)
      if (before.status === 'trash') throw kernelErrors.rest_already_trashed()
      return moveToTrash(this.#plugin, this.#slugs, tx, before, write)
    })
  }

  async remove(id: number, write: PostWrite): Promise<void> {
    const { hooks, services } = this.#plugin
    await this.#inTurn(write, async (tx) => {
      const post = await currentPost(tx, id, write)
      await runAction(hooks.before_delete_post, post)
      await takeOffSite(services.options, id)
      const terms = allTerms(await readTermsOf(tx, id))
      const { db } = tx
      await tx.run(db.deleteFrom('comments').where('post_id', '=', id))
      // Revisions have no children.
      const hidden = post.type === 'revision' ? [] : await this.#children.hide(tx, post)
      const moved = post.type === 'revision' ? [] : await this.#children.moveChildrenUp(tx, post)
      await tx.run(db.deleteFrom('posts').where('id', '=', id))
      for (const below of moved) await this.#children.rename(tx, below, post)
      for (const below of hidden) await runSaveActions(hooks, await storedPost(tx, below.id), below, write)
      if (post.status === 'publish') await services.terms.count([], terms)
      await runAction(hooks.deleted_post, post)
    })
  }

  setTerms(id: number, terms: TermsByTaxonomy, write: PostWrite): Promise<void> {
    return this.#inTurn(write, async (tx) => {
      const post = await storedPost(tx, id)
      const before = await readTermsOf(tx, id)
      // As for a draft of the editor: without default terms.
      const requested = await resolveTerms(
        this.#plugin.services,
        tx,
        { ...post, status: 'auto-draft' },
        { terms },
        before,
      )
      const changes = termChanges(before, requested)
      const isShown = post.status === 'publish'
      await Promise.all([assignTerms(tx, post, changes), this.#count(isShown, isShown, allTerms(before), changes)])
    })
  }

  async reassign(from: number, to: number): Promise<void> {
    await this.#inTurn({ user: VISITOR, scope: new RequestCache() }, async (tx) => {
      await tx.run(tx.db.updateTable('posts').set({ author_id: to }).where('author_id', '=', from))
    })
  }

  async trashOf(author: number, write: PostWrite): Promise<void> {
    const { contentTypes } = this.#plugin.services
    const deletedTypes = contentTypes
      .all()
      .filter(
        ({ name, delete_with_user: isDeletedWithUser }) => isDeletedWithUser ?? contentTypes.supports(name, 'author'),
      )
    const types = deletedTypes.flatMap(({ name }) => (name === 'revision' ? [] : [name]))
    if (types.length === 0) return
    await this.#inTurn(write, async (tx) => {
      const postsOfAuthor = tx.db
        .selectFrom('posts')
        .select(COLUMNS)
        .where('author_id', '=', author)
        .where('status', '<>', 'trash')
        .where('type', 'in', types)
      for (const post of await tx.all(postsOfAuthor)) await moveToTrash(this.#plugin, this.#slugs, tx, post, write)
    })
  }

  #inTurn<T>(write: PostWrite, work: (tx: Store) => Promise<T>): Promise<T> {
    return inTurn(this.#plugin.services.store, write, work)
  }

  /** The row of a new post. */
  async #rowOf(tx: Store, id: number, post: NewPost, { status, slug, dates }: ResolvedChange) {
    const { type, terms, mime_type: mimeType, content_filtered: filtered, parent_id: parent = 0 } = post
    // A post whose title gives no slug gets its ID as slug.
    const unnamed = slug === '' && !this.#slugs.isUnnamed(status)
    const row = {
      id,
      type,
      status,
      slug: unnamed ? await this.#slugs.free(tx, String(id), { id, type, parent_id: parent, terms }) : slug,
      ...dates,
      ...plainColumns(post),
      ...withoutPassword(status),
      ...(mimeType !== undefined && { mime_type: mimeType }),
      ...(filtered !== undefined && { content_filtered: filtered }),
    }
    const guid = post.guid ?? (await guidBefore(this.#plugin.services, row)) ?? ''
    return { ...row, guid }
  }

  /** Sets the GUID of a post whose URL depends on its terms. */
  async #withGuid(tx: Store, post: Post, requestedGuid: string | undefined): Promise<Post> {
    if (requestedGuid !== undefined || post.guid !== '') return post
    const guid = await this.#plugin.services.permalinks.post(post, new RequestCache())
    await tx.run(tx.db.updateTable('posts').set({ guid }).where('id', '=', post.id))
    return { ...post, guid }
  }

  /** Updates the term counts for a post that is or was published. @param previousTerms the terms before the change */
  async #count(
    was: boolean,
    is: boolean,
    previousTerms: readonly number[],
    { added: addedTerms, removed }: TermChanges,
  ): Promise<void> {
    const { terms } = this.#plugin.services
    const added = [...addedTerms.keys()]
    const remaining = previousTerms.filter((id) => !removed.includes(id))
    if (was && is) await terms.count(added, removed)
    else if (is) await terms.count([...remaining, ...added], [])
    else if (was) await terms.count([], previousTerms)
  }

  /** Checks the author and parent of a change. */
  async #withReferences(tx: Store, before: Post, input: PostChange, { user }: PostWrite): Promise<PostChange> {
    const change = { ...input }
    const { author_id: author = before.author_id, parent_id: parent = before.parent_id } = change
    if (author !== before.author_id) await checkAuthor(tx, author, user)
    else if (before.status === 'trash' && (change.status ?? 'trash') !== 'trash') {
      change.author_id = await authorAfterTrash(tx, author, user)
    }
    if (parent !== before.parent_id) change.parent_id = await parentFor(tx, before.id, parent)
    return change
  }

  async #resolve(tx: Store, before: Post | null, type: string, change: PostChange): Promise<ResolvedChange> {
    const now = Math.floor(Date.now() / 1000)
    const { options, statuses } = this.#plugin.services
    const floats = (status: string) => statuses.get(status)?.date_floating === true
    const requestedStatus = change.status ?? before?.status ?? 'draft'
    const floated = before !== null && floats(before.status)
    const zone = await options.get<TimeZone>('timezone', 'UTC')
    const dates = resolveDates(before, change, floats(requestedStatus), floated, zone, now)
    const status = type === 'attachment' ? requestedStatus : statusByDate(requestedStatus, dates.date_gmt, now)
    return { status, slug: await this.#slugs.slugFor(tx, before, type, status, change), dates }
  }

  /** @throws empty_content if title, content and excerpt are all empty */
  #refuseEmpty(type: string, { title = '', content = '', excerpt = '' }: Partial<PostTexts>): void {
    const { contentTypes } = this.#plugin.services
    const texts = ['title', 'editor', 'excerpt'].every((feature) => contentTypes.supports(type, feature))
    if (texts && title === '' && content === '' && excerpt === '') throw errors.empty_content()
  }
}

/** Stores the parts of a post outside its row and terms: sticky, template and featured image. */
async function writeExtras(
  { meta, options }: PluginContext['services'],
  tx: Store,
  { id, status }: { id: number; status: string },
  { sticky, featured_media: media, template }: PostChange,
  { scope }: PostWrite,
): Promise<void> {
  // Trashed posts are never sticky.
  if (sticky !== undefined) await setSticky(options, id, sticky && status !== 'trash')
  if (template !== undefined) await meta.write('post', id, TEMPLATE_KEY, template === '' ? [] : [template], scope)
  if (media === 0) await meta.write('post', id, THUMBNAIL_KEY, [], scope)
  else if (media !== undefined) {
    const file = await tx.first(tx.db.selectFrom('posts').select(['type', 'mime_type']).where('id', '=', media))
    // An ID without a post changes nothing; a post that is not an image removes the featured image.
    if (file === undefined) return
    const isImage = file.type === 'attachment' && file.mime_type.startsWith('image/')
    await meta.write('post', id, THUMBNAIL_KEY, isImage ? [media] : [], scope)
  }
}

function plainColumns(change: PostChange): Pick<PostChange, (typeof PLAIN_COLUMNS)[number]> {
  return Object.fromEntries(PLAIN_COLUMNS.flatMap((name) => (change[name] === undefined ? [] : [[name, change[name]]])))
}

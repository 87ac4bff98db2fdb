import {
  formatUtc,
  runAction,
  RequestCache,
  VISITOR,
  zoneOffset,
  type PluginContext,
  type TimeZone,
} from '../../../kernel/index.ts'
import { idsFrom, type NewRow, type RowChange, type Store } from '../../storage/store/index.ts'
import { assignTerms, termOfSlug, termsOf, type TermsByTaxonomy } from './assign.ts'
import { settleDates, settleStatus, type PostDates } from './dates.ts'
import { errors } from './errors.ts'
import { COLUMNS, TEMPLATE_KEY, THUMBNAIL_KEY, type Post } from './model.ts'
import { freeSlugs, type SlugWish, toSlug, trashedSlug, typesSharingSlugs, untrashedSlug } from './names.ts'
import { TRASHED_STATUS_KEY } from './query.ts'
import { FORMAT_PREFIX, FORMAT_TAXONOMY, POST_FORMATS } from './schema.ts'
import { setSticky, takeOffSite } from './standing.ts'
import { insertVersion, latestVersion, pruneVersions, sameTexts, savedBy } from './versions.ts'
import {
  PLAIN_COLUMNS,
  type NewPost,
  type PostChange,
  type PostTexts,
  type PostWrite,
  type PostWriting,
} from './writing.ts'

/** Levels above that a post may be below, and that are looked through for itself. */
const HIGHEST = 1000

/** Key of the extra value that holds when a post came to the trash, in Unix seconds. */
export const TRASHED_TIME_KEY = '_trash_meta_time'
/** Key of the extra value that holds the slug of a post in the trash. */
export const TRASHED_SLUG_KEY = '_desired_post_slug'

/** A post that has moved up because the one above it goes. */
type MovedPost = Pick<Post, 'id' | 'slug' | 'status'>

/** What a row becomes. */
interface Settled {
  status: string
  slug: string
  dates: PostDates
}

/** Writes content of every type. */
export class PostWriter implements PostWriting {
  readonly #plugin: PluginContext

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  create(given: NewPost, write: PostWrite): Promise<Post> {
    const { services } = this.#plugin
    const { type } = given
    return this.#transaction(write, async (tx) => {
      const post: NewPost = {
        status: 'draft',
        author_id: write.user.id,
        ...(await this.#commentDefaults(type)),
        ...given,
      }
      this.#refuseEmpty(type, post)
      await this.#checkAuthor(tx, post.author_id, write)
      post.parent_id = await this.#parentFor(tx, 0, post.parent_id ?? 0)
      const { status, slug, dates } = await this.#settle(tx, null, type, post)
      const { guid, mime_type: mimeType, content_filtered: filtered } = post
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
      // Only now there is a number, which is the name of a post whose title gives none.
      if (slug === '' && !this.#isUnnamed(status)) {
        const name = await this.#freeSlug(tx, String(id), { id, type, parent_id: post.parent_id ?? 0 })
        await tx.run(tx.db.updateTable('posts').set({ slug: name }).where('id', '=', id))
      }
      const terms = await this.#termsFor(tx, id, type, status, post, new Map())
      await this.#writeRest(tx, id, status, post, write)
      let stored = await this.#read(tx, id)
      if (guid === undefined) {
        // What the address is now identifies the post for good.
        stored = { ...stored, guid: await services.permalinks.post(stored, new RequestCache()) }
        await tx.run(tx.db.updateTable('posts').set({ guid: stored.guid }).where('id', '=', id))
      }
      await this.#plugin.services.terms.recount(status === 'publish' ? terms.changed : [])
      await this.#told(stored, null, write)
      return stored
    })
  }

  update(id: number, given: PostChange, write: PostWrite): Promise<Post> {
    return this.#transaction(write, async (tx) => {
      const before = await this.#current(tx, id, write)
      this.#refuseEmpty(before.type, { ...before, ...given })
      const change = { ...given }
      const { author_id: author = before.author_id, parent_id: parent = before.parent_id } = change
      if (author !== before.author_id) await this.#checkAuthor(tx, author, write)
      else if (before.status === 'trash' && (change.status ?? 'trash') !== 'trash') {
        change.author_id = await this.#authorAfterTrash(tx, author, write)
      }
      if (parent !== before.parent_id) change.parent_id = await this.#parentFor(tx, id, parent)
      const { status, slug, dates } = await this.#settle(tx, before, before.type, change)
      const row: RowChange<'posts'> = { ...plainColumns(change), ...withoutPassword(status), ...dates, status, slug }
      await tx.run(tx.db.updateTable('posts').set(row).where('id', '=', id))
      if (before.status === 'trash' && status !== 'trash') await this.#forgetTrash(id)
      const had = await termsOf(tx, id)
      const terms = await this.#termsFor(tx, id, before.type, status, change, had)
      await this.#writeRest(tx, id, status, change, write)
      const after = await this.#read(tx, id)
      await this.#recountFor(before.status, status, terms)
      await this.#told(after, before, write)
      return after
    })
  }

  trash(id: number, write: PostWrite): Promise<Post> {
    return this.#transaction(write, async (tx) => {
      const before = await this.#current(tx, id, write)
      if (before.status === 'trash') throw errors.rest_already_trashed()
      return this.#toTrash(tx, before, write)
    })
  }

  async remove(id: number, write: PostWrite): Promise<void> {
    const { hooks, services } = this.#plugin
    await this.#transaction(write, async (tx) => {
      const post = await this.#current(tx, id, write)
      await runAction(hooks.before_delete_post, post)
      await takeOffSite(services.options, id)
      const terms = flat(await termsOf(tx, id))
      const { db } = tx
      await tx.run(db.deleteFrom('comments').where('post_id', '=', id))
      // A version has nothing below it.
      const hidden = post.type === 'revision' ? [] : await this.#hideBelow(tx, post)
      const moved = post.type === 'revision' ? [] : await this.#giveUpBelow(tx, post)
      await tx.run(db.deleteFrom('posts').where('id', '=', id))
      for (const below of moved) await this.#renameMoved(tx, below, post)
      for (const below of hidden) await this.#told(await this.#read(tx, below.id), below, write)
      await this.#plugin.services.terms.recount(terms)
      await runAction(hooks.deleted_post, post)
    })
  }

  /**
   * Makes private what is read with a post that goes, where not everybody may read that: what is attached to nothing is
   * everybody's. A post in the trash counts as what it was before.
   * @returns what has become private, as it was
   */
  async #hideBelow(tx: Store, post: Post): Promise<Post[]> {
    const { db } = tx
    const inheriting = db
      .selectFrom('posts')
      .select(COLUMNS)
      .where('parent_id', '=', post.id)
      .where('type', '<>', 'revision')
      .where('status', '=', 'inherit')
    const below = await tx.all(inheriting)
    if (below.length === 0 || (await this.#isPublic(post))) return []
    const hide = db.updateTable('posts').set({ status: 'private', ...withoutPassword('private') })
    await tx.run(hide.where('parent_id', '=', post.id).where('type', '<>', 'revision').where('status', '=', 'inherit'))
    return below
  }

  /** Whether everybody may read a post, or might before it came to the trash. */
  async #isPublic(post: Post): Promise<boolean> {
    const { meta, posts } = this.#plugin.services
    const scope = new RequestCache()
    if (post.status !== 'trash') return posts.isReadable(post, VISITOR, scope)
    const before = await meta.single('post', post.id, TRASHED_STATUS_KEY, scope)
    return typeof before === 'string' && posts.isReadable({ ...post, status: before }, VISITOR, scope)
  }

  /**
   * Lets what is below a post that goes move up, or stand for itself; its versions go with it.
   * @returns what is named there like something else already
   */
  async #giveUpBelow(tx: Store, { id, type, parent_id: above }: Post): Promise<MovedPost[]> {
    const { db } = tx
    const of = (types: '=' | '<>') => db.updateTable('posts').where('parent_id', '=', id).where('type', types, type)
    await tx.run(db.deleteFrom('posts').where('parent_id', '=', id).where('type', '=', 'revision'))
    const sharing = typesSharingSlugs(this.#plugin.services.contentTypes, type)
    const namesakes =
      sharing === null
        ? []
        : await tx.all(
            db
              .selectFrom('posts')
              .innerJoin('posts as other', 'other.slug', 'posts.slug')
              .select(['posts.id', 'posts.slug', 'posts.status'])
              .distinct()
              .where('posts.parent_id', '=', id)
              .where('posts.type', '=', type)
              .where('posts.slug', '<>', '')
              .where('other.parent_id', '=', above)
              .where('other.type', 'in', [...sharing, 'attachment'])
              .where('other.id', '<>', id),
          )
    await tx.run(of('=').set({ parent_id: above }))
    await tx.run(of('<>').set({ parent_id: 0 }))
    return namesakes.filter(({ status }) => !this.#isUnnamed(status))
  }

  async #renameMoved(tx: Store, { id, slug: wanted }: MovedPost, { type, parent_id: above }: Post): Promise<void> {
    const slug = await this.#freeSlug(tx, wanted, { id, type, parent_id: above })
    await tx.run(tx.db.updateTable('posts').set({ slug }).where('id', '=', id))
  }

  async reassign(from: number, to: number): Promise<void> {
    await this.#transaction({ user: VISITOR, scope: new RequestCache() }, async (tx) => {
      await tx.run(tx.db.updateTable('posts').set({ author_id: to }).where('author_id', '=', from))
    })
  }

  async trashOf(author: number, write: PostWrite): Promise<void> {
    const { contentTypes } = this.#plugin.services
    const types = contentTypes
      .all()
      .filter(
        ({ name, delete_with_user: goes }) => name !== 'revision' && (goes ?? contentTypes.supports(name, 'author')),
      )
      .map(({ name }) => name)
    if (types.length === 0) return
    await this.#transaction(write, async (tx) => {
      const theirs = tx.db
        .selectFrom('posts')
        .select(COLUMNS)
        .where('author_id', '=', author)
        .where('status', '<>', 'trash')
        .where('type', 'in', types)
      for (const post of await tx.all(theirs)) await this.#toTrash(tx, post, write)
    })
  }

  async addVersion(post: Post, most: number, write: PostWrite): Promise<void> {
    await this.#transaction(write, async (tx) => {
      const latest = await latestVersion(tx, post.id)
      if (most !== 0 && (latest === undefined || !sameTexts(post, latest))) {
        const times = { date: post.modified, date_gmt: post.modified_gmt }
        await insertVersion(tx, post.id, 'version', post, write.user.id, times, (id) => this.#addressOfVersion(id))
      }
      if (most >= 0) await pruneVersions(tx, post.id, most)
    })
  }

  autosave({ id }: Post, texts: Partial<PostTexts>, write: PostWrite): Promise<Post | null> {
    return this.#transaction(write, async (tx) => {
      const post = await this.#current(tx, id, write)
      const { local, utc } = await this.#now()
      const times = { date: local, date_gmt: utc }
      const saved = await savedBy(tx, id, write.user.id)
      if (saved === undefined) {
        const address = (made: number) => this.#addressOfVersion(made)
        return this.#read(tx, await insertVersion(tx, id, 'autosave', texts, write.user.id, times, address))
      }
      if (sameTexts(texts, post)) {
        await tx.run(tx.db.deleteFrom('posts').where('id', '=', saved.id))
        return null
      }
      const change = { ...texts, ...times, modified: local, modified_gmt: utc }
      await tx.run(tx.db.updateTable('posts').set(change).where('id', '=', saved.id))
      return this.#read(tx, saved.id)
    })
  }

  /** One transaction, and one writer after the other, so that names stay unique and nobody waits in a circle. */
  async #transaction<T>({ scope }: PostWrite, work: (tx: Store) => Promise<T>): Promise<T> {
    try {
      return await this.#plugin.services.store.inTurn(async (tx) => {
        scope.clear()
        return work(tx)
      })
    } finally {
      scope.clear()
    }
  }

  /** The post as it is, now that nobody else changes it. */
  async #current(tx: Store, id: number, { check }: PostWrite): Promise<Post> {
    const post = await tx.first(tx.db.selectFrom('posts').select(COLUMNS).where('id', '=', id))
    if (post === undefined) throw errors.rest_post_invalid_id()
    await check?.(post)
    return post
  }

  async #read(tx: Store, id: number): Promise<Post> {
    return (await tx.first(tx.db.selectFrom('posts').select(COLUMNS).where('id', '=', id)))!
  }

  async #toTrash(tx: Store, before: Post, write: PostWrite): Promise<Post> {
    const { id } = before
    const { meta, options } = this.#plugin.services
    const { local, utc, seconds } = await this.#now()
    const slug = await this.#freeSlug(tx, trashedSlug(before.slug), before)
    const kept = {
      [TRASHED_STATUS_KEY]: before.status,
      [TRASHED_TIME_KEY]: String(seconds),
      [TRASHED_SLUG_KEY]: before.slug,
    }
    for (const [key, value] of Object.entries(kept)) await meta.write('post', id, key, [value], write.scope)
    await takeOffSite(options, id)
    const row = { status: 'trash', slug, modified: local, modified_gmt: utc }
    await tx.run(tx.db.updateTable('posts').set(row).where('id', '=', id))
    const all = flat(await termsOf(tx, id))
    if (before.status === 'publish') await this.#plugin.services.terms.recount(all)
    const after = { ...before, ...row }
    await this.#told(after, before, write)
    return after
  }

  async #forgetTrash(id: number): Promise<void> {
    const { meta } = this.#plugin.services
    for (const key of [TRASHED_STATUS_KEY, TRASHED_TIME_KEY, TRASHED_SLUG_KEY]) {
      await meta.write('post', id, key, [], new RequestCache())
    }
  }

  async #told(after: Post, before: Post | null, write: PostWrite): Promise<void> {
    const { hooks } = this.#plugin
    const from = before?.status ?? 'new'
    if (from !== after.status) await runAction(hooks.transition_post_status, after.status, from, after)
    await runAction(hooks.save_post, after, before, write)
  }

  async #now(): Promise<{ local: string; utc: string; seconds: number }> {
    const seconds = Math.floor(Date.now() / 1000)
    const zone = await this.#zone()
    return { local: formatUtc(seconds + zoneOffset(zone, seconds)), utc: formatUtc(seconds), seconds }
  }

  #zone(): Promise<TimeZone> {
    return this.#plugin.services.options.get<TimeZone>('timezone', 'UTC')
  }

  /** Whether posts of a status have no name in addresses yet. */
  #isUnnamed(status: string): boolean {
    return this.#plugin.services.statuses.get(status)?.date_floating === true
  }

  async #settle(tx: Store, before: Post | null, type: string, change: PostChange): Promise<Settled> {
    const now = Math.floor(Date.now() / 1000)
    const { statuses } = this.#plugin.services
    const floats = (status: string) => statuses.get(status)?.date_floating === true
    const asked = change.status ?? before?.status ?? 'draft'
    const floated = before !== null && floats(before.status)
    const dates = settleDates(before, change, floats(asked), floated, await this.#zone(), now)
    const status = type === 'attachment' ? asked : settleStatus(asked, dates.date_gmt, now)
    return { status, slug: await this.#slugFor(tx, before, type, status, change), dates }
  }

  async #slugFor(tx: Store, before: Post | null, type: string, status: string, change: PostChange): Promise<string> {
    const { permalinks } = this.#plugin.services
    const returns = before?.status === 'trash' && status !== 'trash'
    const had = returns ? await this.#slugBeforeTrash(before) : (before?.slug ?? '')
    const given = change.slug === undefined ? had : toSlug(change.slug, (title) => permalinks.slugify(title))
    if (type === 'revision' || this.#isUnnamed(status)) return given
    const title = change.title ?? before?.title ?? ''
    const wanted = given || permalinks.slugify(title) || (before === null ? '' : String(before.id))
    const parent = change.parent_id ?? before?.parent_id ?? 0
    return wanted === '' ? '' : this.#freeSlug(tx, wanted, { id: before?.id ?? 0, type, parent_id: parent })
  }

  async #slugBeforeTrash({ id, slug }: Post): Promise<string> {
    const kept = await this.#plugin.services.meta.single('post', id, TRASHED_SLUG_KEY, new RequestCache())
    return typeof kept === 'string' ? kept : untrashedSlug(slug)
  }

  async #freeSlug(tx: Store, wanted: string, post: Pick<SlugWish, 'id' | 'type' | 'parent_id'>): Promise<string> {
    const hierarchical = typesSharingSlugs(this.#plugin.services.contentTypes, post.type)
    const [slug] = await freeSlugs(tx, [{ ...post, wanted, hierarchical }])
    return slug!
  }

  /**
   * The parent asked for, unless the post would be above itself: then none.
   * @param id 0 for a post that is made
   * @throws rest_post_invalid_id when it has gone, rest_invalid_field when it is too far below others
   */
  async #parentFor(tx: Store, id: number, parent: number): Promise<number> {
    if (parent === 0) return 0
    const ids = await idsFrom(tx, 'posts', parent, HIGHEST)
    if (ids.length === 0) throw errors.rest_post_invalid_id({ data: { status: 400 } })
    if (ids.includes(id) || new Set(ids).size < ids.length) return 0
    if (ids.length === HIGHEST) throw errors.rest_invalid_field(`Nothing is more than ${HIGHEST} levels below another.`)
    return parent
  }

  /** @throws rest_invalid_author when the account has gone */
  async #checkAuthor(tx: Store, author = 0, { user }: PostWrite): Promise<void> {
    // Who has a login has an account; a plugin may know others, who have none.
    if (author === 0 || (author === user.id && user.login === undefined)) return
    if (!(await this.#hasAccount(tx, author))) throw errors.rest_invalid_author()
  }

  /** Who is the author of a post that leaves the trash: whoever brings it back, where the account of the author has gone. */
  async #authorAfterTrash(tx: Store, author: number, { user }: PostWrite): Promise<number> {
    return author === 0 || (await this.#hasAccount(tx, author)) ? author : user.id
  }

  async #hasAccount(tx: Store, id: number): Promise<boolean> {
    return (await tx.first(tx.db.selectFrom('users').select('id').where('id', '=', id))) !== undefined
  }

  /** Whether a new post takes comments, and notes of other sites. */
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

  #addressOfVersion(id: number): string {
    return this.#plugin.urls.site(`/?p=${id}`)
  }

  /** Gives the post its terms. */
  async #termsFor(
    tx: Store,
    id: number,
    type: string,
    status: string,
    { terms: given = new Map(), format }: PostChange,
    had: TermsByTaxonomy,
  ): Promise<{ changed: number[]; all: number[] }> {
    const wanted = new Map(given)
    if (format !== undefined) wanted.set(FORMAT_TAXONOMY, await this.#termsOfFormat(tx, format))
    if (status !== 'auto-draft') {
      const hasSome = (taxonomy: string) => wanted.has(taxonomy) || (had.get(taxonomy) ?? []).length > 0
      for (const { name, term } of await this.#defaultTerms(tx, type, hasSome)) wanted.set(name, [term])
    }
    const changed = await assignTerms(tx, id, had, wanted)
    return { changed, all: [...new Set([...flat(had), ...changed])] }
  }

  async #termsOfFormat(tx: Store, format: string): Promise<number[]> {
    const slug = `${FORMAT_PREFIX}${format}`
    return format === POST_FORMATS[0] ? [] : [await termOfSlug(tx, FORMAT_TAXONOMY, slug, slug)]
  }

  /** The terms that content of a type gets which has none of the taxonomy. */
  async #defaultTerms(
    tx: Store,
    type: string,
    hasSome: (taxonomy: string) => boolean,
  ): Promise<{ name: string; term: number }[]> {
    const { options, permalinks, taxonomies } = this.#plugin.services
    const found: { name: string; term: number }[] = []
    for (const { name, default_term: preset } of taxonomies.ofType(type)) {
      if (hasSome(name)) continue
      if (name === 'category' && type === 'post') {
        const { default_category: term } = await options.fresh(['default_category'])
        found.push({ name, term: Number(term) || 0 })
      } else if (preset !== null) {
        const slug = preset.slug ?? permalinks.slugify(preset.name)
        found.push({ name, term: await termOfSlug(tx, name, slug, preset.name) })
      }
    }
    return found
  }

  /** What is kept of a post beside its row and its terms. */
  async #writeRest(
    tx: Store,
    id: number,
    status: string,
    { sticky, featured_media: media, template }: PostChange,
    { scope }: PostWrite,
  ): Promise<void> {
    const { meta, options } = this.#plugin.services
    // What is in the trash is at the top of nothing.
    if (sticky !== undefined) await setSticky(options, id, sticky && status !== 'trash')
    if (template !== undefined) await meta.write('post', id, TEMPLATE_KEY, template === '' ? [] : [template], scope)
    if (media === 0) await meta.write('post', id, THUMBNAIL_KEY, [], scope)
    else if (media !== undefined) {
      const file = await tx.first(tx.db.selectFrom('posts').select(['type', 'mime_type']).where('id', '=', media))
      // What is not there changes nothing; what is no image stands for nothing.
      if (file === undefined) return
      const isImage = file.type === 'attachment' && file.mime_type.startsWith('image/')
      await meta.write('post', id, THUMBNAIL_KEY, isImage ? [media] : [], scope)
    }
  }

  async #recountFor(from: string, to: string, terms: { changed: number[]; all: number[] }): Promise<void> {
    if (from !== 'publish' && to !== 'publish') return
    await this.#plugin.services.terms.recount(from === to ? terms.changed : terms.all)
  }
}

function plainColumns(change: PostChange): RowChange<'posts'> {
  return Object.fromEntries(PLAIN_COLUMNS.flatMap((name) => (change[name] === undefined ? [] : [[name, change[name]]])))
}

/** Private content has no password: it is open to those who may read it, and to nobody else. */
export function withoutPassword(status: string): { password?: '' } {
  return status === 'private' ? { password: '' } : {}
}

function flat(terms: TermsByTaxonomy): number[] {
  return [...terms.values()].flat()
}

import { RequestCache, VISITOR, type PluginContext } from '../../../kernel/index.ts'
import type { Store } from '../../storage/store/index.ts'
import { TRASHED_STATUS_KEY } from '../meta-keys.ts'
import { typesSharingSlugs } from './unique-slugs.ts'
import { COLUMNS, type Post } from './post.ts'
import type { PostSlugs } from './slugs.ts'
import { withoutPassword } from './write-turn.ts'

/** A post that has moved up because the one above it goes. */
type MovedPost = Pick<Post, 'id' | 'slug' | 'status'>

/** What becomes of the posts below one that is deleted. */
export class PostChildren {
  readonly #services: PluginContext['services']
  readonly #slugs: PostSlugs

  constructor(services: PluginContext['services'], slugs: PostSlugs) {
    this.#services = services
    this.#slugs = slugs
  }

  /**
   * Makes private what is read with a post that goes, where not everybody may read that: what is attached to nothing is
   * everybody's. A post in the trash counts as what it was before.
   * @returns what has become private, as it was
   */
  async hide(tx: Store, post: Post): Promise<Post[]> {
    const { db } = tx
    const inheriting = db
      .selectFrom('posts')
      .select(COLUMNS)
      .where('parent_id', '=', post.id)
      .where('type', '<>', 'revision')
      .where('status', '=', 'inherit')
    const below = await tx.all(inheriting)
    if (below.length === 0 || (await this.#isPublic(post))) return []
    const change = db.updateTable('posts').set({ status: 'private', ...withoutPassword('private') })
    await tx.run(
      change.where('parent_id', '=', post.id).where('type', '<>', 'revision').where('status', '=', 'inherit'),
    )
    return below
  }

  /**
   * Lets what is below a post that goes move up, or stand for itself; its revisions go with it.
   * @returns what has a slug there that something else has already
   */
  async moveChildrenUp(tx: Store, post: Post): Promise<MovedPost[]> {
    const { id, type, parent_id: above } = post
    const { db } = tx
    const of = (types: '=' | '<>') => db.updateTable('posts').where('parent_id', '=', id).where('type', types, type)
    await tx.run(db.deleteFrom('posts').where('parent_id', '=', id).where('type', '=', 'revision'))
    const namesakes = await this.#namesakes(tx, post)
    await tx.run(of('=').set({ parent_id: above }))
    await tx.run(of('<>').set({ parent_id: 0 }))
    return namesakes.filter(({ status }) => !this.#slugs.isUnnamed(status))
  }

  /** Gives a post that has moved up a slug that is free there. */
  async rename(tx: Store, { id, slug: wanted }: MovedPost, { type, parent_id: above }: Post): Promise<void> {
    const slug = await this.#slugs.free(tx, wanted, { id, type, parent_id: above })
    await tx.run(tx.db.updateTable('posts').set({ slug }).where('id', '=', id))
  }

  /** Posts below a post whose slug another one has beside it. */
  async #namesakes(tx: Store, { id, type, parent_id: above }: Post): Promise<MovedPost[]> {
    const sharing = typesSharingSlugs(this.#services.contentTypes, type)
    if (sharing === null) return []
    return tx.all(
      tx.db
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
  }

  /** Whether everybody may read a post, or might before it came to the trash. */
  async #isPublic(post: Post): Promise<boolean> {
    const { meta, posts } = this.#services
    const scope = new RequestCache()
    if (post.status !== 'trash') return posts.isReadable(post, VISITOR, scope)
    const before = await meta.single('post', post.id, TRASHED_STATUS_KEY, scope)
    return typeof before === 'string' && posts.isReadable({ ...post, status: before }, VISITOR, scope)
  }
}

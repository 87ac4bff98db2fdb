import { RequestCache, VISITOR, type PluginContext } from '../../../kernel/index.ts'
import type { Store } from '../../storage/store/index.ts'
import { TRASHED_STATUS_KEY } from '../meta-keys.ts'
import { typesSharingSlugs } from './unique-slugs.ts'
import { COLUMNS, type Post } from './post.ts'
import type { PostSlugs } from './slugs.ts'
import { withoutPassword } from './write-turn.ts'

/** A post that moves up because its parent is deleted. */
type MovedPost = Pick<Post, 'id' | 'slug' | 'status'>

/** Handles the children and attachments of a deleted post. */
export class PostChildren {
  readonly #services: PluginContext['services']
  readonly #slugs: PostSlugs

  constructor(services: PluginContext['services'], slugs: PostSlugs) {
    this.#services = services
    this.#slugs = slugs
  }

  /**
   * Makes attachments of a deleted post private unless the post was public, because attachments without a parent are
   * public. A trashed post counts as its former status.
   * @returns the attachments that have become private, as they were before
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
   * Moves the children of a deleted post up to its parent, detaches posts of other types, such as attachments, and
   * deletes its revisions.
   * @returns moved posts whose slug is already in use below the new parent
   */
  async moveChildrenUp(tx: Store, post: Post): Promise<MovedPost[]> {
    const { id, type, parent_id: above } = post
    const { db } = tx
    const of = (types: '=' | '<>') => db.updateTable('posts').where('parent_id', '=', id).where('type', types, type)
    await tx.run(db.deleteFrom('posts').where('parent_id', '=', id).where('type', '=', 'revision'))
    const conflicting = await this.#conflictingChildren(tx, post)
    await tx.run(of('=').set({ parent_id: above }))
    await tx.run(of('<>').set({ parent_id: 0 }))
    return conflicting.filter(({ status }) => !this.#slugs.isUnnamed(status))
  }

  /** Gives a moved post a slug that is free below its new parent. */
  async rename(tx: Store, { id, slug: desired }: MovedPost, { type, parent_id: above }: Post): Promise<void> {
    const slug = await this.#slugs.free(tx, desired, { id, type, parent_id: above })
    await tx.run(tx.db.updateTable('posts').set({ slug }).where('id', '=', id))
  }

  /** Children of a post whose slug is in use among its siblings. */
  async #conflictingChildren(tx: Store, { id, type, parent_id: above }: Post): Promise<MovedPost[]> {
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

  /** Whether a post is public, or was before it was moved to the trash. */
  async #isPublic(post: Post): Promise<boolean> {
    const { meta, posts } = this.#services
    const scope = new RequestCache()
    if (post.status !== 'trash') return posts.isReadable(post, VISITOR, scope)
    const before = await meta.single('post', post.id, TRASHED_STATUS_KEY, scope)
    return typeof before === 'string' && posts.isReadable({ ...post, status: before }, VISITOR, scope)
  }
}

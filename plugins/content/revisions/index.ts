import { applySyncFilter, definePlugin, syncFilter, type RequestCache, type SyncFilter } from '../../../kernel/index.ts'
import { registerFor, Controller } from '../../resources/index.ts'
import type { Store } from '../../storage/store/index.ts'
import type { Post } from '../posts/index.ts'
import type { ContentType } from '../content-types/index.ts'
import { RevisionsController } from './controller.ts'

export { PARENT, RevisionsController } from './controller.ts'

export interface RevisionsOptions {
  /**
   * Number of newest revisions of a post that are stored; -1 or true stores all, 0 or false none. Autosaves do not
   * count. A new revision deletes the oldest revisions above this number.
   */
  keep: number | boolean
}

/** Applies the revision limit, for plugins that store revisions themselves. */
export interface Revisions {
  /**
   * Deletes the oldest revisions of posts above the limit. Call it inside a transaction.
   * @param after limits it to posts with a revision whose ID is greater than this one
   * @returns the IDs of the deleted revisions
   */
  prune(tx: Store, after: number): Promise<number[]>
}

/** Fields of a post passed to taps of `revisions_to_keep`. */
export type RevisedPost = Pick<Post, 'id' | 'type'>

declare module '../../../kernel/index.ts' {
  interface Hooks {
    /** Filter: the number of revisions of a post that are stored; -1 for all, 0 for none. @since 0.1.0 */
    revisions_to_keep: SyncFilter<number, [post: RevisedPost]>
  }
  interface Services {
    /**
     * The revision limit.
     * @example
     * await services.store.transaction((tx) => services.revisions.prune(tx, 0))
     */
    revisions: Revisions
  }
}

/** Stores a revision with every change of a post's texts, and serves revisions to users who can edit the post. */
export default definePlugin<RevisionsOptions>({
  name: 'revisions',
  needs: ['resources', 'content-types', 'meta', 'posts'],
  provides: ['revisions'],
  hooks: { revisions_to_keep: syncFilter('keep', 'post') },
  options: { keep: { default: 100, type: ['integer', 'boolean'], minimum: -1 } },
  apply({ hooks, provide, services }, { keep }) {
    const { contentTypes, meta, posts } = services
    const limit = typeof keep === 'number' ? keep : keep ? -1 : 0
    const keepOf = ({ id, type }: RevisedPost) => applySyncFilter(hooks.revisions_to_keep, limit, { id, type })
    provide('revisions', { prune: (tx, after) => posts.pruneVersions(tx, after, keepOf) })
    /** The revision that a request has created for a post; 0 for a post that the request created. */
    const created = new WeakMap<RequestCache, { post: number; revision: number }>()
    hooks.save_post.tapPromise('revisions', async (post, before, write) => {
      if (before === null) created.set(write.scope, { post: post.id, revision: 0 })
      if (before === null || write.autosave === true || post.status === 'auto-draft') return
      if (!contentTypes.supports(post.type, 'revisions')) return
      const revision = await posts.addVersion(post, keepOf(post), write)
      if (revision !== null) created.set(write.scope, { post: post.id, revision })
    })
    // Runs after meta has been written, so that the revision stores the new values.
    hooks.rest_update_additional_fields.tapPromise(
      { name: 'revisions', stage: 10 },
      async (_item, _type, request, subject) => {
        if (subject?.type !== 'post' || !isNonNullObject(request.get('meta'))) return
        const { object, subtype } = subject
        const keys = contentTypes.supports(subtype, 'revisions') ? meta.revisedKeys(subtype) : []
        const latestCreated = created.get(request.scope)
        const createdRevision = latestCreated?.post === object.id ? latestCreated.revision : undefined
        const post = keys.length === 0 || createdRevision === 0 ? undefined : await posts.get(object.id, request.scope)
        if (post === undefined || post.status === 'auto-draft') return
        const maximum = keepOf(post)
        if (maximum === 0) return
        const { latest } = await posts.versions(post.id, request.scope)
        if (latest !== 0 && (await meta.isSame(post.id, latest, keys))) return
        if (createdRevision === undefined)
          await posts.addVersion(post, maximum, { user: request.user, scope: request.scope }, true)
        else await meta.copy(post.id, createdRevision, keys, request.scope)
      },
    )
    hooks.rest_api_init.tap({ name: 'revisions', stage: 100 }, (server) => {
      for (const type of contentTypes.exposed()) {
        if (contentTypes.supports(type.name, 'revisions') && isServed(type))
          registerFor(type.rest_controller_class, () => new RevisionsController(posts.context, type).register(server))
      }
    })
  },
})

const isNonNullObject = (meta: unknown) => typeof meta === 'object' && meta !== null

/** Checks whether a content type has REST routes to which routes of revisions can be added. */
export function isServed({ rest_controller_class: Class }: ContentType): boolean {
  return Class === undefined || (typeof Class === 'function' && Class.prototype instanceof Controller)
}

import { Controller, definePlugin, registerFor } from '../../../kernel/index.ts'
import type { ContentType } from '../content-types/index.ts'
import { RevisionsController } from './controller.ts'

export { PARENT, RevisionsController } from './controller.ts'

export interface RevisionsOptions {
  /** How many revisions of a post are kept, the newest; -1 for all, 0 for none. */
  keep: number
}

/** The revisions of posts, for those who may change them; one is made with every change of the texts of a post. */
export default definePlugin<RevisionsOptions>({
  name: 'revisions',
  needs: ['content-types', 'posts'],
  options: { keep: { default: -1, type: 'integer', minimum: -1 } },
  apply({ hooks, services }, { keep }) {
    const { contentTypes, posts } = services
    hooks.save_post.tapPromise('revisions', async (post, before, write) => {
      if (before === null || write.autosave === true || post.status === 'auto-draft') return
      if (contentTypes.supports(post.type, 'revisions')) await posts.addVersion(post, keep, write)
    })
    hooks.rest_api_init.tap({ name: 'revisions', stage: 100 }, (server) => {
      for (const type of contentTypes.exposed()) {
        if (contentTypes.supports(type.name, 'revisions') && isServed(type))
          registerFor(type.rest_controller_class, () => new RevisionsController(posts.context, type).register(server))
      }
    })
  },
})

/** Whether a content type has routes, to which those of its revisions can be added. */
export function isServed({ rest_controller_class: Class }: ContentType): boolean {
  return Class === undefined || (typeof Class === 'function' && Class.prototype instanceof Controller)
}

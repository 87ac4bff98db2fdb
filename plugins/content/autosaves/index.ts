import { definePlugin } from '../../../kernel/index.ts'
import { registerFor } from '../../resources/index.ts'
import { isServed } from '../revisions/index.ts'
import { AutosavesController } from './controller.ts'

/** Serves autosaves, which store an editor's unsaved changes without publishing them. */
export default definePlugin({
  name: 'autosaves',
  needs: ['resources', 'content-types', 'permalinks', 'posts'],
  uses: ['cookie-auth'],
  apply({ has, hooks, services }) {
    // The nonce ensures that the preview shows an autosave only to the user who saved it.
    hooks.preview_post_link.tap('autosaves', (link, post, user) => {
      if (!has('cookie-auth') || !link.includes(`preview_id=${post.id}&preview=`)) return link
      const nonce = services.nonces.create(`post_preview_${post.id}`, user)
      return link.replace(/&preview=true$/, `&preview_nonce=${nonce}$&`)
    })
    hooks.rest_api_init.tap({ name: 'autosaves', stage: 100 }, (server) => {
      const { contentTypes, posts } = services
      for (const type of contentTypes.exposed()) {
        if (type.name === 'attachment' || !isServed(type)) continue
        registerFor(type.rest_controller_class, () => new AutosavesController(posts.context, type).register(server))
      }
    })
  },
})

import { definePlugin } from '../../../kernel/index.ts'
import { NOTE, NOTE_STATUSES, noteStatusName } from '../comments/index.ts'
import { NOTE_STATUS_KEY } from '../meta-keys.ts'

/**
 * Adds notes that editors leave on posts: comments of the type `note`, visible only to users who can edit the post. A
 * content type enables them with `notes` in its `editor` support.
 */
export default definePlugin({
  name: 'post-notes',
  since: '6.9',
  needs: ['roles', 'meta', 'posts', 'comments'],
  apply({ hooks, services, branding }) {
    const { capabilities, comments, meta, posts } = services
    hooks.rest_comment_types.tap('post-notes', (types) => [...types, NOTE])
    meta.register('comment', NOTE_STATUS_KEY, {
      held_by: [NOTE],
      type: 'string',
      single: true,
      description: 'Whether a reply resolves or reopens the thread of a note.',
      show_in_rest: { name: noteStatusName(branding), schema: { type: 'string', enum: [...NOTE_STATUSES] } },
      auth_callback: async (_allowed, _key, id, { user, scope }) => {
        const comment = await comments.get(id, scope)
        if (comment === undefined || user.id === 0) return false
        const post = await posts.get(comment.post_id, scope)
        const subject = { ...comment, post: post === undefined ? null : await posts.subject(post, scope) }
        return capabilities.can(user, 'edit_comment', subject)
      },
    })
  },
})

// Adds the titles of posts to what webhooks are told of them, and keeps some types to the site.
import { definePlugin, RequestCache } from 'svc-rest'

interface TitlesOptions {
  /** Content types that no webhook is told of. */
  hidden: readonly string[]
}

/** Changes what webhooks are told, once for each of them and each change. */
export default definePlugin<TitlesOptions>({
  name: 'webhook-titles',
  needs: ['webhooks', 'posts'],
  options: { hidden: { default: [], type: 'array', items: { type: 'string' } } },
  apply({ hooks, services, log }, { hidden }) {
    hooks.webhook_message.tapPromise('webhook-titles', async (message, { change }) => {
      if (message === null || change.kind !== 'post') return message
      if (hidden.includes(change.type)) return null
      const post = await services.posts.get(Number(change.object), new RequestCache())
      // Webhooks that ask for drafts as well are told of these by number alone.
      if (post?.status !== 'publish') return message
      return { ...message, data: { ...message.data, title: post.title } }
    })
    hooks.webhook_dead.tap('webhook-titles', (delivery, webhook) => {
      log.error({ change: delivery.change, error: delivery.error }, `${webhook.name} does not know of a change`)
    })
  },
})

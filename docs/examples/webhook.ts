// Adds the titles of posts to webhook messages, and suppresses messages about some content types.
import { definePlugin, RequestCache } from 'svc-rest'

interface TitlesOptions {
  /** Content types whose changes are not sent to webhooks. */
  hidden: readonly string[]
}

/** Changes webhook messages. The hook runs once for each webhook and change. */
export default definePlugin<TitlesOptions>({
  name: 'webhook-titles',
  needs: ['webhooks', 'posts'],
  options: { hidden: { default: [], type: 'array', items: { type: 'string' } } },
  apply({ hooks, services, log }, { hidden }) {
    hooks.webhook_message.tapPromise('webhook-titles', async (message, { change }) => {
      if (message === null || change.kind !== 'post') return message
      if (hidden.includes(change.type)) return null
      const post = await services.posts.get(Number(change.object), new RequestCache())
      // Webhooks that also receive changes of drafts get only the ID of a draft.
      if (post?.status !== 'publish') return message
      return { ...message, data: { ...message.data, title: post.title } }
    })
    hooks.webhook_dead.tap('webhook-titles', (delivery, webhook) => {
      log.error(
        { change: delivery.change, error: delivery.error },
        `A change could not be delivered to webhook ${webhook.name}`,
      )
    })
  },
})

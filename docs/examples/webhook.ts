// Tells another server of posts that are published, changed or taken away.
import { definePlugin, runDetached } from 'svc-rest'

interface WebhookOptions {
  /** URL that is sent what has changed. */
  url: string
}

/** Sends what has become of posts to a URL, once it is committed: nothing is sent for what was taken back. */
export default definePlugin<WebhookOptions>({
  name: 'webhook',
  needs: ['changes'],
  options: { url: { default: '', type: 'string', format: 'uri' } },
  apply({ hooks, log }, { url }) {
    hooks.content_changed.tap('webhook', (changes) => {
      const posts = changes.filter(({ kind, type, before, after }) => {
        return kind === 'post' && type === 'post' && [before?.status, after?.status].includes('publish')
      })
      if (posts.length === 0) return
      const body = JSON.stringify(posts.map(({ id, object, change }) => ({ id, post: object, change })))
      const headers = { 'content-type': 'application/json' }
      // Whoever made the change need not wait for the other server.
      void runDetached(() => fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(10_000) }))
        .then(({ status }) => log.info({ status, posts: posts.length }, 'told'))
        .catch((err: unknown) => log.error({ err }, `${url} was not told`))
    })
  },
})

// A scheduled job: posts the 20 newest approved comments to a URL every morning. One process runs it, and a failed run is
// retried.
import { definePlugin } from 'svc-rest'

interface DigestOptions {
  /** URL that receives the digest as JSON. */
  url: string
  /** Cron expression, in the time zone of the site. */
  schedule: string
}

/** Sends a digest of comments on a schedule. */
export default definePlugin<DigestOptions>({
  name: 'digest',
  needs: ['jobs', 'outgoing', 'store'],
  options: {
    url: { default: '', type: 'string' },
    schedule: { default: '0 7 * * *', type: 'string' },
  },
  apply({ services: { jobs, outgoing, store } }, { url, schedule }) {
    jobs.handle('send-digest', {
      retries: 3,
      delay: 1,
      run: async (_payload, { signal }) => {
        const recent = store.db.selectFrom('comments').select(['author_name', 'content']).where('approved', '=', '1')
        const comments = await store.all(recent.orderBy('id', 'desc').limit(20))
        const headers = { 'content-type': 'application/json' }
        const body = JSON.stringify(comments)
        const { status } = await outgoing.request(url, { requester: 'site', method: 'POST', headers, body, signal })
        // An error makes the queue retry the job, and is logged as the reason.
        if (status < 200 || status > 299) throw new Error(`${url} responded with status ${status}.`)
      },
    })
    jobs.schedule('send-digest', schedule)
  },
})

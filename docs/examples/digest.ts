// A job: every morning a digest of yesterday's comments is sent, once, whichever process does it, again if it failed.
import { definePlugin } from 'svc-rest'

interface DigestOptions {
  /** URL that is sent the digest. */
  url: string
  /** When, as in crontab, in the time zone of the site. */
  schedule: string
}

/** Sends a digest of comments from time to time. */
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
        const { status } = await outgoing.request(url, { asker: 'site', method: 'POST', headers, body, signal })
        // What is thrown is why it is tried again.
        if (status < 200 || status > 299) throw new Error(`The digest was answered with ${status}.`)
      },
    })
    jobs.schedule('send-digest', schedule)
  },
})

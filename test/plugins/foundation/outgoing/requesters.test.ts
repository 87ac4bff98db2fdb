import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import sharp from 'sharp'
import { definePlugin } from '../../../../kernel/index.ts'
import type { OutgoingHop } from '../../../../plugins/foundation/outgoing/index.ts'
import { addPosts } from '../../../helpers/content.ts'
import { databases, serveWithUsers } from '../../../helpers/site-with-users.ts'
import { until } from '../../../helpers/until.ts'
import { one } from '../../operations/importer/importing.ts'
import { codeOf, makeClient, receive } from './asking.ts'

const image = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'teal' } })
  .png()
  .toBuffer()

const client = suite('outgoing: requesters')

client('limits each user, but not the site', async () => {
  await using server = await receive((_, response) => response.end('ok'))
  await using outgoing = makeClient({ allow: ['127.0.0.1:*'], perUser: 3 })
  const request = (requester: OutgoingHop['requester']) =>
    codeOf(outgoing.request(server.url, { requester }).then(({ status }) => status))
  const codes = async (requester: OutgoingHop['requester']) => [
    await request(requester),
    await request(requester),
    await request(requester),
    await request(requester),
  ]
  const [ok, refused] = ['resolved: 200', 'rest_too_many_outgoing_requests']
  assert.equal(await codes(7), [ok, ok, ok, refused])
  assert.equal(await codes(8), [ok, ok, ok, refused])
  assert.equal(await codes('site'), [ok, ok, ok, ok])
  // All visitors together are one user.
  assert.equal(await codes(0), [ok, ok, ok, refused])
})

client('refuses a request without a requester, which only TypeScript detects', async () => {
  await using server = await receive((_, response) => response.end('ok'))
  await using outgoing = makeClient({ allow: ['127.0.0.1:*'] })
  const request = Object.getPrototypeOf(outgoing).request as (...args: unknown[]) => Promise<unknown>
  for (const options of [undefined, {}, { asker: undefined }, { asker: '7' }, { asker: -1 }, { asker: NaN }]) {
    assert.is(await codeOf(request.call(outgoing, server.url, options)), 'OUTGOING_REQUEST_INVALID')
  }
  assert.is(server.connections(), 0)
})

client.run()

for (const { name, place } of databases) {
  const callers = suite(`outgoing: requesters of all callers, ${name}`)

  callers('are the users who cause a request, authors for rendered content, and the site', async () => {
    await using server = await receive((request, response) => {
      const { url = '' } = request
      if (url.startsWith('/feed')) response.end('<rss><item><title>a</title></item></rss>')
      else if (url.startsWith('/oembed')) response.end('{"type":"link","version":"1.0"}')
      else if (url.endsWith('.png')) response.end(image)
      else response.setHeader('content-type', 'text/html').end('<title>Page</title>')
    })
    const host = `127.0.0.1:${server.port}`
    const requesterByPath = new Map<string, OutgoingHop['requester']>()
    const watch = definePlugin({
      name: 'watch',
      needs: ['outgoing'],
      apply({ hooks }) {
        hooks.outgoing_request_headers.tap('watch', (headers, { url, requester }) => {
          requesterByPath.set(new URL(url).pathname.split('/')[1]!, requester)
          return headers
        })
      },
    })
    const provider = { name: 'Here', urls: [`${server.url}/video/*`], endpoint: `${server.url}/oembed` }
    await using site = await serveWithUsers(place, {
      add: [watch],
      plugins: { outgoing: { allow: [host] }, oembed: { providers: [provider] }, webhooks: { allow: [host] } },
    })
    const { ann, ed, admin } = site.users
    const read = (path: string, login: 'ed') => site.request(path, { headers: site.by(login) })
    const query = (url: string) => `url=${encodeURIComponent(url)}`

    await read(`/oembed/1.0/proxy?${query(`${server.url}/video/1`)}`, 'ed')
    await read(`/svc-block-editor/v1/url-details?${query(`${server.url}/page`)}`, 'ed')
    const media = await site.send('POST', '/svc/v2/media', { url: `${server.url}/media/a.png` }, 'ann')
    assert.is(media.status, 201, await media.text())
    const added = await site.send('POST', '/svc-webhooks/v1/webhooks', { url: `${server.url}/hook` }, 'admin')
    const { id } = (await added.json()) as { id: number }
    await site.send('POST', `/svc-webhooks/v1/webhooks/${id}/test`, {}, 'admin')
    assert.is(requesterByPath.get('hook'), admin)
    requesterByPath.delete('hook')
    // A visitor renders the feed in the content of an author.
    const content = `<!-- wp:rss {"feedURL":"${server.url}/feed"} /-->`
    const [post] = await addPosts(site.store, { title: 'Feed', content, author_id: ann })
    await site.get(`/svc/v2/posts/${post}`)
    const item = `<item><title>a</title><wp:post_id>900</wp:post_id><wp:post_type>attachment</wp:post_type>
      <wp:attachment_url>${server.url}/import/wp-content/uploads/b.png</wp:attachment_url><wp:status>inherit</wp:status></item>`
    await site.kernel.services.importer.run({
      source: one(`<rss><channel><wp:wxr_version>1.2</wp:wxr_version>${item}</channel></rss>`),
      download: { allow: [host] },
    })
    await until(() => requesterByPath.has('feed') && requesterByPath.has('hook'))
    assert.equal(Object.fromEntries(requesterByPath), {
      oembed: ed,
      page: ed,
      media: ann,
      feed: ann,
      hook: 'site',
      import: 'site',
    })
  })

  callers.run()
}

import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { databases, serveWithUsers } from '../helpers/site-with-users.ts'
import { add, requestAs, POSTS, V2 } from './request-as.ts'

for (const { name, place } of databases) {
  const all = suite(`outgoing requests on ${name}`)

  // No default route asks for what its users write: no embeds of other sites, no pingbacks. Whatever brings the first one
  // answers here for the URLs that it may ask.
  all('S36, S17: never go to a URL from content, on any route', async () => {
    await using site = await serveWithUsers(place)
    let connections = 0
    const inside = createServer((socket) => {
      connections += 1
      socket.destroy()
    }).listen(0, '127.0.0.1')
    await once(inside, 'listening')
    try {
      const { port } = inside.address() as AddressInfo
      const numeric = [
        `http://127.0.0.1:${port}/a`,
        `http://localhost:${port}/a`,
        `http://0x7f000001:${port}/`,
        `http://2130706433:${port}/`,
      ]
      const targets = [
        ...numeric,
        `http://[::ffff:127.0.0.1]:${port}/`,
        `http://0.0.0.0:${port}/`,
        `//127.0.0.1:${port}/x.png`,
      ]
      const post = await add(site, {
        title: 'a',
        author_id: site.users.ed,
        comment_status: 'open',
        ping_status: 'open',
      })
      for (const url of targets) {
        const content = `${url}\n\n[embed]${url}[/embed] <img src="${url}"> <a href="${url}">x</a> [audio src="${url}"]`
        const block = `<!-- svc:embed {"url":"${url}"} --><figure>${url}</figure><!-- /svc:embed -->`
        const writes: [path: string, body: object][] = [
          [
            POSTS,
            {
              title: url,
              content: `${content}${block}`,
              excerpt: content,
              status: 'publish',
              ping_status: 'open',
              slug: url,
            },
          ],
          [`${POSTS}/${post}/autosaves`, { content }],
          [`${V2}/comments`, { post, content, author_url: url }],
          [`${V2}/users/me`, { url, description: content }],
          [`${V2}/tags`, { name: url, description: content }],
          [`${V2}/media`, { url, source_url: url }],
          [`${V2}/block-renderer/svc/embed`, { attributes: { url }, content }],
          ['/batch/v1', { requests: [{ path: url }, { path: `${V2}/posts`, body: { title: url, content } }] }],
        ]
        for (const [path, body] of writes) await requestAs(site, 'admin', 'POST', path, body)
        const query = encodeURIComponent(url)
        for (const path of [
          `/oembed/1.0/proxy?url=${query}`,
          `/oembed/1.0/embed?url=${query}`,
          `/svc-block-editor/v1/url-details?url=${query}`,
          `/svc-site-health/v1/tests/dotorg-communication?url=${query}`,
          `${V2}/pattern-directory/patterns?url=${query}`,
          `${POSTS}?search=${query}&_embed`,
          `${V2}/search?search=${query}`,
          '/',
        ])
          await requestAs(site, 'admin', 'GET', path)
      }
      assert.is((await requestAs(site, 'visitor', 'GET', `${POSTS}?per_page=100&_embed`)).status, 200)
      // Long enough for work in the background of a response.
      await requestAs(site, 'visitor', 'GET', POSTS)
      assert.is(connections, 0)
    } finally {
      inside.close()
    }
  })

  all.run()
}

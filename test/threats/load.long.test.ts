import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { databases, serveWithUsers, type SiteWithUsers } from '../helpers/site-with-users.ts'
import { add, requestAs, POSTS } from './request-as.ts'

/** Number of idle connections and of slow connections. */
const [IDLE, SLOW] = [200, 50]

for (const { name, place } of databases) {
  const all = suite(`server under load on ${name}`)

  const opened = async (site: SiteWithUsers, count: number): Promise<Socket[]> => {
    const { port } = new URL(site.listening)
    const sockets = Array.from({ length: count }, () => connect(Number(port), '127.0.0.1'))
    for (const socket of sockets) socket.on('error', () => {})
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    return sockets
  }

  all('S41: serves other clients during idle and incomplete requests', async () => {
    await using site = await serveWithUsers(place)
    const sockets = [...(await opened(site, IDLE)), ...(await opened(site, SLOW))]
    try {
      const head =
        'POST /svc-json/svc/v2/posts HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n'
      for (const [index, socket] of sockets.slice(IDLE).entries())
        socket.write(index % 2 ? head : `${head}\r\n{"title":`)
      const answered = await Promise.all(Array.from({ length: 20 }, () => requestAs(site, 'visitor', 'GET', POSTS)))
      assert.equal(new Set(answered.map(({ status }) => status)), new Set([200]))
      assert.is((await requestAs(site, 'ed', 'POST', POSTS, { title: 'x' })).status, 201)
      assert.is(sockets.filter(({ readyState }) => readyState === 'open').length, sockets.length)
    } finally {
      for (const socket of sockets) socket.destroy()
    }
  })

  all('S41: serves other clients while a client does not read a long response', async () => {
    await using site = await serveWithUsers(place)
    for (let count = 0; count < 20; count += 1)
      await add(site, { content: 'text '.repeat(20_000), author_id: site.users.ed })
    const sockets = await opened(site, 20)
    try {
      for (const socket of sockets) {
        socket.pause()
        socket.write('GET /svc-json/svc/v2/posts?per_page=100 HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'.repeat(5))
      }
      assert.is((await requestAs(site, 'visitor', 'GET', `${POSTS}?per_page=1&_fields=id`)).status, 200)
    } finally {
      for (const socket of sockets) socket.destroy()
    }
  })

  all.run()
}

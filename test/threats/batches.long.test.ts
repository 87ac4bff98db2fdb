import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRandom } from '../audit/random.ts'
import { databases, serveWithUsers } from '../helpers/site-with-users.ts'
import { add, requestAs, dump, POSTS, V2, type Json } from './request-as.ts'

/** Requests of one batch, and batches. */
const [SIZE, BATCHES] = [25, 16]

for (const { name, place } of databases) {
  const all = suite(`batches on ${name}`)

  all('S37: return responses in the order of their requests, in any mixture', async () => {
    await using site = await serveWithUsers(place)
    const theirs = await add(site, { title: 'theirs', author_id: site.users.ed })
    const random = createRandom(37)
    /** Requests by an author, and how each is answered. */
    const kinds: readonly ((text: string) => [request: object, expected: (answer: Json) => boolean])[] = [
      (title) => [
        { method: 'POST', path: POSTS, body: { title, status: 'draft' } },
        ({ status, body }) => status === 201 && body.title.raw === title,
      ],
      (text) => [{ path: `//${text}/%` }, ({ status, body }) => status === 400 && body.code === 'parse_path_failed'],
      (text) => [{ path: `/${text}` }, ({ status, body }) => status === 404 && body.code === 'rest_no_route'],
      (title) => [
        { method: 'PUT', path: `${POSTS}/${theirs}`, body: { title } },
        ({ status, body }) => status === 403 && body.code === 'rest_cannot_edit',
      ],
      (text) => [
        { method: 'POST', path: POSTS, body: { title: 'x', status: text } },
        ({ status, body }) => status === 400 && 'status' in body.data.params,
      ],
      (name) => [
        { method: 'POST', path: `${V2}/categories`, body: { name } },
        ({ status, body }) => status === 403 && body.code === 'rest_cannot_create',
      ],
      () => [
        { method: 'POST', path: '/batch/v1', body: { requests: [] } },
        ({ body }) => body.code === 'rest_batch_not_allowed',
      ],
    ]
    let serial = 0
    for (let batch = 0; batch < BATCHES; batch += 1) {
      const items = Array.from({ length: SIZE }, () => random.pick(kinds)(`word${(serial += 1)}`))
      const requests = items.map(([request]) => request)
      const { status, body } = await requestAs(site, 'ann', 'POST', '/batch/v1', { requests })
      assert.equal([status, body.responses.length], [207, SIZE])
      for (const [index, [request, expected]] of items.entries()) {
        assert.ok(expected(body.responses[index]), JSON.stringify([request, body.responses[index]]))
      }
    }
  })

  all('S37: run no request if one of them is invalid and the batch requires validation', async () => {
    await using site = await serveWithUsers(place)
    const before = await dump(site)
    const good = { method: 'POST', path: POSTS, body: { title: 'x' } }
    const bad = [{ path: '/nope' }, { path: '///' }, { ...good, body: { status: 'x' } }, { path: '/batch/v1' }]
    for (const [index, request] of bad.entries()) {
      const requests = [good, good, good, good].toSpliced(index, 0, request as typeof good)
      const { body } = await requestAs(site, 'admin', 'POST', '/batch/v1', {
        requests,
        validation: 'require-all-validate',
      })
      assert.is(body.failed, 'validation')
    }
    assert.is(await dump(site), before)
  })

  all.run()
}

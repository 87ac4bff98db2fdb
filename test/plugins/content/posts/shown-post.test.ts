import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RestError } from '../../../../kernel/index.ts'
import { addPosts } from '../../../helpers/content.ts'
import { databases } from '../../../helpers/site-with-users.ts'
import { as, serveOn, startOnly } from '../../../helpers/site.ts'

startOnly('posts')

/** Replaces the content in requests with `peek`, and records each rendering. */
function peeking() {
  const rendered: string[] = []
  const plugin = definePlugin({
    name: 'peeking',
    needs: ['posts'],
    apply({ hooks, services }) {
      hooks.rest_shown_post.tapPromise(
        { name: 'peeking', types: 'post', methods: 'GET', dependsOn: 'nothing' },
        async (shown, request) => {
          const peek = request.query['peek']
          if (peek === undefined) return shown
          if (peek === 'no') throw new RestError('no_peeking', 'No.', { status: 403 })
          const post = await services.posts.get(Number(request.captures['id']), request.scope)
          return post === undefined ? null : { ...post, content: 'peeked' }
        },
      )
      hooks.the_content.tap({ name: 'peeking', dependsOn: 'nothing' }, (content) => {
        rendered.push(content.trim())
        return content
      })
    },
  })
  return { plugin, rendered }
}

for (const { name, place } of databases) {
  const shown = suite(`posts shown in place of stored ones, ${name}`)

  shown('are sent to every matching request, and cached neither whole nor in parts', async () => {
    const { plugin, rendered } = peeking()
    await using site = await serveOn(await place(), { add: [plugin] })
    const [id = 0] = await addPosts(site.store, { content: 'stored', excerpt: 'e' })
    const path = `/svc/v2/posts/${id}`
    const read = async (query = '', headers = {}) => {
      const response = await site.get(`${path}?_fields=content,status${query}`, headers)
      const { content } = (await response.json()) as { content: { rendered: string } }
      return [content.rendered.trim(), response.headers.get('x-svc-cache')]
    }
    const [stored, peeked] = ['<p>stored</p>', '<p>peeked</p>']
    assert.equal(await read(), [stored, 'MISS'])
    assert.equal(await read(), [stored, 'HIT'])
    for (const _ of [1, 2, 3]) assert.equal(await read('&peek=1'), [peeked, 'BYPASS'])
    assert.equal(await read(), [stored, 'HIT'])
    // The content for visitors is cached: another response does not render it again.
    assert.is((await read('&x=1'))[0], stored)
    assert.equal(
      rendered.map((text) => text.replace(/<\/?p>/g, '')),
      ['stored', 'peeked', 'peeked', 'peeked'],
    )
    // Users have separate responses.
    assert.is((await read('&peek=1', as('editor')))[0], peeked)
    assert.is((await read('', as('editor')))[0], stored)
  })

  shown('require neither permission nor password, and a tap can refuse them', async () => {
    const { plugin } = peeking()
    await using site = await serveOn(await place(), { add: [plugin] })
    const [draft = 0, locked = 0, page = 0] = await addPosts(
      site.store,
      { status: 'draft' },
      { password: 'sesame', content: 'stored' },
      { type: 'page', status: 'draft' },
    )
    const status = async (path: string, method = 'GET') => (await site.request(`/svc/v2/${path}`, { method })).status
    assert.equal([await status(`posts/${draft}`), await status(`posts/${draft}?peek=1`)], [401, 200])
    const opened = await site.json(`/svc/v2/posts/${locked}?peek=1`)
    assert.equal(opened.content, { rendered: '<p>peeked</p>\n', protected: true })
    assert.is((await site.json(`/svc/v2/posts/${locked}`)).content.rendered, '')
    assert.equal(await (await site.get(`/svc/v2/posts/${locked}?peek=no`)).json(), {
      code: 'no_peeking',
      message: 'No.',
      data: { status: 403 },
    })
    assert.is(await status('posts/99999?peek=1'), 404)
    assert.is(await status(`pages/${page}?peek=1`), 401, 'the tap applies only to posts')
    assert.is(await status(`posts/${draft}?peek=1`, 'HEAD'), 200)
    assert.is(await status(`posts/${draft}?peek=1`, 'DELETE'), 401)
    assert.is((await site.request(`/svc/v2/posts/${draft}?peek=1`, { method: 'OPTIONS' })).headers.get('allow'), null)
  })

  shown.run()
}

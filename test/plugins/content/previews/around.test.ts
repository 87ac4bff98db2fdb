import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RequestCache, VISITOR } from '../../../../kernel/index.ts'
import { browse } from '../../../helpers/browser.ts'
import { randomOf } from '../../../helpers/random.ts'
import { databases, serveWithUsers } from '../../../helpers/site-with-users.ts'
import { pathsOf } from '../../../threats/paths.ts'
import { addPost, addRevision, linkTo, shownBy, V2, withFrontEnds, type Body } from './links.ts'

const SECRET = 'zanzibarword'
/** Routes that accept a token. */
const SINGLE = /^\/svc\/v2\/(?:posts|pages)\/\d+$/

for (const { name, place } of databases) {
  const around = suite(`preview tokens on other routes, ${name}`)

  around('S8: do not change the response', async () => {
    await using site = await serveWithUsers(place)
    const texts = { title: SECRET, content: SECRET, excerpt: SECRET }
    const id = await addPost(site, { ...texts, status: 'draft', author_id: site.users.ed })
    await addRevision(site, id, texts)
    const file = await addPost(site, {
      ...texts,
      type: 'attachment',
      mime_type: 'image/png',
      status: 'inherit',
      parent_id: id,
      slug: 'file',
    })
    await site.kernel.services.posts.update(id, { featured_media: file }, { user: VISITOR, scope: new RequestCache() })
    const child = await addPost(site, { ...texts, type: 'page', status: 'private', parent_id: id })
    const { token } = await linkTo(site, `posts/${id}`)
    const paths = await pathsOf(site, [id, file, child])
    assert.ok(paths.length > 100)
    let compared = 0
    for (const path of paths) {
      for (const headers of [{}, site.by('sub')]) {
        if (SINGLE.test(path) || path === `${V2}/media/${file}`) continue
        compared += 1
        const [usual, withToken] = [
          await site.get(path, headers),
          await site.get(`${path}?preview_token=${token}`, headers),
        ]
        const text = await usual.text()
        assert.equal([withToken.status, await withToken.text()], [usual.status, text], path)
        assert.not.match(text, SECRET)
      }
    }
    assert.ok(compared > 100)
  })

  around('S10: embed and link only resources that the holder may see', async () => {
    await using site = await serveWithUsers(place)
    const parent = await addPost(site, { type: 'page', status: 'draft', title: SECRET, content: SECRET })
    const id = await addPost(site, { type: 'page', status: 'draft', parent_id: parent, author_id: site.users.shy })
    const file = await addPost(site, {
      type: 'attachment',
      mime_type: 'image/png',
      status: 'inherit',
      parent_id: parent,
      title: SECRET,
    })
    await site.kernel.services.posts.update(id, { featured_media: file }, { user: VISITOR, scope: new RequestCache() })
    const { token } = await linkTo(site, `pages/${id}`)
    const { body, headers } = await shownBy(site, `pages/${id}`, token, '&_embed=1')
    for (const relation of ['up', 'author', 'svc:featuredmedia'])
      assert.ok(
        [401, 403, 404].includes(body._embedded[relation][0].data.status),
        JSON.stringify(body._embedded[relation]),
      )
    const text = JSON.stringify(body) + JSON.stringify([...headers])
    assert.not.match(text, SECRET)
    assert.not.match(text, token)
    // The post is not embedded with its token elsewhere either.
    const child = await addPost(site, { type: 'page', parent_id: id })
    const embedding = await site.get(`${V2}/pages/${child}?_embed=1&preview_token=${token}`)
    assert.is(embedding.status, 403)
    const list = await site.get(`${V2}/pages?_embed=1&preview_token=${token}`)
    assert.is(list.status, 200)
    assert.is(((await list.json()) as Body)[0]._embedded.up[0].data.status, 401)
  })

  around('S8: are ignored by writes, batches, OPTIONS and the context edit', async () => {
    await using site = await serveWithUsers(place)
    const id = await addPost(site, { status: 'draft', title: SECRET })
    const { token } = await linkTo(site, `posts/${id}`)
    const url = `${V2}/posts/${id}?preview_token=${token}`
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      for (const login of [undefined, 'sub'] as const) {
        const response = await site.send(method, url, { title: 'x', preview_token: token }, login)
        assert.is(response.status, login === undefined ? 401 : 403)
      }
    }
    const edit = await site.get(`${url}&context=edit`)
    assert.equal([edit.status, ((await edit.json()) as Body).code], [401, 'rest_forbidden_context'])
    assert.is((await site.get(`${url}&context=edit`, site.by('ed'))).status, 200)
    const options = await site.request(url, { method: 'OPTIONS' })
    assert.is(
      options.headers.get('allow'),
      (await site.request(`${V2}/posts/${id}`, { method: 'OPTIONS' })).headers.get('allow'),
    )
    const requests = [{ path: url, method: 'PUT', body: { title: 'x' } }]
    const batch = await site.send('POST', '/batch/v1', { requests })
    assert.is(((await batch.json()) as Body).responses[0].status, 401)
    const inside = await site.kernel.server.dispatch(url)
    assert.is(inside.status, 401)
    // Conditional headers apply to the response for the user's own rights.
    const shown = await shownBy(site, `posts/${id}`, token)
    const headers = { 'if-match': shown.headers.get('etag')!, 'content-type': 'application/json' }
    const conditional = await site.request(url, { method: 'PUT', headers, body: '{"title":"x"}' })
    assert.is(conditional.status, 401)
    const revisions = await site.get(`${V2}/posts/${id}/revisions?preview_token=${token}`)
    assert.is(revisions.status, 401)
  })

  around('work with HEAD, _fields, conditional requests and contexts', async () => {
    await using site = await serveWithUsers(place)
    const id = await addPost(site, { status: 'draft', title: 'T', content: 'C' })
    const { token } = await linkTo(site, `posts/${id}`)
    const whole = await shownBy(site, `posts/${id}`, token)
    assert.is(whole.headers.get('allow'), 'GET')
    const some = await shownBy(site, `posts/${id}`, token, '&_fields=title,content.protected')
    assert.equal(some.body, { title: { rendered: 'T' }, content: { protected: false } })
    const embed = await shownBy(site, `posts/${id}`, token, '&context=embed')
    assert.equal([embed.status, embed.body.content, embed.body.title], [200, undefined, { rendered: 'T' }])
    const head = await site.request(`${V2}/posts/${id}?preview_token=${token}`, { method: 'HEAD' })
    assert.equal([head.status, await head.text(), head.headers.get('cache-control')], [200, '', 'private, no-store'])
    const tag = whole.headers.get('etag')!
    const again = (headers: Record<string, string>) => shownBy(site, `posts/${id}`, token, '', headers)
    assert.is((await again({ 'if-none-match': tag })).status, 304)
    const envelope = await shownBy(site, `posts/${id}`, token, '&_envelope=1')
    assert.equal([envelope.headers.get('cache-control'), envelope.body.status], ['private, no-store', 200])
    await site.send('POST', `${V2}/posts/${id}/autosaves`, { title: 'New', content: 'C' }, 'ed')
    assert.is((await again({ 'if-none-match': tag })).status, 200)
  })

  around('S35: prevent caching of previews and refusals', async () => {
    await using site = await serveWithUsers(place)
    const id = await addPost(site, { status: 'draft' })
    const { token } = await linkTo(site, `posts/${id}`)
    for (const login of [undefined, 'sub', 'ed'] as const) {
      for (const [text, status] of [
        [token, 200],
        [`${token}x`, 403],
      ] as const) {
        for (const _ of [1, 2]) {
          const shown = await shownBy(site, `posts/${id}`, text, '', login === undefined ? {} : site.by(login))
          assert.is(shown.status, status)
          const getHeader = (header: string) => shown.headers.get(header)
          assert.equal(
            [
              getHeader('cache-control'),
              getHeader('referrer-policy'),
              getHeader('x-robots-tag'),
              getHeader('last-modified'),
            ],
            ['private, no-store', 'no-referrer', 'noindex', null],
          )
          assert.is(getHeader('x-svc-cache'), status === 200 ? 'BYPASS' : null)
        }
      }
    }
  })

  around('S35: never mix cached responses with and without a token, in any order', async () => {
    await using site = await serveWithUsers(place, { plugins: { 'response-cache': { tags_header: 'Cache-Tag' } } })
    const random = randomOf(11)
    const pick = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)]!
    const ids = [await addPost(site, { title: 'p0' }), await addPost(site, { title: 'p0' })]
    const tokens = await Promise.all(ids.map(async (id) => (await linkTo(site, `posts/${id}`)).token))
    /** For each post, the published texts and the latest saved texts. */
    const now = ids.map(() => ({ published: 'p0', saved: 'p0' }))
    const queries = ['', '&context=embed', '&_fields=id,title', '&_embed=1', '&x=1']
    let texts = 0
    for (let step = 0; step < 250; step += 1) {
      const at = pick([0, 1])
      const [id, token, state] = [ids[at]!, tokens[at]!, now[at]!]
      const action = random()
      if (action < 0.1) {
        texts += 1
        state.saved = `d${SECRET}${texts}`
        const body = { title: state.saved, content: state.saved, excerpt: state.saved }
        assert.is((await site.send('POST', `${V2}/posts/${id}/autosaves`, body, 'ed')).status, 200)
      } else if (action < 0.15) {
        texts += 1
        state.published = `p${texts}`
        const body = { title: state.published, content: state.published, excerpt: '' }
        assert.is((await site.send('POST', `${V2}/posts/${id}`, body, 'ed')).status, 200)
        // The newer of two autosaves from the same second is undefined.
        await site.store.run(
          site.store.db.updateTable('posts').set({ modified_gmt: '2024-01-01 00:00:00' }).where('id', '=', id),
        )
        if (state.saved.startsWith('p')) state.saved = state.published
      } else if (action < 0.55) {
        const query = pick(queries)
        const { status, body } = await shownBy(site, `posts/${id}`, token, query)
        assert.is(status, 200)
        assert.is(body.title.rendered, state.saved, `${step} ${query}`)
        if (body.content !== undefined) assert.match(body.content.rendered, state.saved === 'p0' ? '' : state.saved)
      } else {
        const path = pick([`posts/${id}`, 'posts', `search?search=${state.published}`, 'posts?search=zanzibarword'])
        const query = pick([...queries, '&preview_token=x', `&preview_token=${tokens[1 - at]}`])
        const response = await site.get(
          `${V2}/${path}${path.includes('?') ? '' : '?'}${query}`,
          pick([{}, site.by('sub')]),
        )
        const text = await response.text()
        assert.not.match(text, SECRET, `${step} ${path}${query}`)
        if (path === `posts/${id}` && !query.includes('preview_token'))
          assert.is(JSON.parse(text).title.rendered, state.published, `${step} ${path}${query}`)
      }
    }
    assert.ok(texts > 20)
  })

  around('S17: appear in no log line and on no page of the trace', async () => {
    const lines: string[] = []
    const options = { log: 'trace', trace: true, logTo: (line: string) => lines.push(line), ...withFrontEnds }
    await using site = await serveWithUsers(place, options)
    const admin = browse(site)
    await admin.logIn('admin', 'pass phrase of admin')
    const id = await addPost(site, { status: 'draft' })
    const { token } = await linkTo(site, `posts/${id}`)
    await shownBy(site, `posts/${id}`, token)
    await shownBy(site, `posts/${id}`, `${token}x`)
    await shownBy(site, 'posts/1', token)
    await shownBy(site, 'posts', token)
    assert.is((await site.send('POST', `${V2}/posts/${id}/autosaves`, { title: 'x' }, 'ed')).status, 200)
    const { preview_key: key } = await site.kernel.services.options.many(['preview_key'])
    const traced = await (await admin.open('/svc-admin/trace/requests?after=0')).text()
    const numbers = JSON.parse(traced).requests.map(({ number }: Body) => number) as number[]
    const steps = await Promise.all(
      numbers.map(async (one) => (await admin.open(`/svc-admin/trace/requests/${one}`)).text()),
    )
    const output = [...lines, traced, ...steps]
    const [body = '', signature = ''] = token.split('.')
    for (const secret of [body, signature, String(key)])
      assert.is(
        output.find((text) => text.includes(secret)),
        undefined,
      )
    for (const some of [lines, steps])
      assert.ok(some.some((text) => text.includes(`/posts/${id}?preview_token=[hidden]`)))
  })

  around.run()
}

const words = suite('previews with wp branding')

words('work as with other branding', async () => {
  await using site = await serveWithUsers(databases[0]!.place, { word: 'wp' })
  const id = await addPost(site, { status: 'draft', title: 'T' })
  const response = await site.send('POST', `/wp/v2/posts/${id}/preview`, {}, 'ed')
  const { token } = (await response.json()) as { token: string }
  const read = await fetch(`${site.home}/wp-json/wp/v2/posts/${id}?preview_token=${token}`)
  assert.is(((await read.json()) as Body).title.rendered, 'T')
  const bases = [...site.kernel.server.routes.keys()].filter((route) => route.endsWith('/preview'))
  assert.equal(
    bases,
    ['posts', 'pages'].map((base) => `/wp/v2/${base}/(?P<id>[\\d]+)/preview`),
  )
})

words.run()

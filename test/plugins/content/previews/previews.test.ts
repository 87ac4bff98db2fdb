import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RequestCache, VISITOR } from '../../../../kernel/index.ts'
import { serve } from '../../../helpers/site.ts'
import { databases, serveWithUsers, withUsers, type UserIds } from '../../../helpers/site-with-users.ts'
import { filePlace, shared } from '../../../helpers/stores.ts'
import { svc } from '../../../helpers/svc.ts'
import { addPost, addRevision, FRONT, linkTo, shownBy, V2, withFrontEnds, type Body } from './links.ts'
import { removePlugin } from '../../../helpers/remove-plugin.ts'

const STATUSES = ['publish', 'draft', 'pending', 'future', 'private', 'auto-draft'] as const
const ROLES: readonly (keyof UserIds)[] = ['sub', 'con', 'ann', 'ed', 'admin']

/** Custom types, one with its own controller, and taps that expose the input of rendering. */
const plants = definePlugin({
  name: 'plants',
  needs: ['content-types', 'shortcodes', 'meta'],
  apply({ hooks, services }) {
    const { contentTypes, shortcodes, meta } = services
    const supports = ['title', 'editor', 'excerpt', 'author', 'revisions', 'custom-fields']
    contentTypes.register('plant', { public: true, show_in_rest: true, rest_base: 'plants', supports })
    contentTypes.register('hidden', { public: true, supports })
    contentTypes.register('routeless', { public: true, show_in_rest: true, rest_controller_class: false })
    meta.register('post', 'color', { subtype: 'plant', type: 'string', single: true, show_in_rest: true })
    shortcodes.register('water', () => 'watered')
    hooks.the_content.tap({ name: 'plants', stage: 100 }, (content, post) => `${content}<i>${post.title}</i>`)
    hooks.rest_prepare.for('plant').tap('plants', (response, plant) => {
      Object.assign(response.data as object, { plantTitle: (plant as { title: string }).title })
      return response
    })
  },
})

for (const { name, place } of databases) {
  const previews = suite(`previews on ${name}`)

  previews('S8: are issued by users who may edit the post only', async () => {
    await using site = await serveWithUsers(place)
    for (const status of STATUSES) {
      const id = await addPost(site, { status, author_id: site.users.ann, title: `A ${status}` })
      for (const login of [undefined, ...ROLES, 'shy'] as const) {
        const update = await site.send('POST', `${V2}/posts/${id}`, {}, login)
        const response = await site.send('POST', `${V2}/posts/${id}/preview`, {}, login)
        assert.is(response.status, update.status === 200 ? 201 : update.status, `${login} ${status}`)
        if (update.status !== 200) assert.equal(await response.json(), await update.json())
      }
    }
    const trashed = await addPost(site, { status: 'trash' })
    const refused = await site.send('POST', `${V2}/posts/${trashed}/preview`, {}, 'ed')
    assert.is(refused.status, 409)
    assert.is(((await refused.json()) as Body).code, 'rest_preview_trashed')
    for (const path of ['posts/9999', `pages/${trashed}`]) {
      const none = await site.send('POST', `${V2}/${path}/preview`, {}, 'ed')
      assert.is(((await none.json()) as Body).code, 'rest_post_invalid_id')
    }
  })

  previews('S8, S11: show a post in any status with the link, and nothing without it', async () => {
    await using site = await serveWithUsers(place)
    for (const status of STATUSES) {
      for (const password of ['', 'sesame']) {
        const post = { status, password, author_id: site.users.ann, title: 'T', content: 'C', excerpt: 'E' }
        const id = await addPost(site, post)
        const { token, link, front_end: frontEnd, revision } = await linkTo(site, `posts/${id}`)
        assert.equal([frontEnd, revision], [null, null])
        assert.is(link, `${site.home}/?p=${id}&preview=true&preview_token=${token}`)
        for (const login of [undefined, ...ROLES] as const) {
          const headers = login === undefined ? {} : site.by(login)
          const own = await site.get(`${V2}/posts/${id}`, headers)
          const { status: code, body } = await shownBy(site, `posts/${id}`, token, '', headers)
          assert.is(code, 200, `${login} ${status}`)
          assert.equal([body.title.rendered.replace('Private: ', ''), body.status, body.slug], ['T', status, 't'])
          assert.equal(body.content, { rendered: '<p>C</p>\n', protected: password !== '' })
          assert.equal(body.excerpt, { rendered: '<p>E</p>\n', protected: password !== '' })
          if (own.status === 200) {
            const usual = (await own.json()) as Body
            assert.equal({ ...body, content: 0, excerpt: 0 }, { ...usual, content: 0, excerpt: 0 })
          } else assert.is(own.status, login === undefined ? 401 : 403)
        }
        // Without a token the password is still required.
        if (status === 'publish') {
          const visitor = await site.json(`${V2}/posts/${id}`)
          assert.is(visitor.content.rendered === '', password !== '')
        }
      }
    }
  })

  previews('show the texts of a revision or of the newest autosave, rendered with all filters', async () => {
    await using site = await serveWithUsers(place, { add: [plants] })
    const date = '2024-05-01 12:00:00'
    const id = await addPost(site, { type: 'plant', status: 'publish', date, title: 'Rose', meta: { color: 'red' } })
    const old = await addRevision(site, id, { title: 'Old', content: '[water]', date: '2024-04-01 12:00:00' })
    const path = `plants/${id}`
    const live = await linkTo(site, path)
    const fixed = await linkTo(site, path, { revision: old })
    assert.is(fixed.revision, old)
    const shown = async (token: string) => (await shownBy(site, path, token)).body
    assert.is((await shown(live.token)).title.rendered, 'Rose', 'nothing is newer than the post')
    const earlier = await addRevision(site, id, { title: 'Earlier', date: '2024-04-02 12:00:00' }, 'autosave')
    assert.is((await shown(live.token)).title.rendered, 'Rose')
    await addRevision(site, id, { title: 'Later', content: 'L', author_id: 4, date: '2024-05-03 12:00:00' }, 'autosave')
    await addRevision(site, id, { title: 'No autosave', date: '2024-05-04 12:00:00' })
    const body = await shown(live.token)
    assert.equal(
      [body.title.rendered, body.plantTitle, body.meta, body.slug],
      ['Later', 'Later', { color: 'red', footnotes: '' }, 'rose'],
    )
    assert.is(body.content.rendered, '<p>L</p>\n<i>Later</i>')
    // The autosave of a published post is a separate row; the preview shows it.
    await site.send('POST', `${V2}/${path}/autosaves`, { title: 'Newest', content: '[water]', excerpt: 'X' }, 'ed')
    assert.is((await shown(live.token)).title.rendered, 'Newest')
    await site.send('POST', `${V2}/${path}/autosaves`, { title: 'Newest yet', content: 'N' }, 'ed')
    assert.is((await shown(live.token)).title.rendered, 'Newest yet')
    const before = await shown(fixed.token)
    assert.equal([before.title.rendered, before.content.rendered], ['Old', 'watered\n<i>Old</i>'])
    assert.is((await shown((await linkTo(site, path, { revision: earlier })).token)).title.rendered, 'Earlier')
    // The published post is unchanged.
    assert.is((await site.json(`${V2}/${path}`)).title.rendered, 'Rose')
  })

  previews('S10: show the featured image of the post, and no other file', async () => {
    await using site = await serveWithUsers(place)
    const write = { user: VISITOR, scope: new RequestCache() }
    const file = { type: 'attachment', mime_type: 'image/png', status: 'inherit' }
    const id = await addPost(site, { status: 'draft', author_id: site.users.ann })
    const [image, next] = [
      await addPost(site, { ...file, parent_id: id }),
      await addPost(site, { ...file, parent_id: id }),
    ]
    const feature = (media: number) => site.kernel.services.posts.update(id, { featured_media: media }, write)
    await feature(image)
    const { token } = await linkTo(site, `posts/${id}`, {}, 'ann')
    const statusOf = async (media: number, text = token, headers = {}) =>
      (await shownBy(site, `media/${media}`, text, '', headers)).status
    const usual = (await site.get(`${V2}/media/${image}`)).status
    assert.is(usual, 401)
    assert.equal([await statusOf(image), await statusOf(next), await statusOf(image, `${token}x`)], [200, usual, usual])
    assert.is(await statusOf(image, token, { origin: FRONT }), usual)
    const shown = await shownBy(site, `media/${image}`, token)
    assert.equal([shown.body.post, shown.headers.get('cache-control')], [id, 'private, no-store'])
    await feature(next)
    assert.equal([await statusOf(image), await statusOf(next)], [usual, 200])
    // An image that the issuer may not read is not shown.
    const foreign = await addPost(site, { status: 'private', author_id: site.users.ed })
    const hidden = await addPost(site, { ...file, parent_id: foreign })
    await feature(hidden)
    assert.is(await statusOf(hidden), usual)
    assert.is(await statusOf(hidden, (await linkTo(site, `posts/${id}`, {}, 'ed')).token), 200)
    await site.kernel.services.posts.trash(id, write)
    assert.is(await statusOf(hidden), usual)
    // A public image stays public with any token, and is not cached with one.
    const open = await addPost(site, file)
    assert.equal([await statusOf(open), await statusOf(open, 'x')], [200, 200])
    assert.is((await shownBy(site, `media/${open}`, 'x')).headers.get('x-svc-cache'), 'BYPASS')
  })

  previews('refuse revisions of other posts and invalid arguments', async () => {
    await using site = await serveWithUsers(place)
    const [one, two] = [await addPost(site, {}), await addPost(site, {})]
    const ofTwo = await addRevision(site, two, {})
    const wrong: readonly (readonly [body: object, code: string, status?: number])[] = [
      [{ revision: ofTwo }, 'rest_preview_invalid_revision'],
      [{ revision: two }, 'rest_preview_invalid_revision'],
      [{ revision: one }, 'rest_preview_invalid_revision'],
      [{ revision: 0 }, 'rest_preview_invalid_revision'],
      [{ revision: 99_999 }, 'rest_preview_invalid_revision'],
      [{ revision: 'x' }, 'rest_invalid_param'],
      [{ expires_in: 59 }, 'rest_invalid_param'],
      [{ expires_in: 604_801 }, 'rest_invalid_param'],
      [{ expires_in: 'soon' }, 'rest_invalid_param'],
      [{ front_end: '' }, 'rest_preview_unknown_front_end'],
      [{ front_end: 'main' }, 'rest_preview_unknown_front_end'],
      [{ front_end: ['main'] }, 'rest_invalid_param'],
      [{ id: two }, ''],
    ]
    for (const [body, code] of wrong) {
      const response = await site.send('POST', `${V2}/posts/${one}/preview`, body, 'ed')
      const result = (await response.json()) as Body
      assert.is(result.code ?? '', code, JSON.stringify(body))
      assert.is(response.status, code === '' ? 201 : 400)
      // The ID in the path takes precedence.
      if (code === '') assert.is((await shownBy(site, `posts/${two}`, result.token)).status, 403)
    }
    const startedAt = Date.now()
    const { expires } = await linkTo(site, `posts/${one}`, { expires_in: 60, revision: null })
    assert.ok(Math.abs(Date.parse(expires) - startedAt - 60_000) < 30_000, expires)
    assert.match(expires, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/)
  })

  previews('open in the first front end for editors', async () => {
    await using site = await serveWithUsers(place, withFrontEnds)
    const id = await addPost(site, { status: 'draft', author_id: site.users.ann, title: 'Mine' })
    const save = async (post: number, login: keyof UserIds, texts: object) =>
      (await (await site.send('POST', `${V2}/posts/${post}/autosaves`, texts, login)).json()) as Body
    const inPlace = await save(id, 'ann', { title: 'In place', content: 'x' })
    assert.is(inPlace.id, id)
    const front = new URL(inPlace.preview_link)
    assert.is(front.origin + front.pathname, `${FRONT}/preview`)
    assert.equal(
      { ...Object.fromEntries(front.searchParams), token: '' },
      { id: String(id), type: 'post', rest_base: 'posts', slug: 'mine', token: '' },
    )
    const titleOf = async (link: string, post: number) =>
      (await shownBy(site, `posts/${post}`, new URL(link).searchParams.get('token')!)).body.title.rendered
    assert.is(await titleOf(inPlace.preview_link, id), 'In place')
    await save(id, 'ann', { title: 'Further', content: 'x' })
    assert.is(await titleOf(inPlace.preview_link, id), 'Further')
    // Each of two authors sees their own autosave.
    const published = await addPost(site, { title: 'Out', author_id: site.users.ann })
    const anns = await save(published, 'ann', { title: 'By Ann', content: 'a' })
    const eds = await save(published, 'ed', { title: 'By Ed', content: 'e' })
    assert.is(await titleOf(anns.preview_link, published), 'By Ann')
    assert.is(await titleOf(eds.preview_link, published), 'By Ed')
    await save(published, 'ann', { title: 'By Ann again', content: 'a' })
    assert.is(await titleOf(anns.preview_link, published), 'By Ann again')
    // Posts without a preview use the link of the site.
    await site.store.run(site.store.db.updateTable('posts').set({ status: 'trash' }).where('id', '=', published))
    const trashed = (await site.json(`${V2}/posts/${published}/autosaves?context=edit`, site.by('ed'))) as Body[]
    assert.equal(
      trashed.map(({ preview_link: link }) => link.startsWith(site.home)),
      [true, true],
    )
  })

  previews('are issued for the requested front end', async () => {
    await using site = await serveWithUsers(place, withFrontEnds)
    const id = await addPost(site, { slug: 'a b/c&d', type: 'page' })
    const main = await linkTo(site, `pages/${id}`)
    assert.is(main.front_end, 'main')
    assert.is(main.link, `${FRONT}/preview?token=${main.token}&id=${id}&type=page&rest_base=pages&slug=a%20b%2Fc%26d`)
    const other = await linkTo(site, `pages/${id}`, { front_end: 'other' })
    assert.is(other.link, `https://Other.example/page/${id}#token=${other.token}`)
    for (const name of ['othr', 'constructor', '']) {
      const response = await site.send('POST', `${V2}/pages/${id}/preview`, { front_end: name }, 'ed')
      const { code, message } = (await response.json()) as Body
      assert.is(code, 'rest_preview_unknown_front_end')
      if (name === 'othr') assert.match(message, 'No front end is named "othr": did you mean other?')
    }
    // A page of another origin cannot use a stolen token; servers send no Origin header.
    const requestFrom = (token: string, origin: string) => shownBy(site, `pages/${id}`, token, '', { origin })
    assert.is((await requestFrom(main.token, FRONT)).status, 200)
    assert.is((await requestFrom(other.token, 'https://other.example')).status, 200)
    for (const origin of ['https://other.example', 'null', `${FRONT}:444`, 'http://front.example', '']) {
      const { status, body } = await requestFrom(main.token, origin)
      assert.equal([status, body.code], [403, 'rest_preview_invalid'], origin)
    }
  })

  previews.run()
}

const previews = suite('preview plugin')

previews(
  'serves posts, pages and custom types, and lists its routes in the index if there is a front end',
  async () => {
    await using site = await serve({ add: [plants] })
    await using shown = await serve({ add: [plants], ...withFrontEnds })
    const previewRoutes = (routes: Iterable<string>) => [...routes].filter((route) => route.includes('/preview'))
    const all = ['posts', 'pages', 'plants'].map((base) => `/svc/v2/${base}/(?P<id>[\\d]+)/preview`)
    assert.equal(previewRoutes(site.kernel.server.routes.keys()), all)
    assert.equal(previewRoutes(Object.keys((await site.json('/svc/v2')).routes)), [])
    assert.equal(previewRoutes(Object.keys((await shown.json('/svc/v2')).routes)), all)
  },
)

previews('removes its routes when it is removed, and its tokens survive a restart', async () => {
  await using place = await filePlace()
  await using first = await serveWithUsers(shared(place))
  const { token } = await linkTo(first, 'posts/2')
  await using site = withUsers(await serve({ database: place.url, home: first.home }), first.users)
  assert.is((await shownBy(site, 'posts/2', token)).status, 200)
  await removePlugin(site.kernel, 'previews')
  assert.is((await shownBy(site, 'posts/2', token)).status, 401)
  assert.is((await site.send('POST', `${V2}/posts/2/preview`, {}, 'ed')).status, 404)
})

previews('names the invalid front end of the config', async () => {
  const wrong: Record<string, RegExp> = {
    'front.example?token={token}': /The preview front end "a" does not have a URL such as/,
    'ftp://front.example/{token}': /does not have a URL/,
    'https://{slug}.example/{token}': /does not have a URL/,
    'https://user:pass@front.example/{token}': /does not have a URL/,
    'https://front.example/?token={tokn}': /has the unknown placeholder \{tokn\} in its URL: did you mean token\?/,
    'https://front.example/{id}': /lacks the placeholder \{token\} in its URL/,
  }
  for (const [template, pattern] of Object.entries(wrong)) {
    const started = serve({ plugins: { previews: { front_ends: { a: template } } } })
    const error = await started.then(
      () => null,
      (reason: unknown) => reason as Error,
    )
    assert.match(error?.message ?? '', pattern, template)
  }
  for (const options of [{ front_ends: { 'a b': FRONT } }, { lifetime: 59 }, { max_lifetime: 9_999_999 }]) {
    const error = await serve({ plugins: { previews: options } }).then(
      () => null,
      (reason: unknown) => reason as { code: string },
    )
    assert.is(error?.code, 'PLUGIN_OPTIONS_INVALID')
  }
})

previews('limits the lifetime of links to the configured maximum', async () => {
  await using site = await serveWithUsers(filePlace, { plugins: { previews: { max_lifetime: 120 } } })
  const startedAt = Date.now()
  const { expires } = await linkTo(site, 'posts/1')
  assert.ok(Date.parse(expires) - startedAt < 150_000)
  assert.is((await site.send('POST', `${V2}/posts/1/preview`, { expires_in: 121 }, 'ed')).status, 400)
})

previews('prints links with svc preview', async () => {
  await using place = await filePlace()
  const database = place.url
  let ids: UserIds
  {
    const site = await serveWithUsers(async () => ({ ...place, [Symbol.asyncDispose]: async () => {} }))
    ids = site.users
    await site[Symbol.asyncDispose]()
  }
  const run = (...args: string[]) => svc('preview', ...args, '--database', database)
  const { code, out, output } = await run('2', '--user', 'ed', '--expires', '120', '--json')
  assert.is(code, 0, output)
  const preview = JSON.parse(out)
  assert.ok(Date.parse(preview.expires) - Date.now() <= 120_000)
  assert.match((await run('2', '--user', 'shy')).out, /\?p=2&preview=true&preview_token=[\w-]+\.[\w-]{43}$/)
  {
    await using site = await serve({ database })
    const shown = await fetch(`${site.home}/svc-json/svc/v2/posts/2?preview_token=${preview.token}`)
    assert.is(shown.status, 403, 'the home of the command was another one')
    const { link } = await site.kernel.services.previews.link(
      { id: 2, type: 'post', status: 'draft', slug: '' },
      { id: ids.ed },
    )
    assert.is((await fetch(link)).status, 200)
    assert.is((await svc('previews', 'revoke', '--database', database)).code, 0)
    assert.is((await fetch(link)).status, 404)
  }
  for (const user of ['con', String(ids.sub)])
    assert.match((await run('2', '--user', user)).err, /may not edit the post 2/)
  for (const args of [
    ['2'],
    ['99', '--user', 'ed'],
    ['2', '--user', 'nobody'],
    ['2', '--user', 'ed', '--expires', '5'],
    ['2', '--user', 'ed', '--front-end', 'x'],
    ['2', '--user', 'ed', '--show', '1'],
  ])
    assert.is.not((await run(...args)).code, 0, args.join(' '))
})

previews.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, type Route } from '../../../../kernel/index.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'
import { serve } from '../../../helpers/site.ts'

type Headers = Readonly<Record<string, string>>

const json = { 'content-type': 'application/json' }
const LATER = 'Fri, 01 Jan 2100 00:00:00 GMT'
const EARLIER = 'Sat, 01 Jan 2000 00:00:00 GMT'

/** Request helpers that act as the administrator by default. */
function writerOf(site: SiteWithUsers) {
  const write = (method: string, path: string, headers: Headers, body: unknown = {}, login?: 'ann' | 'sub') =>
    site.request(path, {
      method,
      headers: { ...json, ...site.by(login ?? 'admin'), ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const tag = async (path: string) => {
    const response = await site.get(path, site.by('admin'))
    assert.is(response.status, 200, `${path}: ${await response.clone().text()}`)
    return response.headers.get('etag') ?? ''
  }
  const create = async (path: string, body: object) =>
    ((await (await write('POST', path, {}, body)).json()) as { id: number }).id
  return { write, tag, create }
}

/** A dynamic block, an ability that writes, and the right to delete revisions, which no role has by default. */
const block = definePlugin({
  name: 'hello',
  needs: ['blocks', 'roles', 'abilities'],
  apply: ({ hooks, services }) => {
    hooks.map_meta_cap.tap({ name: 'hello', dependsOn: 'nothing' }, (needed, capability, _, object) => {
      const isRevision = (object as { type?: string } | undefined)?.type === 'revision'
      return capability === 'delete_post' && isRevision ? ['edit_posts'] : needed
    })
    services.blocks.register('test/hello', { title: 'Hello', api_version: 2, render_callback: () => '<p>Hello</p>' })
    services.abilities.register('test/tidy', {
      label: 'Tidy up',
      description: 'Tidies up.',
      category: 'site',
      public: true,
      input_schema: { type: 'object', properties: {} },
      permission: () => true,
      run: () => ({}),
    })
  },
})

/** A URL of a writable route with a valid body. */
interface Sample {
  readonly path: string
  readonly body?: unknown
  readonly headers?: Headers
}

/** Creates an item of every kind. @returns a sample request for each route */
async function samplesOf(site: SiteWithUsers): Promise<Map<string, Sample>> {
  const { create, write } = writerOf(site)
  const samples = new Map<string, Sample>()
  const addAt = (base: string, pattern: string, sample: Sample) =>
    samples.set(`${base}/${pattern}`, { ...sample, path: `${base}/${sample.path}` })
  const add = (pattern: string, sample: Sample) => addAt('/svc/v2', pattern, sample)
  const id = String.raw`(?P<id>[\d]+)`
  const text = { ...json, 'content-type': 'text/plain', 'content-disposition': 'attachment; filename="notes.txt"' }
  let number = 0
  const title = () => ({ title: `Title ${++number}`, content: `Text ${number}`, status: 'publish' })
  for (const type of ['posts', 'pages', 'blocks', 'navigation']) {
    const item = await create(`/svc/v2/${type}`, title())
    await write('POST', `/svc/v2/${type}/${item}`, {}, title())
    add(type, { path: type, body: title() })
    add(`${type}/${id}`, { path: `${type}/${item}`, body: title() })
    add(`${type}/${id}/autosaves`, { path: `${type}/${item}/autosaves`, body: title() })
    add(`${type}/${id}/preview`, { path: `${type}/${item}/preview`, body: {} })
    const revisions = (await site.json(`/svc/v2/${type}/${item}/revisions`, site.by('admin'))) as { id: number }[]
    const path = `${type}/${item}/revisions/${revisions.at(-1)!.id}`
    add(String.raw`${type}/(?P<parent>[\d]+)/revisions/(?P<id>[\d]+)`, { path })
  }
  const upload = await write('POST', '/svc/v2/media', text, 'a file')
  const { id: media } = (await upload.json()) as { id: number }
  const template = String.raw`(?:[\w.-]+//?)?[\w%.~-]+`
  for (const base of ['templates', 'template-parts']) {
    const body = { slug: `for-${base}`, title: 'A template', content: 'Text' }
    await write('POST', `/svc/v2/${base}`, {}, body)
    const item = `${base}/default//for-${base}`
    await write('POST', `/svc/v2/${item}`, {}, { content: 'Other text' })
    const [revision] = (await site.json(`/svc/v2/${item}/revisions`, site.by('admin'))) as { svc_id: number }[]
    add(base, { path: base, body })
    add(`${base}/(?P<id>${template})`, { path: item, body: { content: 'Changed.' } })
    add(`${base}/(?P<id>${template})/autosaves`, { path: `${item}/autosaves`, body: { content: 'Saved.' } })
    const path = `${item}/revisions/${revision!.svc_id}`
    add(String.raw`${base}/(?P<parent>${template})/revisions/(?P<id>[\d]+)`, { path })
  }
  add('media', { path: 'media', body: 'another file', headers: text })
  add(`media/${id}`, { path: `media/${media}`, body: { title: 'Another title' } })
  add(`media/${id}/edit`, { path: `media/${media}/edit`, body: { src: 'https://elsewhere.test/a.png', rotation: 90 } })
  add(`media/${id}/post-process`, { path: `media/${media}/post-process`, body: { action: 'create-image-subsizes' } })
  // The default category cannot be deleted.
  await create('/svc/v2/categories', { name: 'General' })
  for (const taxonomy of ['categories', 'tags', 'svc_pattern_category']) {
    add(taxonomy, { path: taxonomy, body: { name: 'A new term' } })
    const term = await create(`/svc/v2/${taxonomy}`, { name: 'A term' })
    add(`${taxonomy}/${id}`, { path: `${taxonomy}/${term}`, body: { description: 'Another.' } })
  }
  const menu = await create('/svc/v2/menus', { name: 'A menu' })
  add('menus', { path: 'menus', body: { name: 'A new menu' } })
  add(`menus/${id}`, { path: `menus/${menu}`, body: { description: 'Another.' } })
  const link = { title: 'A link', url: 'https://example.com/', status: 'publish' }
  const menuItem = await create('/svc/v2/menu-items', link)
  add('menu-items', { path: 'menu-items', body: link })
  add(`menu-items/${id}`, { path: `menu-items/${menuItem}`, body: link })
  add(`menu-items/${id}/preview`, { path: `menu-items/${menuItem}/preview`, body: {} })
  add(`menu-items/${id}/autosaves`, { path: `menu-items/${menuItem}/autosaves`, body: { title: 'Another link' } })
  const run = 'abilities/(?P<name>[a-zA-Z0-9-]+/[a-zA-Z0-9-]+)/run'
  addAt('/svc-abilities/v1', run, { path: 'abilities/test/tidy/run' })
  const post = await create('/svc/v2/posts', title())
  const comment = await create('/svc/v2/comments', { post, content: 'First.' })
  add('comments', { path: 'comments', body: { post, content: 'Second.' } })
  add(`comments/${id}`, { path: `comments/${comment}`, body: { content: 'Changed.' } })
  const person = { username: 'newcomer', email: 'new@mail.example', password: 'pass phrase of newcomer' }
  add('users', { path: 'users', body: person })
  add(`users/${id}`, { path: `users/${site.users.con}`, body: { description: 'Changed.' } })
  add('users/me', { path: 'users/me', body: { description: 'Changed.' } })
  const passwords = `users/${site.users.ann}/application-passwords`
  const response = await write('POST', `/svc/v2/${passwords}`, {}, { name: 'A program' })
  const { uuid } = (await response.json()) as { uuid: string }
  const user = String.raw`users/(?P<user_id>(?:[\d]+|me))/application-passwords`
  add(user, { path: passwords, body: { name: 'Another program' } })
  add(String.raw`${user}/(?P<uuid>[\w\-]+)`, { path: `${passwords}/${uuid}`, body: { name: 'A new name' } })
  add('settings', { path: 'settings', body: { description: 'A new one.' } })
  // A webhook that receives no events of this test.
  const hook = { url: 'https://hooks.example/', kinds: ['table'] }
  const webhook = await create('/svc-webhooks/v1/webhooks', hook)
  const addHook = (pattern: string, path: string, body: object) => addAt('/svc-webhooks/v1', pattern, { path, body })
  addHook('webhooks', 'webhooks', hook)
  addHook(`webhooks/${id}`, `webhooks/${webhook}`, { name: 'Front' })
  for (const action of ['secret', 'test']) addHook(`webhooks/${id}/${action}`, `webhooks/${webhook}/${action}`, {})
  const deliveries = String.raw`webhooks/(?P<webhook>[\d]+)/deliveries`
  addHook(`${deliveries}/replay`, `webhooks/${webhook}/deliveries/replay`, {})
  addHook(`${deliveries}/${id}/replay`, `webhooks/${webhook}/deliveries/1/replay`, {})
  const family = (slug: string) => ({ font_family_settings: JSON.stringify({ name: 'A', slug, fontFamily: 'A' }) })
  const font = await create('/svc/v2/font-families', family('first'))
  add('font-families', { path: 'font-families', body: family('second-#NUMBER') })
  // Only renamed, because a slug cannot change.
  const renamed = { font_family_settings: JSON.stringify({ name: 'B #NUMBER' }) }
  add(`font-families/${id}`, { path: `font-families/${font}`, body: renamed })
  const face = (fontWeight: string) => ({
    font_face_settings: JSON.stringify({ fontFamily: 'A', fontWeight, src: 'https://fonts.example/a.woff2' }),
  })
  const other = await create('/svc/v2/font-families', family('third'))
  const faces = String.raw`font-families/(?P<font_family_id>[\d]+)/font-faces`
  const made400 = await create(`/svc/v2/font-families/${other}/font-faces`, face('400'))
  add(faces, { path: `font-families/${other}/font-faces`, body: face('5#NUMBER') })
  add(`${faces}/${id}`, { path: `font-families/${other}/font-faces/${made400}` })
  const styles = await site.kernel.services.globalStyles.idOf('default')
  add('global-styles/(?P<id>\\d+)', { path: `global-styles/${styles}`, body: { title: 'Styles' } })
  const renderer = String.raw`block-renderer/(?P<name>[a-z0-9-]+/[a-z0-9-]+)`
  add(renderer, { path: 'block-renderer/test/hello?context=edit' })
  return samples
}

/** Returns a body with other texts. */
function changed(body: object, number: number): object {
  const texts = Object.entries(body).map(([name, value]: [string, unknown]) => {
    if (/^(?:title|content|name|description)$/.test(name)) return [name, `${String(value)} ${number}`]
    return [name, typeof value === 'string' ? value.replace('#NUMBER', String(number)) : value]
  })
  return { ...Object.fromEntries(texts), slug: `slug-${number}` }
}

/**
 * Returns every writable route with its methods: creating and updating first, then deleting, and the user's own account
 * last.
 */
function writableRoutes(routes: Iterable<Route>): { pattern: string; method: string }[] {
  const found = [...routes].flatMap(({ pattern, endpoints }) =>
    endpoints.flatMap(({ methods }) =>
      methods.filter((method) => method !== 'GET').map((method) => ({ pattern, method })),
    ),
  )
  const rank = ({ pattern, method }: { pattern: string; method: string }) =>
    (method === 'DELETE' ? 1 : 0) + (pattern.endsWith('/me') && method === 'DELETE' ? 2 : 0)
  const deepest = (one: string) => -one.split('/').length
  return found.toSorted((a, b) => rank(a) - rank(b) || (rank(a) > 0 ? deepest(a.pattern) - deepest(b.pattern) : 0))
}

for (const { name, place } of databases) {
  const preconditions = suite(`preconditions, ${name}`)

  preconditions('are checked on every route that writes: only the current tag writes, and only once', async () => {
    await using site = await serveWithUsers(place, { add: [block] })
    const { write, tag } = writerOf(site)
    const samples = await samplesOf(site)
    let written = 0
    for (const { pattern, method } of writableRoutes(site.kernel.server.routes.values())) {
      // Plugins cannot be written, and a confirmation only concerns the session.
      if (pattern === '/batch/v1' || pattern === '/svc/v2/users/me/confirm' || pattern.startsWith('/svc/v2/plugins'))
        continue
      const sample = samples.get(pattern)
      assert.ok(sample, `${pattern} has a sample`)
      // An ability has a single method, here POST, and cannot be read.
      const isRun = pattern.endsWith('/run')
      if (isRun && method !== 'POST') continue
      const { endpoints } = site.kernel.server.routes.get(pattern)!
      const reading = isRun ? undefined : endpoints.find(({ methods }) => methods.includes('GET'))
      const query = method === 'DELETE' ? `?force=true&reassign=${site.users.ed}` : ''
      const path = `${sample.path}${query}`
      if (reading === undefined) {
        // This URL has no representation that a tag could match.
        for (const tag of ['"another"', '*'])
          assert.is((await write(method, path, { 'if-match': tag }, sample.body)).status, 412, pattern)
        continue
      }
      const inEdit = reading.args?.['context']?.enum?.includes('edit') === true && !path.includes('context=')
      const read = inEdit ? `${path}${path.includes('?') ? '&' : '?'}context=edit` : path
      const send = (headers: Headers) => {
        const body = typeof sample.body === 'object' ? changed(sample.body as object, ++written) : sample.body
        return write(method, path, { ...sample.headers, ...headers }, method === 'DELETE' ? undefined : body)
      }
      const endpoint = `${method} ${pattern}`
      const before = await tag(read)
      for (const refused of [
        { 'if-match': '"another"' },
        { 'if-match': `W/${before}` },
        { 'if-match': 'malformed' },
        { 'if-none-match': '*' },
        { 'if-none-match': before },
      ]) {
        const response = await send(refused)
        assert.is(response.status, 412, `${endpoint} ${JSON.stringify(refused)}`)
        assert.is(((await response.json()) as { code: string }).code, 'rest_precondition_failed')
      }
      assert.is(await tag(read), before, endpoint)
      const right = await send({ 'if-match': `"another", ${before.replace(/(?:-gzip)?"$/, '-zstd"')}` })
      assert.ok(right.ok, `${endpoint}: ${right.status} ${await right.text()}`)
      // A rendered block is not stored, so its tag does not change.
      if (pattern.includes('block-renderer')) continue
      const again = await send({ 'if-match': before })
      assert.ok([404, 412].includes(again.status), `${endpoint} again: ${again.status}`)
    }
  })

  preconditions('let exactly one of several concurrent writers succeed, across two servers', async () => {
    await using site = await serveWithUsers(place)
    await using other = await serve({ database: site.kernel.config.database })
    const { create, write, tag } = writerOf(site)
    const post = await create('/svc/v2/posts', { title: 'Zero', status: 'publish' })
    const paths = {
      [`/svc/v2/posts/${post}`]: 'title',
      [`/svc/v2/categories/${await create('/svc/v2/categories', { name: 'Zero' })}`]: 'name',
      [`/svc/v2/comments/${await create('/svc/v2/comments', { post, content: 'Zero' })}`]: 'content',
      [`/svc/v2/users/${site.users.con}`]: 'name',
      '/svc/v2/settings': 'description',
    }
    for (const [path, field] of Object.entries(paths)) {
      for (let round = 0; round < 3; round++) {
        const read = await tag(path)
        const init = (index: number) => ({
          method: 'PUT',
          headers: { ...json, ...site.by('admin'), 'if-match': read },
          body: JSON.stringify({ [field]: `Writer ${index} of ${round}` }),
        })
        const sent = Array.from({ length: 6 }, (_, index) =>
          (index % 2 === 0 ? site : other).request(path, init(index)),
        )
        const statuses = (await Promise.all(sent)).map(({ status }) => status)
        assert.equal(
          statuses.toSorted((one, other) => one - other),
          [200, 412, 412, 412, 412, 412],
          `${path} ${round}: ${statuses.join()}`,
        )
      }
    }
    // Requests without preconditions still succeed.
    assert.is((await write('PUT', `/svc/v2/posts/${post}`, {}, { title: 'Last' })).status, 200)
  })

  preconditions('apply to requests in a batch by their headers, and roll back a transaction', async () => {
    await using site = await serveWithUsers(place, { plugins: { batch: { transactions: true } } })
    const { create, write, tag } = writerOf(site)
    const post = await create('/svc/v2/posts', { title: 'Zero', status: 'publish' })
    const path = `/svc/v2/posts/${post}`
    const read = await tag(path)
    const item = (title: string, match: string) => ({ path, body: { title }, headers: { 'If-Match': match } })
    const requests = [item('One', '"another"'), item('Two', read), item('Three', read)]
    const batch = async (body: object) =>
      ((await (await write('POST', '/batch/v1', {}, body)).json()) as { responses: { status: number }[] }).responses
    assert.equal(
      (await batch({ requests })).map(({ status }) => status),
      [412, 200, 412],
    )
    assert.is((await site.json(path)).title.rendered, 'Two')
    const two = await tag(path)
    const together = [item('Four', two), item('Five', two)]
    assert.equal(
      (await batch({ requests: together, transaction: true })).map(({ status }) => status),
      [409, 412],
    )
    assert.is((await site.json(path)).title.rendered, 'Two')
  })

  preconditions('apply to handlers of plugins with several writes, in order', async () => {
    const seen: string[] = []
    const notes = definePlugin({
      name: 'notes',
      needs: ['store'],
      apply({ hooks, services: { store } }) {
        const value = async () => {
          const row = await store.first(store.db.selectFrom('options').select('value').where('name', '=', 'note'))
          return row?.value ?? ''
        }
        const set = (text: string) => {
          const insert = store.db.insertInto('options').values({ name: 'note', value: text })
          return store.run(insert.onConflict((conflict) => conflict.column('name').doUpdateSet({ value: text })))
        }
        hooks.rest_api_init.tap('notes', (server) => {
          server.registerRoute('notes/v1', 'note', [
            { permission_callback: () => true, callback: async () => ({ note: await value() }) },
            {
              methods: 'PUT',
              permission_callback: () => true,
              callback: async () => {
                seen.push('called')
                await Promise.all([set('"first"'), store.transaction(() => set('"second"'))])
                await set('"third"')
                return { note: await value() }
              },
            },
          ])
        })
      },
    })
    await using site = await serveWithUsers(place, { add: [notes] })
    const { write, tag } = writerOf(site)
    const read = await tag('/notes/v1/note')
    assert.is((await write('PUT', '/notes/v1/note', { 'if-match': '"another"' })).status, 412)
    // The handler has not run, so it has no side effects outside of the store either.
    assert.equal(seen, [])
    const written = await write('PUT', '/notes/v1/note', { 'if-match': read })
    assert.equal([written.status, await written.json()], [200, { note: '"third"' }])
    assert.is((await write('PUT', '/notes/v1/note', { 'if-match': read })).status, 412)
  })

  preconditions.run()
}

const conditions = suite('preconditions')
const { place } = databases[0]!

conditions('accept the tag of any context, and of the fields in the URL', async () => {
  await using site = await serveWithUsers(place)
  const { create, write, tag } = writerOf(site)
  const path = `/svc/v2/posts/${await create('/svc/v2/posts', { title: 'Zero', status: 'publish' })}`
  let number = 0
  const change = async (url: string, match: string) =>
    (await write('PUT', url, { 'if-match': match }, { title: `Title ${++number}` })).status
  for (const query of ['', '?context=view', '?context=edit', '?context=embed']) {
    assert.is(await change(path, await tag(`${path}${query}`)), 200, query)
  }
  for (const query of ['_fields=id,title', '_embed', '_fields=id,title&context=edit', '_envelope']) {
    const read = await tag(`${path}?${query}`)
    assert.is(await change(path, read), 412, query)
    assert.is(await change(`${path}?${query}`, read), 200, query)
  }
})

conditions('apply to the overridden method of a POST', async () => {
  await using site = await serveWithUsers(place)
  const { create, write, tag } = writerOf(site)
  const path = `/svc/v2/posts/${await create('/svc/v2/posts', { title: 'Zero', status: 'publish' })}`
  const header = { 'x-http-method-override': 'DELETE' }
  assert.is((await write('POST', path, { ...header, 'if-match': '"x"' })).status, 412)
  assert.is((await write('POST', `${path}?_method=DELETE`, { 'if-match': '"x"' })).status, 412)
  assert.is((await site.json(path)).status, 'publish')
  const removed = await write('POST', `${path}?_method=DELETE&force=1`, { 'if-match': await tag(path) })
  assert.equal([removed.status, ((await removed.json()) as { deleted: boolean }).deleted], [200, true])
})

conditions('with * require that the resource exists, and dates apply only to resources with a date', async () => {
  await using site = await serveWithUsers(place)
  const { create, write, tag } = writerOf(site)
  const path = `/svc/v2/posts/${await create('/svc/v2/posts', { title: 'Zero', status: 'publish' })}`
  const change = async (headers: Headers, url = path) => (await write('PUT', url, headers, { title: 'New' })).status
  assert.is(await change({ 'if-match': '*' }), 200)
  assert.is(await change({ 'if-none-match': '*' }), 412)
  assert.is(await change({ 'if-none-match': '"another"' }), 200)
  assert.is(await change({ 'if-unmodified-since': LATER }), 200)
  for (const date of [EARLIER, 'Saturday, 01-Jan-00 00:00:00 GMT', 'Sat Jan  1 00:00:00 2000']) {
    assert.is(await change({ 'if-unmodified-since': date }), 412, date)
    assert.is(await change({ 'if-unmodified-since': date }, `${path}?_fields=id`), 412, date)
  }
  // Invalid dates, and dates next to a tag, are ignored.
  for (const date of ['yesterday', '2000-01-01', 'Sat, 41 Jan 2000 00:00:00 GMT']) {
    assert.is(await change({ 'if-unmodified-since': date }), 200, date)
  }
  assert.is(await change({ 'if-unmodified-since': EARLIER, 'if-match': await tag(path) }), 200)
  // Terms have no date.
  const term = `/svc/v2/tags/${await create('/svc/v2/tags', { name: 'Zero' })}`
  assert.is((await write('PUT', term, { 'if-unmodified-since': EARLIER }, { name: 'One' })).status, 200)
  // The URL of batches has no representation.
  assert.is((await write('POST', '/batch/v1', { 'if-match': '*' }, { requests: [] })).status, 412)
  assert.is((await write('POST', '/batch/v1', { 'if-none-match': '*' }, { requests: [] })).status, 207)
})

conditions('reveal nothing to users who cannot write', async () => {
  await using site = await serveWithUsers(place)
  const { create, write, tag } = writerOf(site)
  const id = await create('/svc/v2/posts', { title: 'Secret', status: 'private' })
  const path = `/svc/v2/posts/${id}`
  const right = await tag(path)
  for (const match of [right, '"another"', '*']) {
    for (const method of ['PUT', 'DELETE']) {
      assert.is((await write(method, path, { 'if-match': match }, {}, 'sub')).status, 403)
      const visitor = await site.request(path, { method, headers: { ...json, 'if-match': match }, body: '{}' })
      assert.is(visitor.status, 401)
    }
    assert.is((await write('PUT', '/svc/v2/posts/999999', { 'if-match': match })).status, 404)
  }
  // Invalid arguments are reported first, as without preconditions.
  assert.is((await write('PUT', path, { 'if-match': '"another"' }, { status: 'no such' })).status, 400)
})

conditions('are compared with the current state of the item', async () => {
  await using site = await serveWithUsers(place)
  const { create, write, tag } = writerOf(site)
  const path = `/svc/v2/posts/${await create('/svc/v2/posts', { title: 'Zero', status: 'publish' })}`
  const first = await tag(path)
  const written = await write('PUT', path, { 'if-match': first }, { title: 'One' })
  assert.is(written.status, 200)
  assert.is((await write('PUT', path, { 'if-match': first }, { title: 'Two' })).status, 412)
  // The tag depends only on the bytes, unlike a date.
  const modified = (await site.json(path)).modified_gmt as string
  assert.ok(Date.parse(`${modified}Z`) > 0)
  assert.is((await write('PUT', path, { 'if-match': await tag(path) }, { title: 'Three' })).status, 200)
})

conditions.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RestError } from '../../../../kernel/index.ts'
import type { Step, TracedRequest } from '../../../../plugins/operations/trace/record.ts'
import { browse, type Browser } from '../../../helpers/browser.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'
import { filePlace } from '../../../helpers/stores.ts'
import { serve } from '../../../helpers/site.ts'

const PAGE = '/svc-admin/trace'

/** Adds taps and routes that fail, run concurrent nested requests, and change responses. */
const probe = definePlugin({
  name: 'probe',
  apply({ hooks }) {
    hooks.rest_prepare.for('post').tap('loud', (response, post) => {
      Object.assign(response.data as object, { secret: `hush ${post.id}`, loud: String(post.title).toUpperCase() })
      return response
    })
    hooks.rest_pre_dispatch.tapPromise('limit', async (early, _server, request) => {
      if (request.query['full'] !== undefined) throw new RestError('too_many', 'Too many.', { status: 429 })
      return early
    })
    hooks.rest_api_init.tap('probe', (server) => {
      server.registerRoute('probe/v1', 'concurrent', {
        permission_callback: () => true,
        callback: async () => {
          const responses = ['/svc/v2/types', '/svc/v2/statuses'].map((path) => server.dispatch(path))
          return (await Promise.all(responses)).map(({ status }) => status)
        },
      })
      server.registerRoute('probe/v1', 'broken', {
        permission_callback: () => true,
        callback: () => {
          throw new Error('it broke')
        },
      })
    })
  },
})

/** The requests that the page lists for an administrator. */
async function shown(admin: Browser, after = 0): Promise<(TracedRequest & { place: string; plugins: string[] })[]> {
  const response = await admin.open(`${PAGE}/requests?after=${after}`)
  assert.is(response.status, 200)
  return ((await response.json()) as { requests: (TracedRequest & { place: string; plugins: string[] })[] }).requests
}

/** The latest request whose URL contains a text, with its steps. */
async function latest(admin: Browser, text: string): Promise<TracedRequest> {
  const { number } = (await shown(admin)).findLast(({ url }) => url.includes(text))!
  return ((await (await admin.open(`${PAGE}/requests/${number}`)).json()) as { request: TracedRequest }).request
}

/** The ancestors of a step, innermost first. */
function around(steps: readonly Step[], step: Step | undefined): Step[] {
  const found: Step[] = []
  for (let one = step; one !== undefined && one.parent >= 0; one = steps[one.parent]) found.push(steps[one.parent]!)
  return found
}

const namesOf = (steps: readonly Step[]) => steps.map(({ kind, name }) => `${kind} ${name}`)

for (const { name, place } of databases) {
  const pages = suite<{ site: SiteWithUsers; admin: Browser }>(`trace page on ${name}`)

  pages.before(async (context) => {
    context.site = await serveWithUsers(place, { trace: true, add: [probe] })
    context.admin = browse(context.site)
    await context.admin.logIn('admin', 'pass phrase of admin')
  })
  pages.after(async ({ site }) => site?.[Symbol.asyncDispose]())

  pages('is for administrators: redirects visitors to the login and refuses other users', async ({ site, admin }) => {
    const visitor = await browse(site).open(`${PAGE}?x=1`)
    assert.is(visitor.status, 302)
    const loginUrl = new URL(visitor.headers.get('location')!)
    assert.equal(
      [loginUrl.pathname, loginUrl.searchParams.get('redirect_to')],
      ['/svc-login', `${site.home}${PAGE}?x=1`],
    )
    const editor = browse(site)
    await editor.logIn('ed', 'pass phrase of ed')
    const refused = await editor.open(PAGE)
    assert.equal([refused.status, refused.headers.get('content-type')], [403, 'text/html; charset=UTF-8'])
    assert.match(await refused.text(), 'Only administrators can see traces.')
    for (const part of ['requests', 'requests/1', 'flame', 'trace.js', 'trace.css', 'clear', 'nothing']) {
      const statuses = [await browse(site).open(`${PAGE}/${part}`), await editor.open(`${PAGE}/${part}`)]
      assert.equal(
        statuses.map(({ status }) => status),
        [401, 403],
        part,
      )
    }
    const page = await admin.open(PAGE)
    const policy = page.headers.get('content-security-policy')!
    const [, nonce] = /script-src 'nonce-([^']+)'/.exec(policy)!
    assert.is(page.status, 200)
    assert.match(policy, /^default-src 'none'; /)
    assert.not.match(policy, /unsafe|\*|'self' /)
    const html = await page.text()
    assert.match(html, `nonce="${nonce}"`)
    assert.not.match(html, /<script(?![^>]* src=)|<style|\son\w+=/)
    assert.match(page.headers.get('cache-control')!, 'no-store')
    assert.is.not(/nonce-([^']+)/.exec((await admin.open(PAGE)).headers.get('content-security-policy')!)![1], nonce)
  })

  pages('serves its scripts and styles, and no other file', async ({ admin }) => {
    for (const file of ['trace.js', 'elements.js', 'requests.js', 'steps.js', 'flame.js']) {
      const script = await admin.open(`${PAGE}/${file}`)
      assert.equal([script.status, script.headers.get('content-type')], [200, 'text/javascript; charset=UTF-8'], file)
    }
    assert.is((await admin.open(`${PAGE}/trace.css`)).headers.get('content-type'), 'text/css; charset=UTF-8')
    for (const file of ['tsconfig.json', '..%2Findex.ts', 'types.d.ts', 'requests/x', 'requests/999999']) {
      assert.is((await admin.open(`${PAGE}/${file}`)).status, 404, file)
    }
    const posted = await admin.send(PAGE, {})
    assert.equal([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD'])
  })

  pages('shows the transaction and the SQL of a write within its handler, without values', async ({ site, admin }) => {
    const { status } = await site.send('POST', '/svc/v2/posts', { title: 'quiet words', status: 'publish' }, 'admin')
    assert.is(status, 201)
    const request = await latest(admin, '/svc/v2/posts')
    const { method, route, steps, user, ms } = request
    assert.equal([method, route, request.status, user?.id], ['POST', '/svc/v2/posts', 201, site.users.admin])
    assert.ok(ms! > 0)
    const insert = steps.find(({ kind, name: sql }) => kind === 'sql' && sql.startsWith('insert into "posts"'))!
    const outer = namesOf(around(steps, insert))
    assert.match(outer[0]!, 'transaction on ')
    assert.is(outer.at(-1), 'handler POST /svc/v2/posts')
    assert.equal([insert.rows, insert.parameters! > 5, insert.ms! >= 0, insert.waited! >= 0], [1, true, true, true])
    assert.not.match(JSON.stringify(steps.filter(({ kind }) => kind === 'sql')), 'quiet')
    for (const [at, { parent, start }] of steps.entries()) {
      assert.ok(parent < at)
      if (parent >= 0) assert.ok(start >= steps[parent]!.start)
    }
  })

  pages('S17: shows the changes of a tap with secrets masked', async ({ site, admin }) => {
    await site.get('/svc/v2/posts?per_page=1&token=hush&title=1')
    const { steps, url } = await latest(admin, 'title=1')
    assert.is(url, '/svc-json/svc/v2/posts?per_page=1&token=[hidden]&title=1')
    const tap = steps.find(({ kind, name: tapped }) => kind === 'tap' && tapped === 'loud')!
    assert.equal([tap.plugin, tap.hook, tap.failed], ['probe', 'rest_prepare_post', undefined])
    const [hook] = around(steps, tap)
    assert.equal([hook!.kind, hook!.name], ['hook', 'rest_prepare_post'])
    const loud = tap.changed!.find(({ path }) => path === 'data.loud')!
    assert.is(loud.before, null)
    assert.match(loud.after!, /^"[A-Z ]+"$/)
    assert.is(tap.changed!.find(({ path }) => path === 'data.secret')!.after, '"[hidden]"')
    assert.not.match(JSON.stringify(steps), 'hush')
  })

  pages('shows nested requests within their outer request, also concurrent ones', async ({ site, admin }) => {
    const items = [
      { path: '/svc/v2/tags', body: { name: 'one' } },
      { path: '/svc/v2/posts/999999', body: {} },
    ]
    await site.send('POST', '/batch/v1', { requests: items }, 'admin')
    const batch = await latest(admin, '/batch/v1')
    const inside = batch.steps.filter(({ kind }) => kind === 'request')
    assert.equal(
      inside.map(({ name: stepName, route, status }) => [stepName, route, status]),
      [
        ['POST /svc/v2/tags', '/svc/v2/tags', 201],
        ['POST /svc/v2/posts/999999', '/svc/v2/posts/(?P<id>[\\d]+)', 404],
      ],
    )
    assert.match(inside[1]!.failed!, 'rest_post_invalid_id')
    assert.ok(inside.every((step) => namesOf(around(batch.steps, step)).includes('handler POST /batch/v1')))
    const insert = batch.steps.find(({ kind, name: sql }) => kind === 'sql' && sql.startsWith('insert into "terms"'))
    assert.ok(namesOf(around(batch.steps, insert)).includes('request POST /svc/v2/tags'))

    await site.get('/probe/v1/concurrent')
    const { steps } = await latest(admin, '/probe/v1/concurrent')
    const [one, two] = steps.filter(({ kind }) => kind === 'request')
    assert.is(one!.parent, two!.parent)
  })

  pages('lists the steps that share a statement', async ({ site, admin }) => {
    await site.send('POST', '/svc/v2/posts', { title: 'more', status: 'publish' }, 'admin')
    await site.get('/svc/v2/posts?_embed=author,wp:term&shared')
    const { steps } = await latest(admin, 'shared')
    const shared = steps.filter(({ askers }) => askers !== undefined)
    assert.ok(shared.length > 0)
    for (const { kind, askers } of shared) {
      assert.is(kind, 'sql')
      assert.ok(askers!.length > 1 && askers!.every((at) => at < steps.length))
    }
  })

  pages('shows the error of a request and the step that threw it', async ({ site, admin }) => {
    await site.get('/svc/v2/posts?full')
    const refused = await latest(admin, '?full')
    assert.equal([refused.status, refused.error], [429, 'too_many: Too many.'])
    const tap = refused.steps.find(({ kind, name: tapped }) => kind === 'tap' && tapped === 'limit')!
    assert.is(tap.failed, 'Too many.')
    await site.get('/probe/v1/broken')
    const broken = await latest(admin, 'broken')
    assert.is(broken.status, 500)
    assert.equal(
      broken.steps.filter(({ failed }) => failed !== undefined).map(({ kind, failed }) => [kind, failed]),
      [['handler', 'it broke']],
    )
  })

  pages('lists each request once except its own, and none after it is cleared', async ({ site, admin }) => {
    const before = (await shown(admin)).at(-1)!.number
    await site.get(`${site.home}/nothing-here`)
    for (let time = 0; time < 3; time += 1) await admin.open(PAGE)
    const requests = await shown(admin, before)
    assert.equal(
      requests.map(({ url, path, status, place: placeName }) => [url, path, status, placeName]),
      [['/nothing-here', '/nothing-here', 404, 'pages and files']],
    )
    assert.ok(!requests.some(({ plugins }) => plugins.length === 0))

    const foreign = await admin.send(`${PAGE}/clear`, {}, { 'sec-fetch-site': 'cross-site' })
    assert.is(foreign.status, 403)
    assert.is((await admin.open(`${PAGE}/clear`)).status, 405)
    assert.ok((await shown(admin)).length > 0)
    assert.is((await admin.send(`${PAGE}/clear`, {}, { 'sec-fetch-site': 'same-origin' })).status, 200)
    assert.equal(await shown(admin), [])
  })

  pages('aggregates the time of all requests or of one route', async ({ site, admin }) => {
    await admin.send(`${PAGE}/clear`, {})
    for (let time = 0; time < 2; time += 1) await site.get(`/svc/v2/tags?time=${time}`)
    await site.get('/svc/v2/posts?time=3')
    const all = (await (await admin.open(`${PAGE}/flame`)).json()) as Profile
    assert.is(all.requests, 3)
    assert.ok(
      all.all.parts.some(
        ({ kind, name: stepName, plugin }) =>
          kind === 'handler' && stepName === 'GET /svc/v2/tags' && plugin === 'terms',
      ),
    )
    const terms = all.plugins.find(({ plugin }) => plugin === 'terms')!
    assert.ok(terms.total >= terms.self && terms.statements > 0)
    const route = encodeURIComponent('GET /svc/v2/tags')
    const one = (await (await admin.open(`${PAGE}/flame?route=${route}`)).json()) as Profile
    assert.is(one.requests, 2)
    assert.ok(one.all.total < all.all.total)
  })

  pages.run()
}

interface Profile {
  requests: number
  all: { total: number; parts: { kind: string; name: string; plugin: string | null }[] }
  plugins: { plugin: string; total: number; self: number; statements: number }[]
}

const others = suite('trace page of a site')

others('responds 404 if tracing is off or the login plugin is missing', async () => {
  await using site = await serve({ plugins: { admin: false } })
  assert.is((await site.get(`${site.home}${PAGE}`)).status, 404)
  await using without = await serve({
    trace: true,
    plugins: { login: false, admin: false, editor: false, 'editor-ajax': false },
  })
  assert.is((await without.get(`${without.home}${PAGE}`)).status, 404)
})

others('is below the admin path of the configured word', async () => {
  await using site = await serve({ trace: true, word: 'wp' })
  assert.is((await site.get(`${site.home}/wp-admin/trace`)).status, 302)
  assert.is((await site.get(`${site.home}${PAGE}`)).status, 404)
})

/** Every response of the page has these headers. */
others('forbids caches, frames and other sites in every response', async () => {
  await using site = await serveWithUsers(filePlace, { trace: true })
  const admin = browse(site)
  await admin.logIn('admin', 'pass phrase of admin')
  for (const part of ['', '/requests', '/flame', '/trace.js', '/trace.css', '/nothing', '/clear', '/requests/999']) {
    for (const browser of part === '' ? [admin] : [admin, browse(site)]) {
      const { headers } = await browser.open(`${PAGE}${part}`, { headers: { origin: 'https://elsewhere.test' } })
      const values = ['x-frame-options', 'cross-origin-resource-policy', 'access-control-allow-origin', 'etag'].map(
        (name) => headers.get(name),
      )
      assert.equal(values, ['DENY', 'same-origin', null, null], part)
      assert.match(headers.get('content-security-policy')!, "frame-ancestors 'none'")
      assert.match(headers.get('cache-control')!, /no-store, private$/)
    }
  }
})

others('limits the steps, characters and values of a request, and excludes the time of recording', async () => {
  const waking = Promise.withResolvers<void>()
  const busy = definePlugin({
    name: 'busy',
    apply({ hooks }) {
      hooks.rest_api_init.tap('busy', (server) => {
        const open = { permission_callback: () => true }
        server.registerRoute('busy/v1', 'it', { ...open, callback: () => ({ it: 1 }) })
        server.registerRoute('busy/v1', 'many', {
          ...open,
          callback: async () => {
            for (let time = 0; time < 300; time += 1) await server.dispatch('/busy/v1/it')
            // Continues after the response has been sent.
            void waking.promise.then(() => server.dispatch('/busy/v1/it'))
            return 'done'
          },
        })
        server.registerRoute('busy/v1', 'large', {
          ...open,
          callback: () => Array.from({ length: 20_000 }, (_, at) => ({ at })),
        })
      })
      for (let time = 0; time < 10; time += 1) {
        hooks.rest_pre_dispatch.tap({ name: `many-${time}` }, (early) => early)
        hooks.rest_pre_echo_response.tap({ name: `large-${time}` }, (data, _server, { query }) => {
          if (query['wide'] === undefined) return data
          return Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`k${at}`, `${time}${'x'.repeat(3000)}`]))
        })
      }
    },
  })
  await using site = await serveWithUsers(filePlace, { trace: true, add: [busy] })
  const admin = browse(site)
  await admin.logIn('admin', 'pass phrase of admin')
  await site.get('/busy/v1/many')
  const many = await latest(admin, 'many')
  assert.is(many.steps.length, 2000)
  assert.ok(many.unlisted > 1000)
  const unlisted = many.unlisted
  waking.resolve()
  await site.get('/busy/v1/it?wide')
  const wide = await latest(admin, 'wide')
  const changes = wide.steps.flatMap(({ changed = [] }) => changed)
  assert.ok(changes.length > 20 && wide.text <= 262_144, String(wide.text))
  assert.ok(changes.every(({ before, after }) => Math.max(before?.length ?? 0, after?.length ?? 0) <= 2001))
  assert.ok(wide.steps.every(({ changed = [] }) => changed.length <= 20))
  const left = wide.steps.filter(({ name }) => name.startsWith('large-')).map(({ unlisted: more }) => more ?? 0)
  assert.ok(
    left.every((more) => more >= 10),
    String(left),
  )
  assert.is((await latest(admin, 'many')).unlisted, unlisted)
  // Copying this value takes far longer than its taps. One request of five must show that, because garbage collection
  // can delay the others.
  const shares: { ofTaps: number; ofHook: number }[] = []
  for (let sent = 0; sent < 5; sent += 1) {
    const started = performance.now()
    await site.get('/busy/v1/large')
    const waited = performance.now() - started
    const { steps } = await latest(admin, 'large')
    const taps = steps.filter(({ plugin, kind }) => plugin === 'busy' && kind === 'tap')
    const around = steps.find(({ name }) => name === 'rest_pre_echo_response')!
    shares.push({ ofTaps: taps.reduce((sum, { ms }) => sum + ms!, 0) / waited, ofHook: around.ms! / waited })
  }
  assert.ok(
    shares.some(({ ofTaps, ofHook }) => Math.max(ofTaps, ofHook) < 1 / 4),
    JSON.stringify(shares),
  )
})

others.run()

// The unmodified npm client `@wordpress/api-fetch`, as in a page of a site with its word.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import imported from '@wordpress/api-fetch'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { browse, type Browser } from '../helpers/browser.ts'
import { serve, type Site } from '../helpers/site.ts'

// Its types are those of a CommonJS module, which it is not where it is imported.
const apiFetch = imported as unknown as typeof imported.default

interface Context {
  site: Site
  browser: Browser
  uploads: string
  nonce: ReturnType<typeof apiFetch.createNonceMiddleware>
  /** Sent requests: method and path. */
  requests: string[]
  /** Restores the `fetch` of the process. */
  restore: () => void
}

const client = suite<Context>('client api-fetch')

interface Post {
  id: number
  title: { raw: string }
  status: string
}

client.before(async (context) => {
  const uploads = await mkdtemp(join(tmpdir(), 'client-'))
  const site = await serve({ word: 'wp', uploads, plugins: { login: {} } })
  const { users } = site.kernel.services
  const roles = ['administrator']
  await users.create({ login: 'admin', email: 'admin@mail.example', password: 'a pass phrase', roles })
  const rows = Array.from({ length: 250 }, (_, at) => ({
    status: 'publish',
    title: `Post ${at}`,
    slug: `post-${at}`,
    date: '2025-01-01 10:00:00',
    date_gmt: '2025-01-01 10:00:00',
  }))
  await site.store.run(site.store.db.insertInto('posts').values(rows))
  const browser = browse(site)
  assert.is((await browser.logIn('admin', 'a pass phrase')).status, 302)

  // Sends the cookies of the site, as a browser does.
  const own = globalThis.fetch
  const restore = () => {
    globalThis.fetch = own
    Reflect.deleteProperty(globalThis, 'window')
  }
  const requests: string[] = []
  globalThis.fetch = (input, init) => {
    const url = typeof input === 'string' ? input : input instanceof URL ? input.href : input.url
    requests.push(`${init?.method ?? 'GET'} ${url.replace(site.home, '')}`)
    const headers = new Headers(init?.headers)
    headers.set('cookie', browser.cookie)
    return own(url, { ...init, headers })
  }
  // One of its middlewares takes the classes of a page from here.
  Object.assign(globalThis, { window: { Response } })
  const nonce = apiFetch.createNonceMiddleware(await browser.nonce())
  apiFetch.use(apiFetch.createRootURLMiddleware(site.kernel.urls.rest()))
  apiFetch.use(nonce)
  apiFetch.nonceMiddleware = nonce
  apiFetch.nonceEndpoint = `${site.home}/wp-admin/admin-ajax.php?action=rest-nonce`
  Object.assign(context, { site, browser, uploads, nonce, requests, restore })
})

client.before.each(({ requests }) => void requests.splice(0))

client.after(async ({ site, uploads, restore }) => {
  restore?.()
  await site?.[Symbol.asyncDispose]()
  await rm(uploads, { recursive: true })
})

client('asks as the user who is logged in', async () => {
  const me = await apiFetch<{ slug: string; capabilities: object }>({ path: '/wp/v2/users/me?context=edit' })
  assert.is(me.slug.length > 0 && 'capabilities' in me, true)
})

client('takes a fresh nonce and tries again when its own is no good', async ({ nonce, requests }) => {
  nonce.nonce = 'stale'
  const posts = await apiFetch<Post[]>({ path: '/wp/v2/posts?context=edit&per_page=1' })
  assert.is(posts.length, 1)
  assert.match(nonce.nonce, /^[\w-]{6,}$/)
  assert.equal(
    requests.map((line) => line.split('?')[0]),
    ['GET /wp-json/wp/v2/posts', 'GET /wp-admin/admin-ajax.php', 'GET /wp-json/wp/v2/posts'],
  )
})

client('takes over the nonce of each answer', async ({ nonce, site, browser }) => {
  await apiFetch({ path: '/wp/v2/types' })
  const { headers } = await browser.api('/wp/v2/types', nonce.nonce)
  assert.is(headers.get('x-wp-nonce'), nonce.nonce)
  assert.is(site.kernel.config.word, 'wp')
})

client('gets everything for per_page=-1, following the links to the next page', async ({ requests }) => {
  const posts = await apiFetch<{ id: number }[]>({ path: '/wp/v2/posts?per_page=-1&_fields=id&orderby=id&order=asc' })
  assert.is(posts.length, 250)
  assert.is(new Set(posts.map(({ id }) => id)).size, 250)
  assert.is(requests.length, 3)
})

client('writes with POST in place of PUT and DELETE', async ({ requests }) => {
  const created = await apiFetch<Post>({
    path: '/wp/v2/posts',
    method: 'POST',
    data: { title: 'Made', status: 'draft' },
  })
  const changed = await apiFetch<Post>({
    path: `/wp/v2/posts/${created.id}`,
    method: 'PUT',
    data: { title: 'Changed' },
  })
  assert.equal([changed.title.raw, changed.status], ['Changed', 'draft'])
  const trashed = await apiFetch<Post>({ path: `/wp/v2/posts/${created.id}`, method: 'DELETE' })
  assert.is(trashed.status, 'trash')
  assert.ok(requests.every((line) => line.startsWith('POST ')))
})

client('sends a batch', async () => {
  const { responses } = await apiFetch<{ responses: { status: number; body: { name: string } }[] }>({
    path: '/batch/v1',
    method: 'POST',
    data: {
      validation: 'require-all-validate',
      requests: ['One', 'Two'].map((name) => ({ path: '/wp/v2/tags', body: { name } })),
    },
  })
  assert.equal(
    responses.map(({ status, body }) => [status, body.name]),
    [
      [201, 'One'],
      [201, 'Two'],
    ],
  )
})

client('uploads a file', async () => {
  const body = new FormData()
  body.append(
    'file',
    new Blob([Buffer.from('R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==', 'base64')]),
    'pixel.gif',
  )
  const created = await apiFetch<{ mime_type: string }>({ path: '/wp/v2/media', method: 'POST', body })
  assert.is(created.mime_type, 'image/gif')
})

client('tells errors as the REST API does', async () => {
  const failed = await apiFetch({ path: '/wp/v2/posts/99999' }).catch((error: unknown) => error)
  assert.equal((failed as { code: string; data: object }).code, 'rest_post_invalid_id')
  assert.equal((failed as { data: object }).data, { status: 404 })
})

client('reads what was preloaded in place of asking', async ({ site, requests }) => {
  const { preload, users } = site.kernel.services
  const path = '/wp/v2/types?context=edit'
  const map = await preload([path, ['/wp/v2/posts', 'OPTIONS']], await users.current(1))
  const preloading = apiFetch.createPreloadingMiddleware(map as never)
  apiFetch.use(preloading)
  try {
    assert.ok('post' in (await apiFetch<object>({ path })))
    const described = await apiFetch<unknown, false>({ path: '/wp/v2/posts', method: 'OPTIONS', parse: false })
    assert.match(described.headers.get('allow')!, 'POST')
    assert.equal(requests, [])
  } finally {
    ;(apiFetch as unknown as { unregister?: (one: unknown) => void }).unregister?.(preloading)
  }
})

client.run()

// The npm client `wpapi`, unmodified, against a site whose word is that of the client.
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serve, type Site } from '../helpers/site.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- the client has no types
type Client = any

// oxlint-disable-next-line typescript/no-unsafe-assignment -- the client has no types
const WPAPI: Client = createRequire(import.meta.url)('wpapi')

const client = suite<{ site: Site; api: Client; visitor: Client; uploads: string }>('client wpapi')

/** The client and its warnings during the discovery of the REST API: it warns and falls back if discovery fails. */
async function discover(home: string): Promise<{ api: Client; warnings: unknown[] }> {
  const warnings: unknown[] = []
  const { error, warn } = console
  console.error = console.warn = (...messages: unknown[]) => void warnings.push(...messages)
  try {
    return { api: await WPAPI.discover(home), warnings }
  } finally {
    Object.assign(console, { error, warn })
  }
}

/** Returns the code of the error with which a request fails. */
const codeOf = (request: Promise<unknown>): Promise<string> =>
  request.then(
    () => 'no error',
    (error: { code: string }) => error.code,
  )

client.before(async (context) => {
  const uploads = await mkdtemp(join(tmpdir(), 'client-'))
  const site = await serve({ word: 'wp', uploads })
  Object.assign(context, { site, uploads })
  const { users, applicationPasswords } = site.kernel.services
  const { id } = await users.create({
    login: 'admin',
    email: 'admin@mail.example',
    name: 'Admin',
    roles: ['administrator'],
  })
  const { password } = await applicationPasswords.create(id, { name: 'client', scopes: ['accounts'] })
  for (let number = 1; number <= 5; number += 1) {
    const date = `2025-01-0${number} 10:00:00`
    const post = {
      status: 'publish',
      title: `Post ${number}`,
      slug: `post-${number}`,
      author_id: id,
      date,
      date_gmt: date,
    }
    await site.store.run(site.store.db.insertInto('posts').values(post))
  }
  const { api } = await discover(site.home)
  context.visitor = api
  context.api = new WPAPI({ endpoint: site.kernel.urls.rest(), username: 'admin', password })
})

client.after(async ({ site, uploads }) => {
  await site?.[Symbol.asyncDispose]()
  await rm(uploads, { recursive: true })
})

client('discovers the REST API, and understands every route of it', async ({ site, visitor }) => {
  const { api, warnings } = await discover(site.home)
  assert.equal(warnings, [])
  assert.is(api._options.endpoint, `${site.home}/wp-json/`)
  for (const resource of [
    'posts',
    'pages',
    'categories',
    'tags',
    'users',
    'comments',
    'media',
    'types',
    'themes',
    'search',
  ]) {
    assert.type(visitor[resource], 'function', resource)
  }
})

client('discovers it under the word svc too, where the relation URL is the one it looks for', async () => {
  await using site = await serve({ relation_uri: 'https://api.w.org/' })
  const { api, warnings } = await discover(site.home)
  assert.equal(warnings, [])
  assert.equal(await api.namespace('svc/v2').types().type('post').param('_fields', 'slug'), { slug: 'post' })
})

client('lists, narrows and pages through', async ({ visitor }) => {
  const slugs: string[] = []
  let page = await visitor.posts().perPage(2).order('asc').get()
  assert.equal([page._paging.total, page._paging.totalPages], [5, 3])
  for (;;) {
    slugs.push(...page.map((post: { slug: string }) => post.slug))
    if (!page._paging.next) break
    page = await page._paging.next.get()
  }
  assert.equal(slugs, ['post-1', 'post-2', 'post-3', 'post-4', 'post-5'])
  const found = await visitor.posts().slug('post-3').get()
  assert.is(found[0].title.rendered, 'Post 3')
})

client('embeds', async ({ visitor }) => {
  const [post] = await visitor.posts().perPage(1).embed()
  assert.is(post._embedded.author[0].name, 'Admin')
})

client('tells errors by their code', async ({ visitor }) => {
  assert.is(await codeOf(visitor.posts().id(9999).get()), 'rest_post_invalid_id')
  assert.is(await codeOf(visitor.posts().perPage(101).get()), 'rest_invalid_param')
  assert.is(await codeOf(visitor.posts().page(9).get()), 'rest_post_invalid_page_number')
  assert.is(await codeOf(visitor.users().me().get()), 'rest_not_logged_in')
  assert.is(
    await codeOf(visitor.users().create({ username: 'a', email: 'a@mail.example', password: 'b' })),
    'rest_cannot_create_user',
  )
})

client('asks for headers alone', async ({ visitor }) => {
  assert.is((await visitor.posts().headers())['x-wp-total'], '5')
})

client('creates, updates and deletes a user', async ({ api }) => {
  const created = await api
    .users()
    .create({ username: 'bea', email: 'bea@mail.example', password: 'a pass phrase', roles: ['author'] })
  assert.equal([created.username, created.roles], ['bea', ['author']])
  const changed = await api.users().id(created.id).update({ first_name: 'Bea', description: 'Writes.' })
  assert.equal([changed.first_name, changed.description], ['Bea', 'Writes.'])
  const deleted = await api.users().id(created.id).delete({ force: true, reassign: 0 })
  assert.equal([deleted.deleted, deleted.previous.username], [true, 'bea'])
  assert.is(await codeOf(api.users().id(created.id).get()), 'rest_user_invalid_id')
})

client('creates, updates, trashes and deletes a post', async ({ api, visitor }) => {
  const tag = await api.tags().create({ name: 'Fresh' })
  const created = await api
    .posts()
    .create({ title: 'Made', content: '<p>By a client.</p>', status: 'publish', tags: [tag.id] })
  assert.is((await visitor.posts().id(created.id)).content.rendered.trim(), '<p>By a client.</p>')
  const changed = await api.posts().id(created.id).update({ title: 'Changed' })
  assert.is(changed.title.raw, 'Changed')
  assert.is((await api.posts().id(created.id).delete()).status, 'trash')
  assert.is((await api.posts().id(created.id).delete({ force: true })).deleted, true)
  assert.is(await codeOf(visitor.posts().id(created.id).get()), 'rest_post_invalid_id')
})

client('uploads a file', async ({ api }) => {
  const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==', 'base64')
  const created = await api.media().file(pixel, 'pixel.gif').create({ title: 'A pixel', alt_text: 'One pixel' })
  assert.equal([created.mime_type, created.title.raw, created.alt_text], ['image/gif', 'A pixel', 'One pixel'])
  assert.match(created.source_url, /\/pixel\.gif$/)
})

client.run()

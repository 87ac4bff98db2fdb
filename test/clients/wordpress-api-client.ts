// The npm client `wordpress-api-client`, unmodified. It writes a slash before each query, and a JSON content type always.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import imported from 'wordpress-api-client'
import { LOGIN, serveClient, type ClientSite } from './site.ts'

// What it exports is that of a CommonJS module.
const WpApiClient = (imported as unknown as { default: typeof imported }).default

// oxlint-disable-next-line typescript/no-explicit-any -- its types are those of an old package
type Client = any

const client = suite<{ site: ClientSite; visitor: Client; admin: Client }>('client wordpress-api-client')

client.before(async (context) => {
  const site = await serveClient()
  const auth = { type: 'basic', username: LOGIN, password: site.applicationPassword } as const
  Object.assign(context, { site, visitor: new WpApiClient(site.home), admin: new WpApiClient(site.home, { auth }) })
})

client.after(async ({ site }) => {
  await site?.[Symbol.asyncDispose]()
})

const titles = (posts: { title: { rendered: string } }[]) => posts.map(({ title }) => title.rendered)

client('finds posts, pages and what belongs to them', async ({ visitor }) => {
  const found = await visitor.post().find(new URLSearchParams({ per_page: '2', order: 'asc' }))
  assert.equal(titles(found), ['Post 1', 'Post 2'])
  const [one] = await visitor.post().find(found[0].id)
  assert.is(one._embedded.author[0].name, 'Admin')
  assert.equal(titles(await visitor.page().find()), ['About us'])
})

client('makes, changes and deletes a post, and reads its revisions', async ({ admin }) => {
  const created = await admin.post().create({ title: { raw: 'Made' }, content: { raw: 'One' }, status: 'draft' })
  const changed = await admin.post().update({ content: { raw: 'Two' } }, created.id)
  assert.match(changed.content.rendered, /Two/)
  assert.ok((await admin.post().revision(created.id).find()).length > 0)
  const [deleted] = await admin.post().delete(created.id)
  assert.is(deleted.status ?? deleted.previous?.status, 'trash')
})

client('makes terms and deletes them', async ({ admin }) => {
  for (const terms of [admin.postTag(), admin.postCategory()]) {
    const { id } = await terms.create({ name: 'Here' })
    assert.ok(id > 0)
    assert.equal(await terms.delete(id).then(([{ deleted }]: { deleted: boolean }[]) => deleted), true)
  }
})

client('uploads a file as a body, then describes it', async ({ admin }) => {
  const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==', 'base64')
  const created = await admin.media().create('pixel.gif', gif, 'image/gif', { alt_text: 'A pixel' })
  assert.equal([created.mime_type, created.alt_text], ['image/gif', 'A pixel'])
  assert.is((await admin.media().delete(created.id))[0].deleted, true)
})

client('writes comments and users', async ({ admin, visitor }) => {
  const [post] = await visitor.post().find()
  const comment = await admin.comment().create({ post: post.id, content: { raw: 'Well said' } })
  assert.is(comment.post, post.id)
  const user = await admin.user().create({ username: 'ann', email: 'ann@mail.example', password: 'a pass phrase' })
  assert.is((await admin.user().findMe()).name, 'Admin')
  assert.is((await admin.user().delete(1, user.id))[0].deleted, true)
})

client('makes reusable blocks, and renders a block of core', async ({ admin }) => {
  const block = await admin
    .reusableBlock()
    .create({ title: { raw: 'Block' }, content: { raw: '<p>Text</p>' }, status: 'publish' })
  assert.is(block.type, 'wp_block')
  const { rendered } = await admin.renderedBlock({ name: 'core/archives', attributes: {}, context: 'edit' })
  assert.match(rendered, /wp-block-archives/)
  assert.ok((await admin.blockType()).length > 50)
})

client('searches, and reads statuses, taxonomies, themes, plugins and settings', async ({ admin, visitor }) => {
  assert.is((await visitor.search('Post 3')).length, 1)
  assert.ok('publish' in (await visitor.status()))
  assert.is((await visitor.taxonomy('category'))[0].slug, 'category')
  assert.is((await admin.theme())[0].status, 'active')
  assert.ok((await admin.plugin().find()).length > 0)
  assert.type((await admin.siteSettings().find()).title, 'string')
})

client('is told what it may not do', async ({ visitor }) => {
  const error = await visitor
    .post()
    .create({ title: { raw: 'No' } })
    .then(
      () => null,
      (cause: Error) => cause,
    )
  assert.match(String(error?.message), /rest_cannot_create|401/)
})

client.run()

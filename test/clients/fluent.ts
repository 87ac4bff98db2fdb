// The unmodified npm client `fluent-wp-client`. It validates responses with its own schemas.
import { postSchema, pageSchema, settingsSchema, WordPressClient } from 'fluent-wp-client'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LOGIN, serveClient, type ClientSite } from './site.ts'

const client = suite<{ site: ClientSite; visitor: WordPressClient; admin: WordPressClient }>('client fluent-wp-client')

client.before(async (context) => {
  const site = await serveClient()
  const auth = { username: LOGIN, password: site.applicationPassword }
  context.site = site
  context.visitor = new WordPressClient({ baseUrl: site.home })
  context.admin = new WordPressClient({ baseUrl: site.home, auth })
})

client.after(async ({ site }) => {
  await site?.[Symbol.asyncDispose]()
})

client('lists posts by pages, and all of them', async ({ visitor }) => {
  const page = await visitor.getPostsPaginated({ perPage: 2, page: 2, order: 'asc' })
  assert.equal([page.data.length, page.total, page.totalPages], [2, 5, 3])
  assert.is((await visitor.getAllPosts()).length, 5)
  assert.is((await visitor.getPages()).length, 1)
})

client('finds a post by its slug, checks it, and reads its blocks', async ({ admin, visitor }) => {
  const post = await visitor.getPostBySlug('post-3')
  assert.is(post?.title.rendered, 'Post 3')
  const result = await postSchema['~standard'].validate(post)
  assert.is(result.issues, undefined)
  const blocks = await admin.getPostBySlug('post-3').getBlocks()
  assert.is(blocks?.[0]?.blockName, 'core/paragraph')
})

client('reads posts with what they are related to', async ({ visitor }) => {
  const post = await visitor.post('post-3').with('author', 'categories').get()
  assert.is(post.related.author?.name, 'Admin')
})

client('makes, changes and deletes posts, pages, terms and comments', async ({ admin }) => {
  const post = await admin.createPost({ title: 'Made', status: 'draft' })
  assert.is((await admin.updatePost(post.id, { title: 'Changed' })).title.rendered, 'Changed')
  const page = await admin.createPage({ title: 'Page', status: 'publish', comment_status: 'open' }, pageSchema)
  assert.is((page as { type: string }).type, 'page')
  const tag = await admin.createTag({ name: 'Tag' })
  assert.is((await admin.updateTag(tag.id, { name: 'Other' })).name, 'Other')
  const comment = await admin.createComment({ post: page.id, content: 'Well said' })
  for (const { deleted } of [
    await admin.deleteComment(comment.id, { force: true }),
    await admin.deleteTag(tag.id, { force: true }),
    await admin.deletePage(page.id, { force: true }),
    await admin.deletePost(post.id, { force: true }),
  ]) {
    assert.is(deleted, true)
  }
})

client('reads and writes settings', async ({ admin }) => {
  const settings = await admin.getSettings()
  assert.is((await settingsSchema['~standard'].validate(settings)).issues, undefined)
  assert.is((await admin.updateSettings({ title: 'Garden' })).title, 'Garden')
})

client('makes and deletes terms of any taxonomy and items of any type', async ({ admin }) => {
  const created = await admin.createTerm('categories', { name: 'Here' })
  assert.is((await admin.getTermBySlug('categories', 'here'))?.id, created.id)
  const menu = await admin.createTerm('menus', { name: 'Main' })
  assert.is((await admin.deleteTerm('menus', menu.id, { force: true })).deleted, true)
})

client('discovers abilities, and runs one', async ({ admin }) => {
  const abilities = await admin.getAbilities()
  assert.ok(abilities.some(({ name }) => name === 'core/get-site-info'))
  assert.ok((await admin.getAbilityCategories()).length > 0)
  assert.type(await admin.executeGetAbility('core/get-site-info'), 'object')
})

client('is told what it may not do', async ({ visitor }) => {
  const error = await visitor.createPost({ title: 'No' }).then(
    () => null,
    (cause: { status: number }) => cause,
  )
  assert.is(error?.status, 401)
})

client.run()

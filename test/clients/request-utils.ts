// `RequestUtils` of the npm package `@wordpress/e2e-test-utils-playwright`, unmodified: what end-to-end tests of the editor
// prepare their site with.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LOGIN, PASSWORD, serveClient, type ClientSite } from './site.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- its types are of a project that runs its own runner
type RequestUtils = any

const client = suite<{ site: ClientSite; utils: RequestUtils }>('client RequestUtils')

client.before(async (context) => {
  const site = await serveClient()
  context.site = site
  // It takes the site from the environment, when it is loaded.
  process.env['WP_BASE_URL'] = `${site.home}/`
  const { RequestUtils } = (await import('@wordpress/e2e-test-utils-playwright')) as { RequestUtils: RequestUtils }
  context.utils = await RequestUtils.setup({
    baseURL: `${site.home}/`,
    user: { username: LOGIN, password: PASSWORD },
  })
})

client.after(async ({ site, utils }) => {
  await utils?.request.dispose()
  await site?.[Symbol.asyncDispose]()
})

client('logs in and finds the REST API', async ({ site, utils }) => {
  const { nonce, rootURL } = await utils.setupRest()
  assert.match(nonce, /^[\w-]{6,}$/)
  assert.is(rootURL, `${site.home}/wp-json/`)
})

client('makes posts, and deletes all of them in batches', async ({ utils }) => {
  const post = await utils.createPost({ title: 'Made', content: 'Text', status: 'publish' })
  assert.is(post.title.raw, 'Made')
  assert.is(await utils.getMaxBatchSize(), 25)
  await utils.deleteAllPosts()
  assert.equal(await utils.rest({ path: '/wp/v2/posts' }), [])
})

client('makes pages and deletes them', async ({ utils }) => {
  assert.is((await utils.createPage({ title: 'Page', status: 'publish' })).type, 'page')
  await utils.deleteAllPages()
  assert.equal(await utils.rest({ path: '/wp/v2/pages' }), [])
})

client('makes patterns and their categories go', async ({ utils }) => {
  const block = await utils.createBlock({ title: 'Pattern', content: '<p>Text</p>', status: 'publish' })
  assert.is(block.type, 'wp_block')
  const category = await utils.rest({ method: 'POST', path: '/wp/v2/wp_pattern_category', data: { name: 'Mine' } })
  assert.is(category.slug, 'mine')
  await utils.deleteAllBlocks()
  await utils.deleteAllPatternCategories()
  assert.equal(await utils.rest({ path: '/wp/v2/wp_pattern_category' }), [])
})

client('makes comments and deletes them', async ({ utils }) => {
  const { id } = await utils.createPost({ title: 'Commented', status: 'publish' })
  const comment = await utils.createComment({ post: id, content: 'Well said' })
  assert.is(comment.post, id)
  await utils.deleteAllComments()
  assert.equal(await utils.rest({ path: '/wp/v2/comments' }), [])
})

client('makes menus and navigations, and deletes them', async ({ utils }) => {
  const navigation = await utils.createNavigationMenu({
    title: 'Navigation',
    content: '<!-- wp:navigation-link {"label":"Here","url":"https://site.example/"} /-->',
    attributes: { openSubmenusOnClick: false },
  })
  assert.ok(navigation.id > 0)
  const menu = await utils.createClassicMenu('Classic')
  assert.is((await utils.rest({ path: '/wp/v2/menu-items', params: { menus: menu.id } })).length, 1)
  assert.ok((await utils.getNavigationMenus()).length > 0)
  await utils.deleteAllMenus()
  assert.equal(await utils.rest({ path: '/wp/v2/menus' }), [])
  assert.equal(await utils.getNavigationMenus(), [])
})

client('makes templates and deletes them', async ({ utils }) => {
  const template = await utils.createTemplate('wp_template', { slug: 'mine', title: 'Mine', content: '<p>Text</p>' })
  assert.is(template.slug, 'mine')
  const isMine = (one: { slug: string }) => one.slug === 'mine'
  assert.ok((await utils.rest({ path: '/wp/v2/templates' })).some(isMine))
  await utils.deleteAllTemplates('wp_template')
  await utils.deleteAllTemplates('wp_template_part')
  assert.not((await utils.rest({ path: '/wp/v2/templates' })).some(isMine))
})

client('uploads media and deletes them', async ({ utils, site }) => {
  const file = join(site.kernel.config.uploads, '..', `pixel-${process.pid}.gif`)
  await writeFile(file, Buffer.from('R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==', 'base64'))
  const media = await utils.uploadMedia(file)
  assert.is(media.mime_type, 'image/gif')
  assert.is((await utils.listMedia()).length, 1)
  await utils.deleteAllMedia()
  assert.equal(await utils.listMedia(), [])
})

client('makes users and deletes all but its own', async ({ utils }) => {
  const user = await utils.createUser({
    username: 'gardener',
    email: 'gardener@mail.example',
    password: 'a pass phrase',
    roles: ['editor'],
  })
  assert.equal(user.roles, ['editor'])
  await utils.deleteAllUsers()
  assert.is((await utils.rest({ path: '/wp/v2/users' })).length, 1)
})

client('sets settings and preferences', async ({ utils }) => {
  assert.type((await utils.getSiteSettings()).title, 'string')
  assert.is((await utils.updateSiteSettings({ title: 'Garden' })).title, 'Garden')
  await utils.setPreferences('core/edit-post', { welcomeGuide: false })
  await utils.resetPreferences()
})

client('finds the styles of the theme, their revisions, and resets them', async ({ utils }) => {
  const id = await utils.getCurrentThemeGlobalStylesPostId()
  assert.ok(Number(id) > 0)
  assert.ok(Array.isArray(await utils.getThemeGlobalStylesRevisions(id)))
  await utils.resetThemeGlobalStyles()
})

client('finds no widgets to delete', async ({ utils }) => {
  await utils.deleteAllWidgets()
})

client('knows the plugins', async ({ utils }) => {
  assert.ok(Object.keys(await utils.getPluginsMap()).length > 0)
})

client.run()

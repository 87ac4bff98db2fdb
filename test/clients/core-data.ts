// The npm package `@wordpress/core-data`, unmodified, in a page of the site in Chromium: entities are resolved, edited and
// saved as the block editor does it.
import { build } from 'esbuild'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { chromiumPath, openWindow, startChromium, type Window } from '../helpers/chromium.ts'
import { LOGIN, PASSWORD, serveClient, type ClientSite } from './site.ts'

const client = suite<{ site: ClientSite; chromium: Browser; window: Window; page: Page }>('client core-data')

/** Bundles the package with its dependencies for a page. */
async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'page.js')],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'client',
    logLevel: 'error',
    define: {
      'process.env.NODE_ENV': '"production"',
      'globalThis.IS_GUTENBERG_PLUGIN': 'false',
      'globalThis.IS_WORDPRESS_CORE': 'true',
      'globalThis.SCRIPT_DEBUG': 'false',
    },
  })
  return outputFiles[0]!.text
}

client.before(async (context) => {
  assert.ok(chromiumPath, 'No Chromium here: install it, or name it in SVC_TEST_CHROMIUM.')
  context.site = await serveClient()
  context.chromium = await startChromium()
  context.window = await openWindow(context.chromium)
  context.page = context.window.page
  const { page, site } = context
  await page.goto(`${site.home}/wp-login.php`)
  await page.fill('[name=log]', LOGIN)
  await page.fill('[name=pwd]', PASSWORD)
  await page.press('[name=pwd]', 'Enter')
  await page.waitForURL((url) => !url.pathname.includes('wp-login'))
  // An empty page on the site's origin, without a policy that blocks scripts.
  await page.route(`${site.home}/editor`, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }),
  )
  await page.goto(`${site.home}/editor`)
  await page.addScriptTag({ content: await bundle() })
  await page.evaluate(async () => {
    const { apiFetch, coreData, data } = Reflect.get(globalThis, 'client')
    const nonce = await (await fetch('/wp-admin/admin-ajax.php?action=rest-nonce')).text()
    apiFetch.use(apiFetch.createRootURLMiddleware('/wp-json/'))
    apiFetch.use(apiFetch.createNonceMiddleware(nonce))
    Object.assign(globalThis, {
      resolved: data.resolveSelect(coreData.store),
      selected: data.select(coreData.store),
      dispatched: data.dispatch(coreData.store),
    })
  })
})

client.after(async ({ site, chromium }) => {
  await chromium?.close()
  await site?.[Symbol.asyncDispose]()
})

/** Calls a selector of the store and waits for its result. */
const resolve = (page: Page, name: string, ...args: unknown[]): Promise<any> =>
  page.evaluate(
    ([name, args]) => Reflect.get(globalThis, 'resolved')[name as string](...(args as unknown[])),
    [name, args],
  )

client('lists posts of all pages, and tells how many there are', async ({ page }) => {
  const posts = await resolve(page, 'getEntityRecords', 'postType', 'post', { per_page: 2, page: 2, order: 'asc' })
  assert.equal(
    posts.map((post: any) => post.title.raw),
    ['Post 3', 'Post 4'],
  )
  assert.is(
    await resolve(page, 'getEntityRecordsTotalItems', 'postType', 'post', { per_page: 2, page: 2, order: 'asc' }),
    5,
  )
})

client('saves a new post, edits it, and saves the edits', async ({ page }) => {
  const saved = await page.evaluate(async () => {
    const { dispatched, selected } = globalThis as any
    const created = await dispatched.saveEntityRecord('postType', 'post', {
      title: 'Made',
      status: 'draft',
      content: 'Text',
    })
    dispatched.editEntityRecord('postType', 'post', created.id, { title: 'Edited' })
    await dispatched.saveEditedEntityRecord('postType', 'post', created.id)
    const { title, status } = selected.getEntityRecord('postType', 'post', created.id)
    return { title: title.raw, status, error: selected.getLastEntitySaveError('postType', 'post', created.id) ?? null }
  })
  assert.equal(saved, { title: 'Edited', status: 'draft', error: null })
})

client('deletes a post, and is told why one cannot be', async ({ page }) => {
  const deleted = await page.evaluate(async () => {
    const { dispatched, selected } = globalThis as any
    const created = await dispatched.saveEntityRecord('postType', 'post', { title: 'Gone', status: 'draft' })
    await dispatched.deleteEntityRecord('postType', 'post', created.id, { force: true })
    await dispatched.deleteEntityRecord('postType', 'post', 99_999, { force: true })
    return selected.getLastEntityDeleteError('postType', 'post', 99_999)?.code
  })
  assert.is(deleted, 'rest_post_invalid_id')
})

client('knows what the user may do', async ({ page }) => {
  assert.is(await resolve(page, 'canUser', 'create', { kind: 'postType', name: 'page' }), true)
  assert.is(await resolve(page, 'canUser', 'update', { kind: 'root', name: 'site' }), true)
  assert.is((await resolve(page, 'getCurrentUser')).name, 'Admin')
})

client('knows types, taxonomies, statuses and settings', async ({ page }) => {
  assert.is((await resolve(page, 'getPostType', 'page')).rest_base, 'pages')
  assert.is((await resolve(page, 'getTaxonomy', 'category')).hierarchical, true)
  assert.ok((await resolve(page, 'getEntityRecords', 'root', 'status')).some((one: any) => one.slug === 'publish'))
  assert.type((await resolve(page, 'getEntityRecord', 'root', 'site')).title, 'string')
})

client('knows the theme and its styles', async ({ page }) => {
  assert.is((await resolve(page, 'getCurrentTheme')).status, 'active')
  const styles = await resolve(page, '__experimentalGetCurrentGlobalStylesId')
  assert.ok(Number(styles) > 0)
  assert.type((await resolve(page, '__experimentalGetCurrentThemeBaseGlobalStyles')).settings, 'object')
  assert.ok(Array.isArray(await resolve(page, '__experimentalGetCurrentThemeGlobalStylesVariations')))
})

client('knows patterns and their categories', async ({ page }) => {
  assert.ok(Array.isArray(await resolve(page, 'getBlockPatterns')))
  assert.ok(Array.isArray(await resolve(page, 'getBlockPatternCategories')))
  assert.ok(Array.isArray(await resolve(page, 'getUserPatternCategories')))
})

client('finds the template of a post', async ({ page }) => {
  const id = await resolve(page, 'getDefaultTemplateId', { slug: 'single' })
  assert.match(String(id), /^[\w-]+\/\/[\w-]+$/)
  const template = await resolve(page, 'getEntityRecord', 'postType', 'wp_template', id)
  assert.is(template.id, id)
})

client('finds the navigation that is used where none is chosen', async ({ page }) => {
  const path = '/wp-block-editor/v1/navigation-fallback?_embed=true'
  const { id } = await page.evaluate((path) => Reflect.get(globalThis, 'client').apiFetch({ path }), path)
  const navigation = await resolve(page, 'getEntityRecord', 'postType', 'wp_navigation', id)
  assert.is(navigation.id, id)
})

client('makes menus with items', async ({ page }) => {
  const menu = await page.evaluate(async () => {
    const { dispatched } = globalThis as any
    const created = await dispatched.saveEntityRecord('root', 'menu', { name: 'Main' })
    await dispatched.saveEntityRecord('root', 'menuItem', {
      menus: created.id,
      title: 'Here',
      url: 'https://site.example/here',
      status: 'publish',
      type: 'custom',
    })
    return created.id as number
  })
  const items = await resolve(page, 'getEntityRecords', 'root', 'menuItem', {
    menus: menu,
    per_page: 100,
    context: 'edit',
  })
  assert.equal(
    items.map((item: any) => item.title.raw),
    ['Here'],
  )
})

client('reads and reverts to revisions, and autosaves', async ({ page }) => {
  const counted = await page.evaluate(async () => {
    const { dispatched, resolved } = globalThis as any
    const created = await dispatched.saveEntityRecord('postType', 'post', {
      title: 'One',
      status: 'draft',
      content: 'One',
    })
    for (const content of ['Two', 'Three'])
      await dispatched.saveEntityRecord('postType', 'post', { id: created.id, content })
    const revisions = await resolved.getRevisions('postType', 'post', created.id, { per_page: 10 })
    await dispatched.saveEntityRecord('postType', 'post', { id: created.id, title: 'Later' }, { isAutosave: true })
    return revisions.length as number
  })
  assert.ok(counted >= 2)
})

client('fetches embeds and details of URLs without an error page', async ({ page }) => {
  const preview = await page.evaluate(() => (globalThis as any).resolved.getEmbedPreview('http://127.0.0.1:1/nothing'))
  assert.is(preview, false)
})

client.run()

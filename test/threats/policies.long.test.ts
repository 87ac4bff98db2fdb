import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../kernel/index.ts'
import { html } from '../../plugins/library/markup/index.ts'
import { useChromium } from '../helpers/chromium.ts'
import { addPosts } from '../helpers/content.ts'
import { logInByKeyboard } from '../helpers/log-in.ts'
import { until } from '../helpers/until.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../helpers/site-with-users.ts'

const policies = suite('content security policies')
const { inBrowser, openWindow } = useChromium(policies)
const { place } = databases[0]!

/** Blocks that style their elements by attributes and classes. */
const BLOCKS = `<!-- wp:paragraph {"style":{"color":{"text":"#ff0000"}}} -->
<p class="has-text-color" style="color:#ff0000" id="styled">Red.</p>
<!-- /wp:paragraph -->
<!-- wp:columns --><div class="wp-block-columns"><!-- wp:column {"width":"30%"} -->
<div class="wp-block-column" style="flex-basis:30%">Left</div><!-- /wp:column --></div><!-- /wp:columns -->
<!-- wp:cover {"customOverlayColor":"#112233"} --><div class="wp-block-cover"><span aria-hidden="true" class="wp-block-cover__background" style="background-color:#112233"></span><div class="wp-block-cover__inner-container">Cover</div></div><!-- /wp:cover -->
<!-- wp:spacer {"height":"40px"} --><div style="height:40px" aria-hidden="true" class="wp-block-spacer"></div><!-- /wp:spacer -->
<!-- wp:latest-posts /--><!-- wp:calendar /--><!-- wp:search {"label":"Find"} /--><!-- wp:loginout /-->`

const INJECTED = '<style>#injected { color: rgb(1, 2, 3) }</style><p id="injected">Injected.</p>'

/** Adds styles in each of the ways that pages of the site have for plugins. */
const styled = definePlugin({
  name: 'styled',
  needs: ['site-pages'],
  apply({ hooks }) {
    hooks.site_head.tap('styled', (elements) => [
      ...elements,
      { element: 'style', css: '.by-head {\r\n color: rgb(4, 5, 6) } /* </style><b> */' },
    ])
    hooks.site_body_end.tap('styled', (pieces) => [
      ...pieces,
      html`<style media="all">
          .by-body {
            color: rgb(7, 8, 9);
          }
        </style>
        <p class="by-head">Head</p>
        <p class="by-body">Body</p>`,
    ])
  },
})

/** Collects what policies refuse on all pages of a window from here on. */
async function violationsOf(page: Page): Promise<string[]> {
  const found: string[] = []
  await page.exposeFunction('reportViolation', (text: string) => void found.push(text))
  await page.addInitScript(`
    addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, documentURI }) =>
      reportViolation([effectiveDirective, blockedURI, documentURI].join(' ')))`)
  return found
}

/** A computed property of the element of a selector. */
const styleOf = (page: Page, selector: string, property: string) =>
  page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)}))[${JSON.stringify(property)}]`)
const colorOf = (page: Page, selector: string) => styleOf(page, selector, 'color')

async function addContent({ store, users }: SiteWithUsers): Promise<void> {
  const day = '2024-05-06 10:00:00'
  await addPosts(
    store,
    { title: 'Blocks', slug: 'blocks', content: BLOCKS, date: day, comment_status: 'open', author_id: users.ann },
    { title: 'Injected', slug: 'injected', content: INJECTED, date: day, author_id: users.admin },
    { title: 'Shut', slug: 'shut', password: 'word', date: day },
    { title: 'About', slug: 'about', type: 'page', content: BLOCKS },
  )
}

/** Leaves out what a browser writes of the status of a page. */
const policyErrors = (complaints: readonly string[]) =>
  complaints.filter((text) => /polic|refused to/i.test(text) && !/status of \d+/.test(text))

inBrowser('S33: allow the blocks, forms, embeds and plugin styles of site pages', async () => {
  await using site = await serveWithUsers(place, { add: [styled] })
  await addContent(site)
  await using window = await openWindow()
  const { page } = window
  const violations = await violationsOf(page)
  const paths = [
    '/',
    '/2024/05/06/blocks/',
    '/2024/05/06/shut/',
    '/about/',
    '/2024/05/',
    '/author/ann-w/',
    '/?s=blocks',
    '/nothing/',
    '/2024/05/06/blocks/embed/',
    '/svc-login',
    '/feed/',
  ]
  // Twice: the second time from the cache.
  for (const path of [...paths, ...paths]) {
    await page.goto(`${site.home}${path}`).catch((error: Error) => {
      // Chromium saves feeds.
      if (!/ERR_ABORTED|Download is starting/.test(error.message)) throw error
    })
    if (path !== '/2024/05/06/blocks/') continue
    assert.is(await colorOf(page, '#styled'), 'rgb(255, 0, 0)')
    assert.is(await colorOf(page, '.by-head'), 'rgb(4, 5, 6)')
    assert.is(await colorOf(page, '.by-body'), 'rgb(7, 8, 9)')
    assert.is(await styleOf(page, '.skip-link', 'position'), 'absolute')
  }
  assert.equal([violations, policyErrors(window.complaints)], [[], []])
})

inBrowser('S31: block style elements in content', async () => {
  await using site = await serveWithUsers(place)
  await addContent(site)
  await using window = await openWindow()
  const { page } = window
  const violations = await violationsOf(page)
  await page.goto(`${site.home}/2024/05/06/injected/`)
  assert.is.not(await colorOf(page, '#injected'), 'rgb(1, 2, 3)')
  assert.match(violations.join(), 'style-src-elem inline')
})

inBrowser(
  'S33: allow the scripts and styles of the admin, the login form and the front page without a theme',
  async () => {
    await using site = await serveWithUsers(place)
    await addContent(site)
    await using window = await openWindow()
    const { page } = window
    const violations = await violationsOf(page)
    await logInByKeyboard(page, `${site.home}/svc-admin/`, 'admin')
    const { store } = site
    const { id } = (await store.first(store.db.selectFrom('posts').select('id').where('slug', '=', 'blocks')))!
    const paths = [
      '',
      'account',
      'users',
      'users/new',
      `users/${site.users.ann}`,
      'users/roles',
      'settings/general',
      'settings/permalinks',
      'appearance',
      'menus',
      'media',
      'comments',
      'content/post',
      'content/post/new',
      `content/post/${id}`,
      'terms/category',
      'plugins',
      'jobs',
      'import',
      'nothing',
      'authorize-application?app_name=x',
    ]
    for (const path of paths) await page.goto(`${site.home}/svc-admin/${path}`)
    for (const path of ['/', '/2024/05/06/blocks/', '/svc-login?action=logout']) await page.goto(`${site.home}${path}`)
    await store.run(store.db.updateTable('sessions').set({ confirmed: 0 }))
    await page.goto(`${site.home}/svc-admin/account`)
    await page.getByLabel('Application name').fill('phone')
    await page.getByRole('button', { name: 'Add application password' }).click()
    await page.getByLabel('Current password').fill('pass phrase of admin')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.locator('.secret').waitFor()
    await using bare = await serveWithUsers(place, { plugins: { 'site-pages': false } })
    await page.goto(bare.home)
    assert.is(await styleOf(page, 'h1', 'fontFamily'), 'system-ui, sans-serif')
    assert.equal([violations, policyErrors(window.complaints)], [[], []])
  },
)

inBrowser(
  'S33: allow the authorization form to redirect to its application, and block forms of other sites',
  async () => {
    await using site = await serveWithUsers(place)
    const program = createServer((_request, response) => response.end('Back.')).listen(0, '127.0.0.1')
    await once(program, 'listening')
    const back = `http://127.0.0.1:${(program.address() as AddressInfo).port}/`
    try {
      await using window = await openWindow()
      const { page } = window
      const violations = await violationsOf(page)
      const path = '/svc-admin/authorize-application?app_name=Phone'
      await logInByKeyboard(page, `${site.home}${path}`, 'admin')
      await page.goto(`${site.home}${path}&success_url=${encodeURIComponent(back)}`)
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.waitForURL(`${back}?*`)
      assert.equal(violations, [])

      await page.goto(`${site.home}/svc-login?action=logout`)
      await page.locator('form').evaluate((form, url) => ((form as unknown as { action: string }).action = url), back)
      await page.getByRole('button', { name: 'Log out' }).dispatchEvent('click')
      await until(() => violations.length > 0)
      assert.match(violations.join(), 'form-action')
    } finally {
      program.close()
    }
  },
)

policies.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { preferredLocale } from '../../../../../plugins/site/admin/pages/welcome/preferred-locale.ts'
import { sendForm } from '../../../../helpers/admin-forms.ts'
import { browse, type Browser } from '../../../../helpers/browser.ts'
import { newSite, type NewSite } from '../../../../helpers/new-site.ts'
import { as, type Site } from '../../../../helpers/site.ts'
import { serveWithUsers } from '../../../../helpers/site-with-users.ts'
import { filePlace } from '../../../../helpers/stores.ts'

const setup = suite('setup of a new site')

const at = (step: string) => `/svc-admin/welcome/${step}`

async function owner({ site, password }: NewSite): Promise<Browser> {
  const browser = browse(site)
  await browser.logIn('admin', password)
  return browser
}

async function openText(browser: Browser, path: string): Promise<string> {
  const response = await browser.open(path)
  assert.is(response.status, 200, path)
  return response.text()
}

/** Sends the form of a step, and returns the status, the text, and the path of the redirect. */
async function send(site: Site, browser: Browser, step: string, form: Readonly<Record<string, string>>) {
  const { response, text } = await sendForm(browser, at(step), form)
  return [response.status, response.headers.get('location')?.slice(site.home.length) ?? text] as const
}

const stateOf = async ({ kernel }: Site) => (await kernel.services.options.fresh(['site_setup']))['site_setup']

setup('opens once, after the first log-in of an administrator, and continues from the dashboard', async () => {
  const created = await newSite()
  await using site = created.site
  const ed = browse(site)
  await site.kernel.services.users.create({
    ...(await site.kernel.services.users.secured({ password: 'pass phrase of ed' })),
    login: 'ed',
    email: 'ed@mail.example',
    name: 'Ed',
    slug: 'ed',
    roles: ['editor'],
  })
  await ed.logIn('ed', 'pass phrase of ed')
  const dashboard = await openText(ed, '/svc-admin/')
  assert.not.match(dashboard, 'Set up your site')
  assert.is((await ed.open(at('site'))).status, 403)
  // An editor neither sees nor starts the setup.
  assert.equal(await stateOf(site), { status: 'new', steps: [] })
  // Adding a user changes the site.
  const admin = await owner(created)
  assert.not.match(await openText(admin, '/svc-admin/'), 'Set up your site')
  assert.equal(await stateOf(site), { status: 'done', steps: [] })
})

setup('continues from the dashboard until all steps are done or skipped, and can be dismissed', async () => {
  const created = await newSite()
  await using site = created.site
  const admin = await owner(created)
  const first = await admin.open('/svc-admin/')
  assert.equal([first.status, first.headers.get('location')], [303, site.home + at('site')])
  assert.match(await openText(admin, at('site')), 'Step 1 of 5')
  assert.match(await openText(admin, '/svc-admin/'), '0 of 5 steps done.')
  assert.equal(await send(site, admin, 'site', { do: 'skip' }), [303, at('appearance')])
  assert.equal(await send(site, admin, 'content', { do: 'skip' }), [303, at('account')])
  const dashboard = await openText(admin, '/svc-admin/')
  assert.match(dashboard, '2 of 5 steps done.')
  assert.match(dashboard, `${site.home}${at('appearance')}">Continue setup`)
  assert.equal(await send(site, admin, 'post', { do: 'skip' }), [303, at('appearance')])
  for (const [step, next] of [
    ['appearance', at('account')],
    ['account', '/svc-admin/'],
  ] as const)
    assert.equal(await send(site, admin, step, { do: 'skip' }), [303, next])
  assert.not.match(await openText(admin, '/svc-admin/'), 'Set up your site')
  const after = await admin.open(at('site'))
  assert.equal([after.status, after.headers.get('location')], [303, `${site.home}/svc-admin/`])
  assert.is(await site.kernel.services.options.get('title'), 'A new site')

  const other = await newSite()
  await using otherSite = other.site
  const otherAdmin = await owner(other)
  await otherAdmin.open('/svc-admin/')
  assert.equal(await send(otherSite, otherAdmin, 'site', { do: 'dismiss' }), [303, '/svc-admin/'])
  assert.not.match(await openText(otherAdmin, '/svc-admin/'), 'Set up your site')
})

setup('is not on sites that did not begin with the sample', async () => {
  await using site = await serveWithUsers(filePlace)
  const admin = browse(site)
  await admin.logIn('admin', 'pass phrase of admin')
  assert.not.match(await openText(admin, '/svc-admin/'), 'Set up your site')
  const page = await admin.open(at('site'))
  assert.equal([page.status, page.headers.get('location')], [303, `${site.home}/svc-admin/`])
  assert.is(await stateOf(site), undefined)
})

setup('is not needed by the REST API', async () => {
  const { site: created } = await newSite()
  await using site = created
  const response = await site.request('/svc/v2/settings', {
    method: 'POST',
    headers: { ...as('administrator', 1), 'content-type': 'application/json' },
    body: '{"title":"By program"}',
  })
  assert.is(response.status, 200)
  assert.is(((await site.json('/svc/v2/posts')) as unknown[]).length, 3)
})

setup('works without scripts, step by step, and refuses invalid values', async () => {
  const created = await newSite()
  await using site = created.site
  const { options } = site.kernel.services
  const admin = await owner(created)
  await admin.open('/svc-admin/')

  const guessed = await (await admin.open(at('site'), { headers: { 'accept-language': 'fr-CA,fr;q=0.9' } })).text()
  assert.match(guessed, /value="fr_FR"\s+selected/)
  const values = {
    title: 'Sea & sand',
    description: 'Letters from the harbor',
    language: 'de_DE',
    timezone: 'Asia/Tokyo',
  }
  const [refused, shown] = await send(site, admin, 'site', { ...values, timezone: 'Nowhere/City' })
  assert.is(refused, 400)
  assert.match(shown, 'aria-invalid="true"')
  assert.match(shown, 'value="Sea &#38; sand"')
  assert.is(await options.get('title'), 'A new site')
  assert.equal(await send(site, admin, 'site', values), [303, at('appearance')])
  assert.equal(await options.many(['description', 'language', 'timezone']), {
    description: 'Letters from the harbor',
    language: 'de_DE',
    timezone: 'Asia/Tokyo',
  })
  // The pages have the chosen language.
  assert.match(await openText(admin, at('appearance')), 'Schritt 2 von 5')
  await options.set('language', 'en_US')

  assert.is((await send(site, admin, 'appearance', { theme: 'nothing' }))[0], 400)
  assert.equal(await send(site, admin, 'appearance', { theme: 'magazine', stay: '1' }), [303, at('appearance')])
  assert.equal(await options.get('theme'), { stylesheet: 'magazine' })
  assert.is((await send(site, admin, 'appearance', { theme: 'magazine', 'color.base': 'red' }))[0], 400)
  assert.is((await send(site, admin, 'appearance', { do: 'variation', title: 'Nothing' }))[0], 400)
  assert.is((await send(site, admin, 'content', { do: 'variation', title: 'Dark' }))[0], 400)
  assert.equal(await send(site, admin, 'appearance', { theme: 'magazine', 'color.base': '#fdf6e3' }), [
    303,
    at('content'),
  ])
  assert.match(await (await fetch(`${site.home}/svc-styles.css`)).text(), '--wp--preset--color--base: #fdf6e3')

  assert.is((await send(site, admin, 'content', { content: 'all' }))[0], 400)
  assert.match(await openText(admin, at('content')), 'Starting empty deletes 5 posts and pages')
  assert.equal(await send(site, admin, 'content', { content: 'empty' }), [303, at('account')])
  for (const route of ['posts', 'pages', 'comments', 'tags'])
    assert.equal(await site.json(`/svc/v2/${route}`), [], route)
  const categories = (await site.json('/svc/v2/categories')) as { slug: string }[]
  assert.equal(
    categories.map(({ slug }) => slug),
    ['general'],
  )

  const account = { name: 'Ada', email: 'ada@mail.example', password: 'a new pass phrase', again: 'a new pass phrase' }
  for (const wrong of [{ again: 'other' }, { name: ' ' }, { email: 'ada' }])
    assert.is((await send(site, admin, 'account', { ...account, ...wrong }))[0], 400)
  const cookie = admin.cookie
  assert.equal(await send(site, admin, 'account', account), [303, at('post')])
  assert.is.not(admin.cookie, cookie)
  const again = browse(site)
  assert.is((await again.logIn('admin', created.password)).status, 401)
  assert.is((await again.logIn('ada@mail.example', 'a new pass phrase')).status, 302)

  const [status, editor] = await send(site, admin, 'post', { title: 'High water' })
  assert.is(status, 303)
  assert.match(editor, /^\/svc-admin\/content\/post\/\d+$/)
  const text = await openText(admin, editor)
  assert.match(text, 'value="High water"')
  assert.equal(await site.json('/svc/v2/posts'), [])
  assert.not.match(await openText(admin, '/svc-admin/'), 'Set up your site')
})

setup('deletes only content of the sample that no user has changed', async () => {
  const created = await newSite()
  await using site = created.site
  const admin = await owner(created)
  await admin.open('/svc-admin/')
  const send2 = (path: string, body: unknown) =>
    site.request(`/svc/v2/${path}`, {
      method: 'POST',
      headers: { ...as('administrator', 1), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const posts = (await site.json('/svc/v2/posts?order=asc')) as { id: number; categories: number[] }[]
  const pages = (await site.json('/svc/v2/pages?order=asc')) as { id: number }[]
  const [changed, commented] = [posts[0]!, posts[1]!]
  assert.is((await send2(`posts/${changed.id}`, { title: 'Mine now' })).status, 200)
  assert.is((await send2('comments', { post: commented.id, content: 'I was here.' })).status, 201)
  const own = (await (await send2('posts', { title: 'Own', status: 'publish' })).json()) as { id: number }
  assert.match(await openText(admin, at('content')), `deletes ${posts.length + pages.length - 2} posts and pages`)
  assert.is((await send(site, admin, 'content', { content: 'empty' }))[0], 303)
  const left = (await site.json('/svc/v2/posts?order=asc&_fields=id')) as { id: number }[]
  assert.equal(new Set(left.map(({ id }) => id)), new Set([changed.id, commented.id, own.id]))
  assert.equal(await site.json('/svc/v2/pages'), [])
  const kept = ((await site.json('/svc/v2/posts?_embed=wp:term')) as { _links: unknown }[]).length
  assert.is(kept, 3)
  for (const { id } of left) assert.is((await site.get(`/svc/v2/posts/${id}`)).status, 200)
  for (const id of changed.categories) assert.is((await site.get(`/svc/v2/categories/${id}`)).status, 200)
})

setup('leads to the import and back', async () => {
  const created = await newSite()
  await using site = created.site
  const admin = await owner(created)
  await admin.open('/svc-admin/')
  await send(site, admin, 'site', { do: 'skip' })
  assert.equal(await send(site, admin, 'content', { content: 'import' }), [303, '/svc-admin/import'])
  assert.match(await openText(admin, '/svc-admin/import'), `${site.home}${at('appearance')}">Continue setup`)
})

setup('is in the language of the browser', () => {
  const locales = ['en_US', 'de_DE', 'es_ES', 'fr_FR', 'ja', 'pt_BR']
  for (const [header, locale] of [
    ['de', 'de_DE'],
    ['de-AT,de;q=0.9,en;q=0.8', 'de_DE'],
    ['nl,en-GB;q=0.7', 'en_US'],
    ['en;q=0.5, ja-JP', 'ja'],
    ['pt-BR', 'pt_BR'],
    ['fr;q=0, es;q=0.1', 'es_ES'],
    ['nl', null],
    ['*', null],
    [';;,,q=', null],
    ['', null],
    [null, null],
  ] as const)
    assert.is(preferredLocale(header, locales), locale, String(header))
})

setup.run()

import { mkdtempDisposable, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RequestCache } from '../../../kernel/index.ts'
import { sendForm } from '../../helpers/admin-forms.ts'
import { browse } from '../../helpers/browser.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../helpers/site-with-users.ts'
import { themeFolder, type ThemeFolder } from '../../helpers/theme-folder.ts'

const OWN_INDEX = 'Own template <!-- wp:post-title /-->'

const page = async (site: SiteWithUsers, target = '/') => {
  const response = await fetch(`${site.home}${target}`)
  return { status: response.status, text: await response.text() }
}

/** Checks the files again. */
const recheck = async (site: SiteWithUsers) => {
  await site.kernel.services.themes.library.refresh()
}

/** Imports a site with one post, whose site file names a theme. */
async function importWith(site: SiteWithUsers, theme: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'old-site-'))
  const siteFile = path.join(folder.path, 'site.json')
  await writeFile(siteFile, JSON.stringify({ theme }))
  const { notes } = await site.kernel.services.importer.run({ source: oldSite(), siteFiles: [siteFile] })
  return notes.map(({ text }) => text)
}

async function* oldSite(): AsyncGenerator<Uint8Array> {
  yield Buffer.from(
    `<rss version="2.0" xmlns:wp="http://wordpress.org/export/1.2/"><channel><title>Old site</title>
    <wp:wxr_version>1.2</wp:wxr_version><wp:base_blog_url>http://old.example</wp:base_blog_url>
    <item><title>Imported story</title><wp:post_id>900</wp:post_id><wp:post_date>2020-01-01 10:00:00</wp:post_date>
    <wp:post_date_gmt>2020-01-01 10:00:00</wp:post_date_gmt><wp:post_name>imported-story</wp:post_name>
    <wp:status>publish</wp:status><wp:post_type>post</wp:post_type></item></channel></rss>`,
  )
}

for (const { name, place } of databases) {
  const fallback = suite(`theme without files on ${name}`)
  const serve = (theme: ThemeFolder) =>
    serveWithUsers(place, { plugins: { themes: { folder: theme.folder, recheck: 0 } } })

  fallback('shows the imported posts with the default theme, and the import reports it', async () => {
    await using theme = await themeFolder()
    await using site = await serve(theme)
    const notes = await importWith(site, { stylesheet: 'of-the-old-site', name: 'Old theme' })
    assert.match(notes.join('\n'), 'active theme without its files here; pages use the default theme')
    for (const target of ['/', '/imported-story/', '/?s=imported', '/2020/']) {
      const { status, text } = await page(site, target)
      assert.is(status, 200, target)
      assert.match(text, 'Imported story', target)
      assert.match(text, '/themes/default/style.css', target)
      assert.match(text, '<header', target)
    }
    assert.is((await page(site, '/nothing-here/')).status, 404)
    const active = await site.json('/svc/v2/themes?status=active', site.by('admin'))
    assert.equal(
      active.map(({ stylesheet }: { stylesheet: string }) => stylesheet),
      ['of-the-old-site'],
    )
  })

  fallback('becomes the theme of the pages as soon as its files are there, without another choice', async () => {
    await using theme = await themeFolder()
    await using site = await serve(theme)
    await importWith(site, { stylesheet: 'later' })
    assert.match((await page(site)).text, '/themes/default/style.css')
    await theme.write('../later/templates/index.html', OWN_INDEX)
    await theme.write('../later/theme.json', '{"version":3}')
    await recheck(site)
    const { text } = await page(site)
    assert.match(text, 'Own template')
    assert.not.match(text, '/themes/default/style.css')
  })

  fallback('is not reported if its files are imported, also after a page was requested', async () => {
    await using theme = await themeFolder({ 'templates/index.html': OWN_INDEX })
    await using site = await serve(theme)
    await page(site)
    const notes = await importWith(site, { stylesheet: 'plain' })
    assert.not.match(notes.join('\n'), 'active theme')
    assert.match((await page(site)).text, 'Own template')
  })

  fallback('includes child themes whose parent is missing, and themes without block templates', async () => {
    await using theme = await themeFolder({ 'templates/index.html': OWN_INDEX })
    await theme.write('../child/style.css', '/*\nTheme Name: Child\nTemplate: absent\n*/')
    await theme.write('../classic/style.css', '/*\nTheme Name: Classic\n*/\nbody{}')
    await theme.write('../whole/style.css', '/*\nTheme Name: Whole\nTemplate: plain\n*/')
    await using site = await serve(theme)
    const { options, themes } = site.kernel.services
    const lacking = async (stylesheet: string) => {
      await options.set('theme', { stylesheet })
      const { status, text } = await page(site)
      assert.is(status, 200)
      assert.is(text.includes('/themes/default/style.css'), (await themes.shown()).stylesheet === 'default', stylesheet)
      if (stylesheet !== 'whole') assert.match(text, 'Hello')
      return (await themes.fallback())?.folder.split(path.sep).at(-1)
    }
    assert.is(await lacking('child'), 'absent')
    assert.is(await lacking('classic'), 'classic')
    assert.is(await lacking('../outside'), 'outside')
    assert.is(await lacking('whole'), undefined)
    assert.is(await lacking('default'), undefined)
  })

  fallback('takes effect when the folder is deleted while the server runs', async () => {
    await using theme = await themeFolder({ 'templates/index.html': OWN_INDEX })
    await using site = await serve(theme)
    await site.kernel.services.options.set('theme', { stylesheet: 'plain' })
    assert.match((await page(site)).text, 'Own template')
    await rm(path.join(theme.folder, 'plain'), { recursive: true })
    await recheck(site)
    const { status, text } = await page(site)
    assert.is(status, 200)
    assert.match(text, '/themes/default/style.css')
    assert.match(text, 'Hello')
  })

  fallback('is explained on the appearance page and the dashboard to users who can switch themes', async () => {
    await using theme = await themeFolder()
    await using site = await serve(theme)
    const admin = browse(site)
    await admin.logIn('admin', 'pass phrase of admin')
    const editor = browse(site)
    await editor.logIn('ed', 'pass phrase of ed')
    const notice = 'The theme &#60;b&#62;Old has no templates here'
    const shows = async (browser: typeof admin, target: string) =>
      (await (await browser.open(target)).text()).includes(notice)
    assert.is(await shows(admin, '/svc-admin/appearance'), false)
    await site.kernel.services.options.set('theme', { stylesheet: 'gone', name: '<b>Old' })
    assert.is(await shows(admin, '/svc-admin/appearance'), true)
    assert.is(await shows(admin, '/svc-admin/'), true)
    assert.is(await shows(editor, '/svc-admin/'), false)
    await site.kernel.services.themes.activate('default')
    assert.is(await shows(admin, '/svc-admin/appearance'), false)
    assert.is(await shows(admin, '/svc-admin/'), false)
  })

  fallback('has its appearance edited on the appearance page, next to the stored one of the active theme', async () => {
    await using theme = await themeFolder()
    await using site = await serve(theme)
    const { globalStyles, options } = site.kernel.services
    await options.set('theme', { stylesheet: 'gone', name: 'Gone' })
    const admin = browse(site)
    await admin.logIn('admin', 'pass phrase of admin')
    const edited = await (await admin.open('/svc-admin/appearance')).text()
    assert.match(edited, 'You are editing Default, the theme that pages use.')
    assert.match(edited, 'Activate Default')
    await sendForm(admin, '/svc-admin/appearance', { do: 'save', content_size: '47rem' })
    assert.match(await (await fetch(`${site.home}/svc-styles.css`)).text(), '47rem')
    const own = (stylesheet: string) => globalStyles.user.find(stylesheet, new RequestCache())
    assert.match((await own('default'))!.content, '47rem')
    assert.not.match((await own('gone'))?.content ?? '', '47rem')
    await site.kernel.services.themes.activate('default')
    const active = await (await admin.open('/svc-admin/appearance')).text()
    assert.match(active, '47rem')
    assert.not.match(active, 'You are editing')
  })

  fallback('has styles and templates that the REST API edits like those of the active theme', async () => {
    await using theme = await themeFolder()
    await using site = await serve(theme)
    await site.kernel.services.options.set('theme', { stylesheet: 'gone' })
    const by = site.by('admin')
    const read = async (route: string) => {
      const response = await site.get(`/svc/v2/${route}`, by)
      return { status: response.status, json: (await response.json()) as Record<string, unknown> }
    }
    const write = async (route: string, body: object) => {
      const headers = { ...by, 'content-type': 'application/json' }
      const response = await site.request(`/svc/v2/${route}`, { method: 'POST', headers, body: JSON.stringify(body) })
      return { status: response.status, json: (await response.json()) as Record<string, unknown> }
    }
    const stylesOf = async (stylesheet: string) => {
      const { json } = await read(`themes/${stylesheet}`)
      const links = Object.entries(json['_links'] as Record<string, { href: string }[]>)
      return links.find(([name]) => name.endsWith('user-global-styles'))?.[1][0]?.href.split('/svc/v2/')[1]
    }
    const [ofGone, ofDefault] = [await stylesOf('gone'), await stylesOf('default')]
    assert.ok(ofGone !== undefined && ofDefault !== undefined && ofGone !== ofDefault)
    assert.equal([await stylesOf('gone'), await stylesOf('default')], [ofGone, ofDefault])
    assert.equal([await stylesOf('gone'), await stylesOf('default')], [ofGone, ofDefault])
    await write(ofGone, { settings: { layout: { contentSize: '41rem' } } })
    assert.is((await write(ofDefault, { settings: { layout: { contentSize: '43rem' } } })).status, 200)
    const css = await (await fetch(`${site.home}/svc-styles.css`)).text()
    assert.match(css, '43rem')
    assert.not.match(css, '41rem')
    for (const [route, status] of [
      ['global-styles/themes/gone', 200],
      ['global-styles/themes/default', 200],
      ['global-styles/themes/default/variations', 200],
      ['global-styles/themes/other', 404],
      ['templates/default//index', 200],
      ['templates/gone//index', 404],
      ['templates/other//index', 404],
    ] as const)
      assert.is((await read(route)).status, status, route)

    const content = '<!-- wp:paragraph --><p>Changed by REST</p><!-- /wp:paragraph -->'
    assert.is((await write('templates/default//home', { content })).json['source'], 'custom')
    assert.match((await page(site)).text, 'Changed by REST')
    const created = await write('templates', { slug: 'mine', theme: 'default', content })
    assert.is(created.json['id'], 'default//mine')
    assert.is((await write('templates', { slug: 'mine', content })).json['id'], 'gone//mine')
    assert.is((await write('templates', { slug: 'mine', theme: 'other', content })).status, 400)
    await site.kernel.services.themes.activate('default')
    assert.is((await read('templates/default//mine')).status, 200)
    assert.is((await read('templates/gone//mine')).status, 404)
  })

  fallback.run()
}

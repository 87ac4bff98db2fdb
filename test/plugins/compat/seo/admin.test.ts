import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { formNonce } from '../../../helpers/admin-forms.ts'
import { addPlants, garden } from './garden.ts'

const admin = suite('search engines in the admin')

for (const [dialect, prefix, options] of [
  ['Yoast SEO', '_yoast_wpseo_', { wpseo_titles: { separator: 'sc-pipe' } }],
  ['Rank Math', 'rank_math_', { 'rank-math-options-titles': { title_separator: '|' } }],
] as const) {
  admin(`change titles, robots and URLs of a post for ${dialect}`, async () => {
    await using site = await garden(options)
    const { rose } = await addPlants(site, prefix)
    const panel = site.kernel.services.admin.panels('post').find(({ name }) => name === 'seo')!
    const { RequestCache } = await import('../../../../kernel/index.ts')
    const view = { t: (text: string) => text, request: { scope: new RequestCache() } } as never
    const form = {
      seo_panel: '1',
      seo_title: 'New title',
      seo_description: 'New "text"',
      seo_noindex: '1',
      seo_canonical: 'javascript:alert(1)',
      seo_image: 'http://images.test/new.png',
    }
    await panel.save!(view, { id: rose }, {})
    assert.match(await (await fetch(`${site.home}/2024/05/01/rose/`)).text(), 'index, follow')
    await panel.save!(view, { id: rose }, form)
    const html = await (await fetch(`${site.home}/2024/05/01/rose/`)).text()
    assert.match(html, '<title>New title</title>')
    assert.match(html, 'content="New &quot;text&quot;"')
    assert.match(html, 'noindex')
    assert.match(html, 'http://images.test/new.png')
    assert.not.match(html, 'javascript')
    const shown = await panel.show(view, { id: rose })
    assert.match(shown!.text, 'value="New title"')
    const { seo_noindex: _, ...visible } = form
    await panel.save!(view, { id: rose }, visible)
    assert.not.match(await (await fetch(`${site.home}/2024/05/01/rose/`)).text(), 'noindex')
  })
}

admin('are settings that administrators change, and editors do not see', async () => {
  await using site = await garden({ wpseo_titles: { separator: 'sc-pipe' } })
  const logIn = async (login: string, role: string) => {
    const password = `pass phrase of ${login}`
    const { users } = site.kernel.services
    const secured = await users.secured({ password })
    await users.create({ ...secured, login, email: `${login}@site.test`, roles: [role] })
    const body = new URLSearchParams({ log: login, pwd: password })
    const response = await fetch(`${site.home}/svc-login`, { method: 'POST', body, redirect: 'manual' })
    const cookie = response.headers.getSetCookie().map((one) => one.split(';')[0])
    return (init: RequestInit = {}) =>
      fetch(`${site.home}/svc-admin/settings/search-engines`, {
        ...init,
        redirect: 'manual',
        headers: { cookie: cookie.join('; ') },
      })
  }
  assert.is((await (await logIn('ed', 'editor'))()).status, 403)
  const open = await logIn('ada', 'administrator')
  const page = await (await open()).text()
  assert.match(page, 'value="sc-pipe"')
  assert.match(page, 'name="seo_title_tax_category"')
  const body = new URLSearchParams({
    _svcnonce: formNonce(page),
    do: 'save',
    seo_separator: 'sc-dash',
    seo_title_home_wpseo: '%%sitename%% "home"',
    seo_company_logo: 'javascript:alert(1)',
  })
  assert.is((await open({ method: 'POST', body })).status, 303)
  assert.match(await (await fetch(`${site.home}/`)).text(), '<title>Green &amp; Co &quot;home&quot;</title>')
  assert.equal(await site.kernel.services.options.get('wpseo_titles', {}), {
    separator: 'sc-dash',
    'title-home-wpseo': '%%sitename%% "home"',
  })
})

admin.run()

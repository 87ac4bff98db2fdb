import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { databases, serveWithUsers, type SiteWithUsers } from '../../helpers/site-with-users.ts'
import { themeFolder } from '../../helpers/theme-folder.ts'

const NAMES = ['plain', 'Plain', 'PLAIN', 'plain--x', 'Plain-X']
const INDEX = {
  'style.css': '/*\nVersion: 1\n*/',
  'templates/index.html': 'Index',
  'templates/Big.html': 'Big',
  'parts/Top.html': 'Top',
}

async function write(site: SiteWithUsers, route: string, body: object): Promise<Record<string, unknown>> {
  const headers = { ...site.by('admin'), 'content-type': 'application/json' }
  const response = await site.request(`/svc/v2/${route}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const json = (await response.json()) as Record<string, unknown>
  assert.ok(response.status < 300, `${route}: ${JSON.stringify(json)}`)
  return json
}

for (const { name, place } of databases) {
  const names = suite(`names of themes on ${name}`)

  names('that differ in the case of letters have their own styles, templates and parts', async () => {
    await using theme = await themeFolder(INDEX)
    for (const one of NAMES)
      for (const [file, content] of Object.entries(INDEX)) await theme.write(`../${one}/${file}`, content)
    await using site = await serveWithUsers(place, { plugins: { themes: { folder: theme.folder, recheck: 0 } } })
    const { globalStyles, themes } = site.kernel.services
    await themes.library.refresh()
    const styles = new Map<string, number>()
    for (const one of NAMES) {
      assert.is((await themes.activate(one))?.stylesheet, one)
      styles.set(one, await globalStyles.idOf(one))
      await write(site, `global-styles/${styles.get(one)}`, {
        settings: { layout: { contentSize: `${styles.get(one)}px` } },
      })
      await write(site, `templates/${one}//index`, { content: `Index of ${one}` })
      await write(site, `templates/${one}//Big`, { content: `Big of ${one}` })
      await write(site, `template-parts/${one}//Top`, { content: `Top of ${one}` })
    }
    assert.is(new Set(styles.values()).size, NAMES.length)
    for (const one of NAMES) {
      await themes.activate(one)
      assert.is(await globalStyles.idOf(one), styles.get(one))
      for (const [route, expected] of [
        [`templates/${one}//index`, 'Index'],
        [`templates/${one}//Big`, 'Big'],
        [`template-parts/${one}//Top`, 'Top'],
      ] as const) {
        const { content } = await site.json(`/svc/v2/${route}?context=edit`, site.by('admin'))
        assert.is(content.raw, `${expected} of ${one}`)
      }
      assert.match(await (await fetch(`${site.home}/svc-styles.css`)).text(), `${styles.get(one)}px`)
    }
  })

  names('of template files can have upper-case letters, unless another name differs in these only', async () => {
    await using theme = await themeFolder({ ...INDEX, 'templates/Two.html': 'Two', 'templates/two.html': 'two' })
    await using site = await serveWithUsers(place, { plugins: { themes: { folder: theme.folder, recheck: 0 } } })
    await site.kernel.services.options.set('theme', { stylesheet: 'plain' })
    const changed = await write(site, 'templates/plain//Big', { content: 'Changed' })
    assert.is(changed['id'], 'plain//Big')
    assert.is(changed['source'], 'custom')
    assert.is((await write(site, 'templates/plain//Big', { content: 'Again' }))['wp_id'], changed['wp_id'])
    const headers = { ...site.by('admin'), 'content-type': 'application/json' }
    const body = JSON.stringify({ content: 'Lost' })
    const refused = await site.request('/svc/v2/templates/plain//Two', { method: 'POST', headers, body })
    assert.is(refused.status, 400)
    assert.is((await write(site, 'templates/plain//two', { content: 'Kept' }))['id'], 'plain//two')
    const slugs = ((await site.json('/svc/v2/templates', site.by('admin'))) as { slug: string }[]).map(
      ({ slug }) => slug,
    )
    assert.equal(slugs.toSorted(), ['Big', 'Two', 'index', 'two'])
  })

  names.run()
}

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { accessibilityFindings } from '../../helpers/accessibility.ts'
import { useChromium } from '../../helpers/chromium.ts'
import { addPosts } from '../../helpers/content.ts'
import { assertFits } from '../../helpers/page-width.ts'
import { serveWithUsers } from '../../helpers/site-with-users.ts'
import { filePlace } from '../../helpers/stores.ts'

const patterns = suite('patterns of the built-in themes')
const { inBrowser, openWindow } = useChromium(patterns)

interface Pattern {
  name: string
  title: string
  content: string
  inserter?: boolean
  categories?: string[]
}

inBrowser('render at three widths without overflow, axe findings or missing files, in both color schemes', async () => {
  await using site = await serveWithUsers(filePlace)
  await addPosts(site.store, { title: 'A post', content: 'Text.' }, { title: 'A page', type: 'page' })
  const all = (await site.json('/svc/v2/block-patterns/patterns', site.by('admin'))) as Pattern[]
  const shown = all.filter(({ inserter }) => inserter !== false)
  assert.ok(shown.length >= 20, String(shown.length))
  const ids = await addPosts(
    site.store,
    ...shown.map(({ title, content }) => ({ title: `Pattern ${title}`, type: 'page', content })),
  )
  for (const scheme of ['light', 'dark'] as const) {
    await using window = await openWindow(scheme)
    const { page } = window
    for (const [at, { name }] of shown.entries()) {
      await page.goto(`${site.home}/?page_id=${ids[at]}`)
      assert.ok((await page.locator('.wp-block-post-content').innerText()).trim() !== '', name)
      for (const width of [1280, 768, 390]) await assertFits(page, width)
      assert.equal(await accessibilityFindings(page, '.wp-block-post-content'), [], `${name} in the ${scheme} scheme`)
    }
    // Avatars come from another site; all other files exist.
    assert.equal(
      window.complaints.filter((text) => text.includes('404')),
      [],
    )
  }
})

patterns('have translated titles and texts, and known categories', async () => {
  await using site = await serveWithUsers(filePlace)
  const known = (await site.json('/svc/v2/block-patterns/categories', site.by('admin'))) as { name: string }[]
  const read = async () => (await site.json('/svc/v2/block-patterns/patterns', site.by('admin'))) as Pattern[]
  for (const { name, categories = [] } of await read())
    for (const category of categories)
      assert.ok(
        known.some((one) => one.name === category),
        `${name}: ${category}`,
      )
  await site.kernel.services.options.set('language', 'de_DE')
  const pricing = (await read()).find(({ name }) => name === 'default/pricing')!
  assert.is(pricing.title, 'Preise')
  assert.match(pricing.content, 'Diesen Tarif wählen')
})

patterns.run()

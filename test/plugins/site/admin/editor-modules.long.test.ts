import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../plugins/public.ts'
import { useChromium } from '../../../helpers/chromium.ts'
import { logInByKeyboard } from '../../../helpers/log-in.ts'
import { serveWithUsers } from '../../../helpers/site-with-users.ts'
import { filePlace } from '../../../helpers/stores.ts'

const modules = suite('modules of the rich editor')
const { inBrowser, openWindow } = useChromium(modules)

/** A plugin with the module that the guide describes. */
const gardenExample = definePlugin({
  name: 'garden',
  needs: ['admin'],
  apply({ services: { admin } }) {
    admin.addAssets('garden', join(import.meta.dirname, '../../../../docs/examples/garden-admin'))
    admin.addModule({ name: 'garden/editor', file: 'garden/editor.js', editor: true })
  },
})

inBrowser(
  'add a block, a mark and a panel to the rich editor, whose content stays the same when it is opened',
  async () => {
    await using site = await serveWithUsers(filePlace, { add: [gardenExample] })
    await using window = await openWindow()
    const { page } = window
    await logInByKeyboard(page, `${site.home}/svc-admin/content/post/new`, 'ann')
    const text = page.locator('.ProseMirror')
    await text.click()
    await page.keyboard.type('/bed')
    await page.keyboard.press('Enter')
    await page.keyboard.type('Red ')
    await page.keyboard.press('Control+Alt+p')
    await page.keyboard.type('roses')
    await page.getByRole('tab', { name: 'Block' }).click()
    await page.getByText('Words: 2').waitFor()

    const save = async () => {
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.locator('#notices', { hasText: 'Saved.' }).waitFor()
      const id = /\d+$/.exec(new URL(page.url()).pathname)![0]
      const response = await site.send('GET', `/svc/v2/posts/${id}?context=edit`, null, 'admin')
      return ((await response.json()) as { content: { raw: string } }).content.raw
    }
    await page.getByLabel('Title').fill('Beds')
    const block = (words: string) =>
      `<!-- wp:garden/bed -->\n<p class="garden-bed">${words}</p>\n<!-- /wp:garden/bed -->`
    const roses = 'Red <span class="garden-plant">roses</span>'
    assert.is(await save(), block(roses))
    await page.reload()
    await page.locator('.ProseMirror p.garden-bed span.garden-plant', { hasText: 'roses' }).click()
    assert.is(await save(), block(roses))
    await page.locator('.ProseMirror p.garden-bed').click()
    await page.keyboard.press('End')
    await page.keyboard.type(' too')
    assert.is(await save(), block(roses.replace('roses', 'roses too')))
    assert.equal(window.complaints, [])
  },
)

modules.run()

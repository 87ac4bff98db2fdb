import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { accessibilityFindings } from '../../../helpers/accessibility.ts'
import { useChromium } from '../../../helpers/chromium.ts'
import { addPosts } from '../../../helpers/content.ts'
import { assertFits } from '../../../helpers/page-width.ts'
import { serveWithUsers } from '../../../helpers/site-with-users.ts'
import { filePlace } from '../../../helpers/stores.ts'

const forms = suite('the form for comments in a browser')
const { inBrowser, openWindow } = useChromium(forms)

inBrowser('works with the keyboard only, and shows errors and the result', async () => {
  await using site = await serveWithUsers(filePlace)
  const { options } = site.kernel.services
  await options.set('comment_flood_seconds', 0)
  const [id] = (await addPosts(site.store, { title: 'Talk', content: '<p>Words</p>', comment_status: 'open' })) as [
    number,
  ]
  const { link } = (await site.json(`/svc/v2/posts/${id}`)) as { link: string }
  for (const scheme of ['light', 'dark'] as const) {
    await using window = await openWindow(scheme)
    const { page } = window
    await page.goto(link)
    assert.equal(await accessibilityFindings(page), [], scheme)
    const press = (key: string) => page.keyboard.press(key)
    await page.getByLabel('Comment').focus()
    await page.keyboard.type(`By keyboard, ${scheme}`)
    await press('Tab')
    await page.keyboard.type('Ann')
    await press('Tab')
    // Browsers take it for an email address; the site does not.
    await page.keyboard.type('ann@localhost')
    await press('Tab')
    await press('Tab')
    assert.is(await page.evaluate('document.activeElement?.value'), 'Post comment')
    await press('Enter')
    await page.waitForURL(/svc-comments-post/)
    assert.is(await page.evaluate('document.activeElement?.getAttribute("name")'), 'email')
    assert.match((await page.getByRole('alert').textContent())!, 'Enter a valid email address')
    assert.is(await page.getByLabel('Comment').inputValue(), `By keyboard, ${scheme}`)
    assert.equal(await accessibilityFindings(page), [], `${scheme}, refused`)
    await press('Control+A')
    await page.keyboard.type(`${scheme}@mail.example`)
    await press('Enter')
    await page.waitForURL(/comment_held=/)
    assert.match((await page.getByRole('status').textContent())!, 'is awaiting moderation')
    assert.equal(await accessibilityFindings(page), [], `${scheme}, held`)
    await assertFits(page, 320)
    const complaints = window.complaints.filter((text) => !text.includes('status of 400'))
    assert.equal(complaints, [])
  }
})

inBrowser('has a bar for logged-in users that works with the keyboard, too', async () => {
  await using site = await serveWithUsers(filePlace)
  await using window = await openWindow()
  const { page } = window
  await page.goto(`${site.home}/svc-login?redirect_to=${encodeURIComponent(`${site.home}/`)}`)
  await page.getByLabel('Username or email address').focus()
  await page.keyboard.type('admin')
  await page.keyboard.press('Tab')
  await page.keyboard.type('pass phrase of admin')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${site.home}/`)
  assert.equal(await accessibilityFindings(page), [])
  await page.getByRole('button', { name: 'Log out' }).press('Enter')
  await page.waitForURL(/svc-login/)
  assert.equal(window.complaints, [])
})

forms.run()

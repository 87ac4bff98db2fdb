import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Page } from 'playwright-core'
import { useChromium } from '../../../helpers/chromium.ts'
import { ADMIN_PAGES, filledPath, type ShownPage } from '../../../screenshots/pages.ts'
import { logIn, openContext, startSampleBrowser } from '../../../screenshots/sample-browser.ts'
import { HOME, serveSample, type SampleSite } from '../../../screenshots/sample-site.ts'

const forms = suite('forms of the admin in a browser')
const { inBrowser } = useChromium(forms)

/** Maximum number of keys from the start of a page to its first field, with the link "Skip to content". */
const MAX_KEYS = 6
/** Lists, which start with tabs and filters instead of a form. */
const LISTS: readonly string[] = ['posts', 'pages', 'comments', 'users']
/** Script that returns whether the focus is in a field of the content. */
const IS_IN_FIELD = `document.activeElement.matches('main :is(input, select, textarea)')`
/** Script that returns whether the content has fields. */
const HAS_FIELDS = `[...document.querySelectorAll('main :is(input, select, textarea)')].some((one) => one.checkVisibility())`

inBrowser(`focus their first field after at most ${MAX_KEYS} keys`, async () => {
  await using sample = await serveSample()
  const browser = await startSampleBrowser(sample)
  try {
    const context = await openContext(browser)
    await logIn(context)
    const page = await context.newPage()
    const counts: [name: string, keys: number][] = []
    for (const shown of ADMIN_PAGES) {
      if (LISTS.includes(shown.name)) continue
      await open(page, shown, sample)
      if (await page.evaluate<boolean>(HAS_FIELDS)) counts.push([shown.name, await keysToField(page)])
    }
    assert.ok(counts.length > 30, `${counts.length} forms`)
    assert.equal(
      counts.filter(([, keys]) => keys > MAX_KEYS),
      [],
    )
  } finally {
    await browser.close()
  }
})

async function open(page: Page, { path, ready }: ShownPage, { ids }: SampleSite): Promise<void> {
  await page.goto(HOME + filledPath(path, ids))
  if (ready !== undefined) await page.locator(ready).first().waitFor()
}

/** Counts the keys that move the focus from the start of a page to its first field; 0 if the page focuses a field. */
async function keysToField(page: Page): Promise<number> {
  if (await page.evaluate<boolean>(IS_IN_FIELD)) return 0
  await page.keyboard.press('Tab')
  assert.is(await page.evaluate('document.activeElement.textContent'), 'Skip to content', page.url())
  await page.keyboard.press('Enter')
  let keys = 2
  while (keys < 30 && !(await page.evaluate<boolean>(IS_IN_FIELD))) {
    await page.keyboard.press('Tab')
    keys += 1
  }
  return keys
}

forms.run()

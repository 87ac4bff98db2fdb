import * as assert from 'uvu/assert'
import type { Page } from 'playwright-core'
import { until } from './until.ts'

/** Script that lists the elements that extend beyond the right edge of the window. */
const TOO_WIDE = `[...document.querySelectorAll('body *')]
  .filter((one) => one.getBoundingClientRect().right > window.innerWidth)
  .map((one) => one.outerHTML.slice(0, 160))`

/**
 * Asserts that a page fits into a window of a width without horizontal scrolling. Waits for that, because a page that has just
 * been opened may still load its style sheets.
 * @param width width of the window in pixels
 */
export async function assertFits(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 640 })
  await page.waitForLoadState()
  const fits = () => page.evaluate<boolean>(`document.documentElement.scrollWidth <= ${width}`)
  await until(fits).catch(async () => {
    assert.equal(await page.evaluate(TOO_WIDE), [], `${page.url()} is wider than ${width} px`)
    assert.unreachable(`${page.url()} is wider than ${width} px`)
  })
}

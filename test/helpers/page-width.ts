import * as assert from 'uvu/assert'
import type { Page } from 'playwright-core'
import { until } from './until.ts'

/** Elements that end to the right of the window, as a line each. */
const TOO_WIDE = `[...document.querySelectorAll('body *')]
  .filter((one) => one.getBoundingClientRect().right > window.innerWidth)
  .map((one) => one.outerHTML.slice(0, 160))`

/**
 * Fails when the page does not fit into a window of a width and has to be scrolled sideways. A page that has just been opened
 * may still wait for its style sheets, so this waits for the page to fit.
 * @param width of the window in pixels
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

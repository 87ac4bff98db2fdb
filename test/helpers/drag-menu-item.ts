import type { Page } from 'playwright-core'
import { until } from './until.ts'

/**
 * Drags an item of a menu by its handle.
 * @param item title of the item
 * @param target element at whose upper edge the item is dropped
 * @param place selector that matches once the item is at its new place
 */
export async function dragMenuItem(page: Page, item: string, target: string, place: string): Promise<void> {
  await page.locator(`[data-title=${item}] > .menu-item [data-handle]`).hover()
  await page.mouse.down()
  // The start of the drag moves the items, and the item follows the pointer a moment later.
  await until(async () => {
    const { x, y } = (await page.locator(target).first().boundingBox())!
    await page.mouse.move(x + 80, y + 4)
    await page.mouse.move(x + 80, y + 3)
    return (await page.locator(place).count()) > 0
  })
  await page.mouse.up()
}

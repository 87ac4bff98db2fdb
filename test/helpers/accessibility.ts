import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

/** The part of axe's result that tests look at. */
interface AxeResult {
  violations: { id: string; impact: string | null; help: string; nodes: { html: string; failureSummary?: string }[] }[]
}

const require = createRequire(import.meta.url)
let source: Promise<string> | undefined

/**
 * The serious and critical findings of axe on a page as it is shown, one line each; an empty list is what a page should have.
 * @param within a selector of the part to look at; the whole page by default
 */
export async function accessibilityFindings(page: Page, within?: string): Promise<string[]> {
  source ??= readFile(require.resolve('axe-core/axe.min.js'), 'utf8')
  // Not as an element of the page, whose policy would refuse it.
  await page.evaluate(await source)
  // Frames are pages of their own; to a sandboxed one axe cannot speak, of which the browser complains.
  const run = `axe.run(${JSON.stringify(within) ?? 'document'}, { iframes: false })`
  const { violations } = await page.evaluate<AxeResult>(run)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, help, nodes }) => nodes.map((node) => `${id}: ${help}: ${node.html}: ${node.failureSummary ?? ''}`))
}

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

/** The part of an axe result that tests read. */
interface AxeResult {
  violations: { id: string; impact: string | null; help: string; nodes: { html: string; failureSummary?: string }[] }[]
}

const require = createRequire(import.meta.url)
let source: Promise<string> | undefined

/**
 * Runs axe on a page and returns its serious and critical findings, one line each.
 * @param within selector of the part to check; the whole page by default
 */
export async function accessibilityFindings(page: Page, within?: string): Promise<string[]> {
  source ??= readFile(require.resolve('axe-core/axe.min.js'), 'utf8')
  // Not as a script element, which the page's content security policy would block.
  await page.evaluate(await source)
  // Excludes frames: axe cannot communicate with sandboxed frames, and the browser logs that as an error.
  const run = `axe.run(${JSON.stringify(within) ?? 'document'}, { iframes: false })`
  const { violations } = await page.evaluate<AxeResult>(run)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, help, nodes }) => nodes.map((node) => `${id}: ${help}: ${node.html}: ${node.failureSummary ?? ''}`))
}

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

/** The part of an axe result that tests read. */
interface AxeResult {
  violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[]
}

const require = createRequire(import.meta.url)
let source: Promise<string> | undefined

/**
 * Runs axe on a page and returns its findings, one line each.
 * @param within selector of the part to check; the whole page by default
 * @param rules names of the rules to check; all by default
 */
export async function accessibilityFindings(page: Page, within?: string, rules?: readonly string[]): Promise<string[]> {
  source ??= readFile(require.resolve('axe-core/axe.min.js'), 'utf8')
  // Not as a script element, which the page's content security policy would block.
  await page.evaluate(await source)
  // Excludes frames: axe cannot communicate with sandboxed frames, and the browser logs that as an error.
  const options = { iframes: false, ...(rules && { runOnly: rules }) }
  const run = `axe.run(${JSON.stringify(within) ?? 'document'}, ${JSON.stringify(options)})`
  const { violations } = await page.evaluate<AxeResult>(run)
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id}: ${help}: ${node.html}: ${node.failureSummary ?? ''}`),
  )
}

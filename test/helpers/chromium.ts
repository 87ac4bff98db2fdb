import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import type { Callback, Test } from 'uvu'

/** What Chromium is called, wherever programs are. The one without windows takes less time. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The Chromium of this machine, or the one that SVC_TEST_CHROMIUM names, whether it is there or not; null for none. */
export const chromiumPath: string | null = process.env['SVC_TEST_CHROMIUM'] || installed()

function installed(): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin']
  const paths = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)))
  return paths.find(isProgram) ?? null
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Declares the tests of a suite that need a browser: where there is none they are skipped, and a line says so.
 * @example const inBrowser = needsChromium(pages)
 */
export function needsChromium<C>(suite: Test<C>): (name: string, test: Callback<C>) => void {
  if (chromiumPath !== null) return (name, test) => suite(name, test)
  console.log('No Chromium here: tests of pages are skipped. Install it, or name it in SVC_TEST_CHROMIUM.')
  return (name, test) => suite.skip(name, test)
}

/** A window with nothing in it, and what its pages complain of. */
export interface Window extends AsyncDisposable {
  readonly context: BrowserContext
  readonly page: Page
  /** Errors and warnings of the console, what nobody caught, and what a policy has refused. */
  readonly complaints: readonly string[]
}

/** Starts the Chromium of this machine. */
export function startChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath!, args: ARGUMENTS })
}

/** Opens a window that shares nothing with others: `await using window = await openWindow(browser)`. */
export async function openWindow(browser: Browser, colorScheme: 'light' | 'dark' = 'light'): Promise<Window> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    // Policies that refuse something write an error, too.
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  return { context, page, complaints, [Symbol.asyncDispose]: () => context.close() }
}

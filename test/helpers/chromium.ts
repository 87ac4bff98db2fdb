import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import type { Callback, Test } from 'uvu'
import { skipIn } from './skip.ts'

/** Names of Chromium's program, fastest first: the headless shell starts faster. */
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

/** Path of SVC_TEST_CHROMIUM, which is not checked, or of an installed Chromium; null if none is installed. */
export const chromiumPath: string | null = process.env['SVC_TEST_CHROMIUM'] || installed()

function installed(): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
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

/** The Chromium of a test suite. */
export interface SuiteChromium<C> {
  /** Declares a test that needs Chromium. */
  readonly inBrowser: (name: string, test: Callback<C>) => void
  /** Opens a window that shares nothing with others: `await using window = await openWindow()`. */
  readonly openWindow: (colorScheme?: 'light' | 'dark') => Promise<Window>
}

/**
 * Starts Chromium for a suite and closes it after the last test. On a machine without Chromium the tests declared by
 * `inBrowser` are skipped.
 * @example const { inBrowser, openWindow } = useChromium(pages)
 */
export function useChromium<C>(suite: Test<C>): SuiteChromium<C> {
  let browser: Browser | undefined
  if (chromiumPath !== null) {
    suite.before(async () => void (browser = await startChromium()))
    suite.after(async () => browser?.close())
  }
  return {
    inBrowser:
      chromiumPath === null
        ? skipIn(suite, 'this machine has no Chromium (install it, or set SVC_TEST_CHROMIUM to its path)')
        : (name, test) => suite(name, test),
    openWindow: (colorScheme) => openWindow(browser!, colorScheme),
  }
}

/** An empty window, and the errors of its pages. */
export interface Window extends AsyncDisposable {
  readonly context: BrowserContext
  readonly page: Page
  /** Errors and warnings of the console, uncaught errors and policy violations. */
  readonly complaints: readonly string[]
}

/** Starts the Chromium of this machine. @param more further arguments of its program */
export function startChromium(more: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath!, args: [...ARGUMENTS, ...more] })
}

/** Opens a window that shares nothing with others: `await using window = await openWindow(browser)`. */
export async function openWindow(browser: Browser, colorScheme: 'light' | 'dark' = 'light'): Promise<Window> {
  const viewport = { width: 1440, height: 900 }
  // Without the transitions between pages, which Chromium reports as errors when a test opens the next page too soon.
  const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    // Includes policy violations, which the browser logs as errors.
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  return { context, page, complaints, [Symbol.asyncDispose]: () => context.close() }
}

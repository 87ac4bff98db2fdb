import * as assert from 'uvu/assert'
import { formNonce } from './admin-forms.ts'
import { browse, type Browser } from './browser.ts'
import type { SiteWithUsers, UserIds } from './site-with-users.ts'

/** Logs a user in and returns their browser. */
export async function enter(site: SiteWithUsers, login: keyof UserIds): Promise<Browser> {
  const browser = browse(site)
  await browser.logIn(login, `pass phrase of ${login}`)
  return browser
}

/** Returns the HTML of a page. Asserts that it exists. */
export async function pageOf(browser: Browser, path: string): Promise<string> {
  const response = await browser.open(path)
  const text = await response.text()
  assert.is(response.status, 200, text.slice(0, 2000))
  return text
}

/** Submits a form of a page with its nonce. Fields can be repeated, like checkboxes. */
export async function sendFields(
  browser: Browser,
  path: string,
  fields: readonly (readonly [string, string | number])[],
): Promise<Response> {
  const nonce = formNonce(await pageOf(browser, path))
  const body = new URLSearchParams([['_svcnonce', nonce], ...fields.map(([name, value]) => [name, String(value)])])
  return browser.open(path, { method: 'POST', body })
}

/** Submits a form of a page successfully, and returns the page of the redirect. */
export async function act(...sent: Parameters<typeof sendFields>): Promise<string> {
  const done = await sendFields(...sent)
  assert.is(done.status, 303, await done.clone().text())
  return pageOf(sent[0], done.headers.get('location')!)
}

/** Returns the IDs of the selectable rows of a list. */
export const rowsOf = (text: string): number[] =>
  [...text.matchAll(/name="ids\[\]"\s+value="(\d+)"/g)].map(([, id]) => Number(id))

/** Returns the URL of the next page of a list. */
export const nextOf = (text: string): string | undefined =>
  /<a href="([^"]+)" rel="next"/.exec(text)?.[1]?.replaceAll('&#38;', '&')

/** Returns the text of a page's notice. */
export const noticeOf = (text: string): string =>
  /<div class="notice[^]*?<\/div>/
    .exec(text)?.[0]
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim() ?? ''

/** Creates an object with the REST API and returns its ID. */
export async function create(site: SiteWithUsers, login: keyof UserIds, route: string, body: object): Promise<number> {
  const response = await site.send('POST', `/svc/v2/${route}`, body, login)
  assert.is(response.status, 201, await response.clone().text())
  return ((await response.json()) as { id: number }).id
}

import { browse, type Browser } from '../../../helpers/browser.ts'
import { serve, type Site } from '../../../helpers/site.ts'
import { serveWithUsers } from '../../../helpers/site-with-users.ts'
import type { Place } from '../../../helpers/stores.ts'
import { addGroups, type TestGroup } from './definitions.ts'

const plugins = { 'custom-fields': true } as const

/** Starts a site with users and groups of fields on a place, which the caller removes. */
export async function siteWithGroups(place: Place, groups: readonly TestGroup[]): Promise<Site> {
  {
    const kept = { ...place, [Symbol.asyncDispose]: async () => {} }
    await using site = await serveWithUsers(async () => kept, { plugins })
    await addGroups(site.store, ...groups)
  }
  return serve({ database: place.url, plugins })
}

/** Logs in and returns the browser. */
export async function logIn(site: Site, login: string): Promise<Browser> {
  const browser = browse(site)
  await browser.logIn(login, `pass phrase of ${login}`)
  return browser
}

/** Returns the fields of the forms in the main part of a page, as a browser would submit them. */
export function sentFields(page: string): [name: string, value: string][] {
  const main = page.slice(page.indexOf('<main'))
  const text = (value: string) => value.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
  const found: [string, string][] = []
  const pattern = /<input[^>]*>|<textarea([^>]*)>([^]*?)<\/textarea>|<select([^>]*)>([^]*?)<\/select>/g
  for (const [tag, area, content, select, options] of main.matchAll(pattern)) {
    const name = /\sname="([^"]*)"/.exec(tag)?.[1]
    if (name === undefined || /\sdisabled/.test(tag.split('>', 1)[0]!)) continue
    if (area !== undefined) found.push([name, text(content!.replace(/^\n/, ''))])
    else if (select !== undefined) {
      const all = [...options!.matchAll(/<option\s+value="([^"]*)"\s*(selected)?/g)]
      const [, value = ''] = all.find(([, , chosen]) => chosen !== undefined) ?? all[0] ?? []
      found.push([name, text(value)])
    } else if (!/type="(?:file|submit)"/.test(tag) && (!/type="(?:checkbox|radio)"/.test(tag) || /\schecked/.test(tag)))
      found.push([name, text(/\svalue="([^"]*)"/.exec(tag)?.[1] ?? '')])
  }
  return found
}

/** Submits the form of a page with changed fields; null removes a field. Other fields are added. */
export async function submit(
  browser: Browser,
  path: string,
  changes: Readonly<Record<string, string | null>>,
  page?: string,
): Promise<{ status: number; text: string; location: string | null }> {
  const shown = page ?? (await (await browser.open(path)).text())
  const own = sentFields(shown).filter(([name]) => !(name in changes))
  const added = Object.entries(changes).flatMap(([name, value]) => (value === null ? [] : [[name, value]]))
  const body = new URLSearchParams([...own, ...added])
  const response = await browser.open(path, { method: 'POST', body })
  return { status: response.status, text: await response.text(), location: response.headers.get('location') }
}

import * as assert from 'uvu/assert'
import { definePlugin, RequestCache, VISITOR } from '../../../../kernel/index.ts'
import { as, serveOn, type Site, type ServeOptions } from '../../../helpers/site.ts'
import type { Place } from '../../../helpers/stores.ts'

/** Permalinks with dates, as most imported sites have them. */
const PERMALINK = '/%year%/%monthnum%/%day%/%postname%/'

/** Sends a request as administrator. */
export async function send(site: Site, method: string, path: string, body?: unknown, role = 'administrator') {
  const response = await site.request(path, {
    method,
    headers: { 'content-type': 'application/json', ...(role !== '' && as(role)) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  // oxlint-disable-next-line typescript/no-explicit-any -- assertions check the shape
  const parsed: any = text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text
  return { status: response.status, headers: response.headers, body: parsed }
}

/** Creates an item, and returns it. */
export async function create(site: Site, path: string, body: object) {
  const response = await send(site, 'POST', `/svc/v2/${path}`, body)
  assert.is(response.status, 201, JSON.stringify(response.body))
  return response.body
}

/** A theme with a menu location. */
const theme = definePlugin({
  name: 'one-place',
  needs: ['menus'],
  apply({ services }) {
    services.menus.registerLocation('primary', 'Primary')
  },
})

/** Starts a site in English, French and German. */
export async function languageSite(place: Place, { plugins, ...options }: ServeOptions = {}): Promise<Site> {
  const site = await serveOn(place, {
    add: [theme],
    plugins: { languages: true, 'menu-routes': true, ...plugins },
    ...options,
  })
  await site.kernel.services.options.set('permalink', PERMALINK)
  const { id } = await site.kernel.services.terms.create({ taxonomy: 'category', name: 'Uncategorized' })
  await site.kernel.services.options.set('default_category', id)
  for (const [locale, position] of [
    ['en_US', 0],
    ['fr_FR', 1],
    ['de_DE', 2],
  ] as const)
    await send(site, 'POST', '/pll/v1/languages', { locale, term_group: position })
  return site
}

/** Links posts as translations of each other, as imports store it. */
export async function translate(site: Site, ids: Readonly<Record<string, number>>): Promise<void> {
  const { services } = site.kernel
  const entries = Object.entries(ids).map(([slug, id]) => `s:${slug.length}:"${slug}";i:${id};`)
  const description = `a:${entries.length}:{${entries.join('')}}`
  const group = await services.terms.create({ taxonomy: 'post_translations', name: `pll_${entries[0]!}`, description })
  for (const id of Object.values(ids))
    await services.posts.update(
      id,
      { terms: new Map([['post_translations', [group.id]]]) },
      { user: VISITOR, scope: new RequestCache() },
    )
}

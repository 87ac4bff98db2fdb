import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { defaultPages } from '../../plugins/site/admin/pages/index.ts'
import { enter } from '../helpers/admin-lists.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../helpers/site-with-users.ts'
import { addObjects, filled, registered } from './filled-routes.ts'
import { requestAs, type Json } from './request-as.ts'

/** Ways to send a list or a map in place of a text. */
const FORMS = [
  '[raw]=1',
  '[]=1',
  '[a][b]=1',
  '[]=1&NAME[]=x',
  '[0][raw]=',
  '[raw]=1&NAME=2',
  '[__proto__]=1',
  '[toString]=1',
]

/** Parameters of pages that are no arguments of routes. */
const OF_PAGES = (
  's p page_id paged page cat tag author m year monthnum day name attachment feed preview preview_id preview_nonce ' +
  'rest_route replytocom cpage unapproved post_type orderby order embed url format maxwidth redirect_to action log pwd ' +
  'reauth key login error loggedout app_name app_id success_url reject_url sitemap tab role status per_page search id ' +
  '_fields _embed _envelope _method _locale _jsonp context password'
).split(' ')

const PAGES = [
  '/',
  '/hello/',
  '/?p=1',
  '/feed/',
  '/comments/feed/',
  '/hello/feed/',
  '/sitemap.xml',
  '/robots.txt',
  '/nothing-here/',
  '/author/ann-w/',
  '/category/uncategorized/',
  '/2025/',
  '/hello/embed/',
  '/index.php',
]

/** Parameters that routes require, by the end of their path. */
const REQUIRED: readonly (readonly [end: string, parameters: Readonly<Record<string, string>>])[] = [
  ['/embed', { url: '/hello/' }],
  ['/proxy', { url: '/hello/' }],
  ['/url-details', { url: '/hello/' }],
  ['/lookup', { slug: 'index' }],
  ['/view-config', { kind: 'postType', name: 'post' }],
  ['/site-title', { context: 'edit' }],
]

/** Routes that return an error without parameters: a site with block themes has no widgets, and fetches no own URL. */
const UNAVAILABLE = /\/(?:sidebars|widgets|widget-types|url-details|proxy)(?:\/|$)|\/introspect$/

/** Values of groups of admin pages, or lists whose first item has the value. */
const OF_ADMIN_PAGES: Readonly<Record<string, string>> = {
  'content/:type/:id': 'posts',
  'terms/:taxonomy/:id': 'categories',
  ':type': 'post',
  ':step': 'site',
  ':taxonomy': 'category',
  ':group': 'reading',
  ':name': 'feeds',
}

/**
 * Shares of the parameters to send, by word: number of forms of each parameter, number of routes with equal arguments,
 * and the distance between the parameters that an admin page gets.
 */
const WORDS = [
  { word: 'svc', forms: FORMS.length, routesPerKind: Infinity, adminStep: 1 },
  { word: 'wp', forms: 1, routesPerKind: 1, adminStep: 4 },
] as const

/** Returns the queries of a parameter in some of the forms. @param turn which forms, so that all are sent in turns */
const queries = (name: string, count: number, turn: number) =>
  Array.from({ length: count }, (_, at) => `${name}${FORMS[(turn + at) % FORMS.length]!.replaceAll('NAME', name)}`)

const requiredOf = (site: SiteWithUsers, path: string, without = '') =>
  Object.entries(REQUIRED.find(([end]) => path.endsWith(end))?.[1] ?? {})
    .filter(([name]) => name !== without)
    .map(([name, value]) => `${name}=${encodeURIComponent(name === 'url' ? `${site.home}${value}` : value)}`)
    .join('&')

interface ReadRoute {
  readonly path: string
  readonly args: readonly string[]
}

/** Returns the readable routes with the paths of existing objects. */
async function readRoutes(site: SiteWithUsers, routesPerKind: number): Promise<ReadRoute[]> {
  const root = await requestAs(site, 'admin', 'GET', '/')
  const counts = new Map<string, number>()
  const routes: ReadRoute[] = []
  for (const [pattern, route] of Object.entries(root.body.routes as Record<string, Json>)) {
    const endpoint = route.endpoints.find(({ methods }: Json) => methods.includes('GET'))
    if (endpoint === undefined || /change|events/.test(pattern)) continue
    const args = Object.keys(endpoint.args as object)
    // Routes of the same kind have the same groups and arguments.
    const kind = `${pattern.replace(/^.*?(?=\(\?P|$)/, '')} ${args.join(' ')}`
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
    if (counts.get(kind)! > routesPerKind) continue
    const path = await filled(site, pattern)
    assert.ok(path !== null, `${pattern} has an object`)
    const { status, text } = await requestAs(site, 'admin', 'GET', `${path}?${requiredOf(site, path)}`)
    if (UNAVAILABLE.test(path)) assert.ok(status < 500, `${status} for ${path}: ${text}`)
    else assert.is(status, 200, `${path}: ${text.slice(0, 300)}`)
    routes.push({ path, args })
  }
  return routes
}

/** Returns the paths of the admin pages, of existing objects. */
async function adminPaths(site: SiteWithUsers): Promise<string[]> {
  const { branding } = site.kernel
  const idOf = async (list: string) => {
    // The page of the own user redirects to the account.
    if (list === 'users') return String(site.users.con)
    const path = `/${branding.namespace('v2')}/${list}?per_page=1`
    const { body } = await requestAs(site, 'admin', 'GET', path)
    return String(body[0].id)
  }
  const paths: string[] = [`${branding.authorizePath}?app_name=A`]
  for (const { path } of defaultPages) {
    if (path === 'log-out') continue
    const list = OF_ADMIN_PAGES[path.replace(/\/revisions$/, '')] ?? path.split('/')[0]!
    const id = path.includes(':id') ? await idOf(list) : ''
    const required = path === 'users/delete' ? `?ids=${site.users.con}` : ''
    paths.push(
      branding.adminPath + path.replace(/:\w+/g, (group) => (group === ':id' ? id : OF_ADMIN_PAGES[group]!)) + required,
    )
  }
  return paths
}

for (const { word, forms, routesPerKind, adminStep } of WORDS) {
  for (const { name, place } of databases) {
    const all = suite(`nested parameters with the word ${word} on ${name}`)

    all('cause no server error in any readable route', async () => {
      await using site = await serveWithUsers(place, { word, add: [registered] })
      await addObjects(site)
      const problems = new Set<string>()
      let requests = 0
      for (const { path, args } of await readRoutes(site, routesPerKind)) {
        for (const arg of args) {
          for (const query of queries(arg, forms, requests)) {
            for (const login of ['visitor', 'admin'] as const) {
              requests += 1
              const url = `${path}?${[query, requiredOf(site, path, arg)].join('&')}`
              const headers = login === 'visitor' ? {} : site.by(login)
              const response = await site.inject(url, { headers })
              const text = await response.text()
              if (response.status >= 500 && response.status !== 501)
                problems.add(`${response.status} ${login} ${url}: ${text.slice(0, 160)}`)
            }
          }
        }
      }
      assert.equal([...problems], [])
      assert.ok(requests > 300 * forms, `${requests} requests`)
    })

    all('cause no server error on any page', async () => {
      await using site = await serveWithUsers(place, { word, add: [registered] })
      await addObjects(site)
      // Without it, the pages of the setup redirect to the dashboard.
      await site.kernel.services.options.set('site_setup', { status: 'started', steps: [] })
      const { branding } = site.kernel
      const browser = await enter(site, 'admin')
      const problems: string[] = []
      const pages = [...PAGES, branding.loginPath, `/${branding.prefix}/`]
      const admin = await adminPaths(site)
      for (const page of admin) {
        const response = await browser.open(page)
        assert.is(response.status, 200, `${page}: ${response.headers.get('location')}`)
        await response.arrayBuffer()
        const visitor = await fetch(site.home + page, { redirect: 'manual' })
        assert.match(visitor.headers.get('location') ?? '', branding.loginPath, page)
      }
      let requests = 0
      const visitAdmin = (url: string) => browser.open(url)
      const send = async (page: string, query: string, open: (url: string) => Promise<Response>) => {
        requests += 1
        const url = `${page}${page.includes('?') ? '&' : '?'}${query}`
        const response = await open(url)
        await response.arrayBuffer()
        const location = response.headers.get('location') ?? ''
        if (response.status >= 500 || (open === visitAdmin && location.includes(branding.loginPath)))
          problems.push(`${response.status} ${url} ${location}`)
      }
      const visit = (url: string) => fetch(site.home + url, { redirect: 'manual' })
      for (const page of pages)
        for (const query of OF_PAGES.flatMap((one, at) => queries(one, forms, requests + at)))
          await send(page, query, visit)
      for (const [at, page] of admin.entries()) {
        for (const [number, parameter] of OF_PAGES.entries()) {
          if ((at + number) % adminStep !== 0) continue
          for (const query of queries(parameter, 1, at + number)) await send(page, query, visitAdmin)
        }
      }
      assert.ok(requests > 1000, `${requests} requests`)
      assert.equal(problems, [])
    })

    all.run()
  }
}

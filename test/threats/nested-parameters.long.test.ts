import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts } from '../helpers/content.ts'
import { databases, serveWithUsers } from '../helpers/site-with-users.ts'
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
  '/svc-login',
  '/author/ann-w/',
  '/category/uncategorized/',
  '/2025/',
  '/hello/embed/',
  '/svc-json/',
  '/index.php',
]

const ADMIN_PAGES = [
  '',
  'posts',
  'posts/new',
  'pages',
  'media',
  'comments',
  'users',
  'users/new',
  'account',
  'settings',
  'appearance',
  'menus',
  'plugins',
  'import',
  'jobs',
  'trace',
  'authorize-application',
  'tools',
  'health',
].map((page) => `/svc-admin/${page}`)

const queries = (name: string) => FORMS.map((form) => `${name}${form.replaceAll('NAME', name)}`)

for (const { name, place } of databases) {
  const all = suite(`nested parameters on ${name}`)

  all('cause no server error in any readable route', async () => {
    await using site = await serveWithUsers(place)
    const [post] = await addPosts(site.store, { title: 'Nested' })
    const root = await requestAs(site, 'admin', 'GET', '/')
    const problems: string[] = []
    let requests = 0
    for (const [pattern, route] of Object.entries(root.body.routes as Record<string, Json>)) {
      const endpoint = route.endpoints.find(({ methods }: Json) => methods.includes('GET'))
      if (endpoint === undefined || /change|events/.test(pattern)) continue
      const path = pattern.replace(/\(\?P<[^>]*>(?:\[[^\]]*\]|\\.|[^()[\]\\]|\((?:[^()])*\))*\)/g, String(post))
      for (const arg of Object.keys(endpoint.args as object)) {
        for (const query of queries(arg)) {
          for (const login of ['visitor', 'admin'] as const) {
            requests += 1
            const required =
              pattern.includes('oembed') && arg !== 'url' ? `&url=${encodeURIComponent(`${site.home}/hello/`)}` : ''
            const { status, text } = await requestAs(site, login, 'GET', `${path}?${query}${required}`)
            if (status >= 500 && status !== 501)
              problems.push(`${status} ${login} ${path}?${query}: ${text.slice(0, 160)}`)
          }
        }
      }
    }
    assert.equal([...new Set(problems)], [])
    assert.ok(requests > 1000, `${requests} requests`)
  })

  all('cause no server error on any page', async () => {
    await using site = await serveWithUsers(place)
    const problems: string[] = []
    for (const page of [...PAGES, ...ADMIN_PAGES]) {
      for (const query of OF_PAGES.flatMap(queries)) {
        const headers = page.startsWith('/svc-admin') ? site.by('admin') : {}
        const url = `${site.home}${page}${page.includes('?') ? '&' : '?'}${query}`
        const response = await fetch(url, { headers, redirect: 'manual' })
        await response.arrayBuffer()
        if (response.status >= 500) problems.push(`${response.status} ${page}?${query}`)
      }
    }
    assert.equal(problems, [])
  })

  all.run()
}

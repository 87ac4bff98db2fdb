import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { formNonce } from '../../../../helpers/admin-forms.ts'
import { browse, type Browser } from '../../../../helpers/browser.ts'
import { dangersIn } from '../../../../helpers/dangers.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../../helpers/site-with-users.ts'
import type { PageHandlers } from '../../../../../plugins/public.ts'

/** A page of the admin at the path of an existing object. */
interface Place {
  readonly path: string
  readonly actions: readonly string[]
}

/** All pages of the admin, including pages of other plugins, with their form actions. */
async function placesOf(site: SiteWithUsers, ids: Readonly<Record<string, string | number>>): Promise<Place[]> {
  const places: Place[] = []
  for (const page of site.kernel.services.admin.pages()) {
    const handlers: PageHandlers = 'load' in page ? await page.load() : page
    const [first = ''] = page.path.split('/')
    const named = { ':type': 'post', ':taxonomy': 'category', ':group': 'reading', ':name': 'jobs' }
    const path = page.path.replace(/:\w+/g, (name) =>
      String(name === ':id' ? (ids[first] ?? 1) : (named[name as keyof typeof named] ?? 1)),
    )
    places.push({ path, actions: Object.keys(handlers.actions ?? {}) })
  }
  return places
}

const LONG = 'x'.repeat(2_000)
const MARKUP = `"'><img src=x onerror=pwned()><script>pwned()</script></textarea></title><svg onload=pwned()>`
/** Unexpected values; `FIELD` is replaced by the field name. */
const HOSTILE: readonly (readonly [name: string, value: string])[] = [
  ['FIELD', 'a\0b'],
  ['FIELD', '\ud800'],
  ['FIELD', LONG],
  ['FIELD', '99999999999999'],
  ['FIELD', '-1'],
  ['FIELD', '{"a":'],
  ['FIELD', MARKUP],
  ['FIELD', '[[[]]]'],
  ['FIELD[]', 'a'],
  ['FIELD[a][b][c]', 'a'],
  ['FIELD[__proto__][x]', 'a'],
  ['FIELD[constructor]', 'a'],
]
const OTHERS: readonly (readonly [string, string])[] = [
  ['__proto__', 'a'],
  ['__proto__[polluted]', 'a'],
  ['constructor[prototype][polluted]', 'a'],
  [`meta${'[a]'.repeat(500)}`, 'a'],
]
/** Fields that pages read but do not show. */
const READ = [
  'ids',
  'id',
  'row',
  'title',
  'content',
  'name',
  'slug',
  'parent',
  'order',
  'items',
  'meta',
  'session',
  'uuid',
  'status',
  'date',
  'what',
  'mark',
  'was',
  'reassign',
]
const QUERIES = [
  'orderby',
  'order',
  'cursor',
  'per_page',
  'page',
  'after',
  'before',
  'status',
  'author',
  'search',
  'parent',
  'categories',
  'ids',
  'role',
  'type',
  'taxonomy',
  'from',
  'to',
  'format',
  'message',
  'redirect_to',
  'post',
  'state',
  'plugin',
  'month',
  'mime',
  'view',
  'item',
  'compare',
]

/** Scripts of the admin, and the import map, which contains only URLs of the server. */
const isOwn = (script: ReadonlyMap<string, string>) =>
  script.get('src')?.includes('/svc-admin/assets/') === true || script.get('type') === 'importmap'

for (const { name, place } of databases) {
  const hostile = suite(`hostile requests to the admin on ${name}`)

  const open = async () => {
    const site = await serveWithUsers(place)
    const admin = browse(site)
    await admin.logIn('admin', 'pass phrase of admin')
    const comment = await site.send('POST', '/svc/v2/comments', { post: 1, content: 'Well said' }, 'admin')
    const menu = await site.send('POST', '/svc/v2/menus', { name: 'Main' }, 'admin')
    const ids = {
      users: site.users.shy,
      comments: ((await comment.json()) as { id: number }).id,
      menus: ((await menu.json()) as { id: number }).id,
    }
    return { site, admin, ids }
  }

  const nonceOf = async (browser: Browser) => formNonce(await (await browser.open('/svc-admin/account')).text())

  hostile('cause no server error with any URL', async () => {
    const { site, admin, ids } = await open()
    await using _ = site
    const values = ['a\0b', '99999999999999999999', '-1', '2026-99-99', LONG, MARKUP, '\ufffd']
    const failed: string[] = []
    const others = new Set<string>()
    for (const { path } of await placesOf(site, ids)) {
      if (path === 'log-out') continue
      for (const value of values) {
        for (const names of [
          QUERIES,
          ...(path.split('/').length < 3 && value.startsWith('9') ? QUERIES.map((one) => [one]) : []),
        ]) {
          const query = new URLSearchParams(names.map((one) => [one, value.slice(0, names.length > 1 ? 200 : 3000)]))
          const response = await admin.open(`/svc-admin/${path}?${query.toString()}`)
          const text = await response.text()
          if (response.status >= 500 || dangersIn(text, isOwn).length > 0)
            failed.push(`${response.status} ${path} ${names.join()}=${value.slice(0, 20)}`)
        }
      }
      for (const id of ['99999999999', '-1', '0', '1e3', '%00', '%ff', 'constructor', '__proto__'])
        others.add(path.replace(/\/[^/]+$/, `/${id}`))
    }
    for (const path of others) {
      const { status } = await admin.open(`/svc-admin/${path}`)
      if (status >= 500) failed.push(`${status} ${path}`)
    }
    assert.equal(failed, [])
  })

  hostile('cause no server error with any form field', async () => {
    const { site, admin, ids } = await open()
    await using _ = site
    const nonce = await nonceOf(admin)
    const failed: string[] = []
    for (const { path, actions } of await placesOf(site, ids)) {
      if (path === 'log-out') continue
      const html = await (await admin.open(`/svc-admin/${path}`)).text()
      const shown = [...html.matchAll(/\sname="([^"]+)"/g)].map(([, one = '']) => one.replace(/\[\]$/, ''))
      const fields = [...new Set([...READ, ...shown])].filter((one) => !['_svcnonce', 'do', 'viewport'].includes(one))
      for (const action of [...actions, 'constructor', '__proto__']) {
        if (['end-session', 'end-sessions', 'password'].includes(action) && path === 'account') continue
        // Unknown objects are refused before the fields are parsed.
        const patterns = actions.includes(action) ? HOSTILE : HOSTILE.slice(0, 1)
        for (const [pattern, value] of patterns) {
          const form = fields.map((one) => [pattern.replace('FIELD', one), value])
          const { status, dangers } = await sent(path, [...form, ...OTHERS], action)
          if (dangers.length > 0) failed.push(`${path} ${action} shows ${dangers.join()}`)
          if (status >= 500) failed.push(`${status} ${path} ${action} ${pattern}=${value.slice(0, 20)}`)
        }
        const many = Array.from({ length: 500 }, (_one, index) => ['ids[]', String(index + 1e6)])
        const { status } = await sent(path, many, action)
        if (status >= 500) failed.push(`${status} ${path} ${action} with hundreds of ids`)
      }
    }
    assert.equal(failed, [])
    assert.is(({} as Record<string, unknown>)['polluted'], undefined)

    /** The status of the response, and what would run in its page: all of it is shown in forms again. */
    async function sent(path: string, fields: readonly (readonly string[])[], action: string) {
      const body = new URLSearchParams([
        ['_svcnonce', nonce],
        ['do', action],
        ...fields.map(([one = '', value = '']) => [one, value]),
      ])
      const response = await admin.open(`/svc-admin/${path}`, { method: 'POST', body })
      const text = await response.text()
      // Previews contain the unfiltered HTML of administrators in a page without scripts.
      const isPage = response.headers.get('content-type')?.includes('html') === true
      const isShut = response.headers.get('content-security-policy')?.includes('sandbox allow-same-origin') === true
      const isShown = isPage && !isShut && text.includes('pwned')
      return { status: response.status, dangers: isShown ? dangersIn(text, isOwn) : [] }
    }
  })

  hostile.run()
}

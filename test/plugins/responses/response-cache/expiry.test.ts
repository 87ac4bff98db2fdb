import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { cacheUntil } from '../../../../plugins/library/caching/index.ts'
import { nextOffsetChange } from '../../../../plugins/resources/index.ts'
import { addPosts } from '../../../helpers/content.ts'
import { openShop } from '../../../helpers/shop.ts'
import { as, serve, type Site } from '../../../helpers/site.ts'
import { until } from '../../../helpers/until.ts'

// Responses that change at a known time are cached until then.

const expiry = suite('response-cache expiry')

const realNow = Date.now
let ahead = 0
expiry.before.each(() => {
  ahead = 0
  Date.now = () => realNow() + ahead
})
expiry.after.each(() => {
  Date.now = realNow
})

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const originOf = async (site: Site, path: string) => {
  const response = await (path.startsWith('/svc/') ? site.get(path) : fetch(`${site.home}${path}`))
  await response.text()
  return response.headers.get('x-svc-cache')
}

expiry('a response is cached until cacheUntil, and its Cache-Control ages end there', async () => {
  const cache_control = 'public, max-age=600, s-maxage=3600, stale-while-revalidate=60'
  const plugins = { 'response-cache': { cache_control } }
  await using shop = await openShop(
    {
      soon: (request) => request.cacheUntil(Date.now() + 2 * MINUTE) ?? {},
      twice: (request) => {
        request.cacheUntil(Date.now() + HOUR)
        cacheUntil(Date.now() + 2 * MINUTE)
        return {}
      },
    },
    { plugins },
  )
  for (const route of ['soon', 'twice']) {
    assert.equal(await shop.cacheStatuses(route, 3), ['MISS', 'HIT', 'HIT'], route)
    ahead += MINUTE
    const { cache, response } = await shop.getRoute(route)
    assert.is(cache, 'HIT', route)
    const [age, shared, stale] = response.headers.get('cache-control')!.match(/\d+/g)!.map(Number)
    for (const seconds of [age!, shared!]) assert.ok(seconds > 50 && seconds <= 60, `${route}: ${seconds}`)
    assert.ok(stale! <= 60)
    // The date would not change when the response expires.
    assert.is(response.headers.get('last-modified'), null)
    ahead += MINUTE
    assert.equal(await shop.cacheStatuses(route, 2), ['MISS', 'HIT'], route)
    shop.sell()
    assert.equal(await shop.cacheStatuses(route, 2), ['MISS', 'HIT'], route)
  }
})

expiry('an age never extends beyond cacheUntil', async () => {
  const plugins = { 'response-cache': { cache_control: 'public, max-age=60, stale-while-revalidate=30' } }
  await using shop = await openShop(
    { soon: (request) => request.cacheUntil(realNow() + 10 * MINUTE) ?? {} },
    { plugins },
  )
  await shop.cacheStatuses('soon', 3)
  for (const left of [600_000, 59_000, 1000]) {
    ahead = 10 * MINUTE - left
    const { cache, response } = await shop.getRoute('soon')
    const [age, stale] = response.headers.get('cache-control')!.match(/\d+/g)!.map(Number)
    assert.is(cache, 'HIT')
    assert.ok(age! * 1000 <= left, `${age} s with ${left} ms left`)
    assert.is(stale, 0)
  }
})

expiry('a past cacheUntil becomes the date of the response', async () => {
  const passed = realNow() + HOUR
  await using shop = await openShop({ soon: () => ({}), late: (request) => request.cacheUntil(passed) ?? {} })
  // The latest registration dates all responses.
  await shop.getRoute('soon')
  ahead = 2 * HOUR
  const { response } = await shop.getRoute('late')
  const dated = Date.parse(response.headers.get('last-modified')!)
  assert.is(dated, Math.floor(passed / 1000) * 1000)
  const statusSince = async (time: number) => {
    const headers = { 'if-modified-since': new Date(time).toUTCString() }
    return (await shop.get('/shop/v1/late', headers)).status
  }
  assert.equal([await statusSince(dated - 1000), await statusSince(dated)], [200, 304])
})

expiry('an expired item is prepared again, and the other items of its list are not', async () => {
  const { definePlugin, trustPlugins } = await import('../../../../kernel/index.ts')
  const computedIds: unknown[] = []
  const fields = definePlugin({
    name: 'timed-fields',
    needs: ['extra-fields', 'posts'],
    apply: ({ services }) =>
      services.extraFields.register('post', 'left', {
        get_callback: ({ id }) => {
          computedIds.push(id)
          if (id === 1) cacheUntil(Date.now() + MINUTE)
          return 1
        },
      }),
  })
  trustPlugins([fields])
  await using site = await serve({ add: [fields] })
  await addPosts(site.store, { id: 1, title: 'One' }, { id: 2, title: 'Two' })
  for (const path of ['/svc/v2/posts', '/svc/v2/posts?per_page=2', '/svc/v2/posts/1']) await originOf(site, path)
  computedIds.length = 0
  assert.is(await originOf(site, '/svc/v2/posts'), 'HIT')
  ahead = MINUTE + 1000
  for (const path of ['/svc/v2/posts', '/svc/v2/posts?per_page=2']) assert.is(await originOf(site, path), 'MISS')
  assert.equal(computedIds, [1])
})

/** Content that changes by time, with how long it stays the same and when it expires. */
const TIMED: Record<string, { content: string; stays: number; ends: number; options?: Record<string, unknown> }> = {
  'a calendar, until midnight': { content: '<!-- wp:calendar /-->', stays: 0, ends: DAY },
  'how long ago a post was published': {
    content: '<!-- wp:post-date {"format":"human-diff"} /-->',
    stays: HOUR / 4,
    ends: HOUR,
  },
  'a gallery in random order, for an hour': { content: '[gallery orderby="rand"]', stays: HOUR - MINUTE, ends: HOUR },
}

for (const [label, { content, stays, ends }] of Object.entries(TIMED)) {
  expiry(`content is cached with ${label}`, async () => {
    await using site = await serve()
    const at = new Date(realNow() - 5 * HOUR).toISOString().slice(0, 19).replace('T', ' ')
    await addPosts(site.store, { id: 1, title: 'One', slug: 'one', content, date: at, date_gmt: at })
    const page = new URL(((await site.json('/svc/v2/posts/1')) as { link: string }).link).pathname
    for (const path of ['/svc/v2/posts', '/svc/v2/posts/1', page]) {
      const begin = ahead
      await originOf(site, path)
      assert.is(await originOf(site, path), 'HIT', path)
      ahead = begin + stays
      assert.is(await originOf(site, path), 'HIT', path)
      ahead = begin + ends + 1000
      assert.is(await originOf(site, path), 'MISS', path)
      assert.is(await originOf(site, path), 'HIT', path)
    }
  })
}

expiry('comments on old posts close in time even if the post is cached', async () => {
  await using site = await serve()
  const at = new Date(realNow() - DAY + HOUR).toISOString().slice(0, 19).replace('T', ' ')
  await addPosts(site.store, { id: 1, title: 'One', slug: 'one', comment_status: 'open', date: at, date_gmt: at })
  const { options } = site.kernel.services
  await options.set('close_comments_for_old_posts', true)
  await options.set('close_comments_days_old', 1)
  const page = new URL(((await site.json('/svc/v2/posts/1')) as { link: string }).link).pathname
  const shown = async () => {
    const response = await fetch(`${site.home}${page}`)
    return [(await response.text()).includes('name="comment"'), response.headers.get('x-svc-cache')]
  }
  assert.equal(
    [await shown(), await shown()],
    [
      [true, 'MISS'],
      [true, 'HIT'],
    ],
  )
  ahead = HOUR + 1000
  assert.equal(
    [await shown(), await shown()],
    [
      [false, 'MISS'],
      [false, 'HIT'],
    ],
  )
})

expiry('the index is cached until the UTC offset of the time zone changes', async () => {
  await using site = await serve()
  const { options } = site.kernel.services
  const index = async () => {
    const response = await site.get('/')
    const { gmt_offset } = (await response.json()) as { gmt_offset: number }
    return [gmt_offset, response.headers.get('x-svc-cache')]
  }
  await options.set('timezone', 'Europe/Berlin')
  const change = nextOffsetChange('Europe/Berlin')! * 1000
  const [before] = await index()
  assert.equal(await index(), [before, 'HIT'])
  ahead = change - realNow() + 1000
  const [after, origin] = await index()
  assert.is(origin, 'MISS')
  assert.is(Math.abs((after as number) - (before as number)), 1)
  await options.set('timezone', 'Asia/Tokyo')
  await index()
  ahead += 300 * DAY
  assert.equal(await index(), [9, 'HIT'])
})

expiry('nextOffsetChange returns the changes to and from daylight saving time', () => {
  const at = (text: string) => Date.parse(text) / 1000
  for (const [zone, from, change] of [
    ['Europe/Berlin', '2025-01-15T00:00:00Z', '2025-03-30T01:00:00Z'],
    ['Europe/Berlin', '2025-03-30T01:00:00Z', '2025-10-26T01:00:00Z'],
    ['America/New_York', '2025-11-02T05:59:59Z', '2025-11-02T06:00:00Z'],
    ['Australia/Lord_Howe', '2025-01-01T00:00:00Z', '2025-04-05T15:00:00Z'],
  ] as const)
    assert.is(nextOffsetChange(zone, at(from)), at(change), `${zone} after ${from}`)
  for (const zone of ['Asia/Tokyo', 'UTC', 5.5, '+02:00'])
    assert.is(nextOffsetChange(zone, at('2025-01-15T00:00:00Z')), null)
})

expiry('searches and 404 pages are cached for a minute', async () => {
  await using site = await serve()
  await addPosts(site.store, { id: 1, title: 'One' })
  for (const path of ['/?s=one', '/nothing/']) {
    assert.equal([await originOf(site, path), await originOf(site, path)], ['MISS', 'HIT'], path)
    ahead += 73_000
    assert.is(await originOf(site, path), 'MISS', path)
  }
})

expiry('each value of a parameter that a page reads is cached separately', async () => {
  await using site = await serve({ plugins: { 'site-pages': {} } })
  const list =
    '<!-- wp:query {"queryId":3,"query":{"perPage":1,"postType":"post"}} --><div><!-- wp:post-template --><!-- wp:post-title /--><!-- /wp:post-template --></div><!-- /wp:query -->'
  await addPosts(
    site.store,
    { id: 1, title: 'Oldest', date: '2024-01-01 00:00:00' },
    { id: 2, title: 'Newest', date: '2024-01-02 00:00:00' },
    { id: 3, title: 'List', slug: 'list', type: 'page', content: list, date: '2023-01-01 00:00:00' },
  )
  const shows = async (path: string) => {
    const response = await fetch(`${site.home}${path}`)
    const main = (await response.text()).match(/<main[\s\S]*<\/main>/)?.[0] ?? ''
    return `${['Newest', 'Oldest'].filter((title) => main.includes(title)).join()} ${response.headers.get('x-svc-cache')}`
  }
  for (const origin of ['MISS', 'HIT']) {
    assert.is(await shows('/list/'), `Newest ${origin}`)
    assert.is(await shows('/list/?query-3-page=2'), `Oldest ${origin}`)
    assert.is(await shows('/list/?query-3-page=1'), `Newest ${origin}`)
  }
  // The last of two values counts, both for the page and for its cache key.
  assert.is(await shows('/list/?query-3-page=1&query-3-page=2'), 'Oldest HIT')
  assert.is(await shows('/list/?query-3-page=2&query-3-page=1'), 'Newest HIT')
  // A parameter that the page does not read is ignored.
  assert.is(await shows('/list/?query-4-page=2'), 'Newest HIT')
  const rest = async (page: number) => {
    const { content } = (await site.json(`/svc/v2/pages/3?query-3-page=${page}`)) as { content: { rendered: string } }
    return content.rendered.includes('Oldest')
  }
  for (let round = 0; round < 2; round += 1) assert.equal([await rest(1), await rest(2)], [false, true])
})

expiry('a theme without a folder is cached until the folder exists', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'themes-'))
  await using site = await serve({ plugins: { themes: { folder: folder.path, recheck: 0.05 } } })
  await site.kernel.services.options.set('theme', { stylesheet: 'late' })
  await addPosts(site.store, { id: 1, title: 'One' })
  const admin = as('administrator', 1)
  const themes = async () => {
    const response = await site.get('/svc/v2/themes', admin)
    const names = ((await response.json()) as { stylesheet: string }[]).map(({ stylesheet }) => stylesheet)
    return [names.includes('other'), response.headers.get('x-svc-cache')]
  }
  const templates = async () => {
    const response = await site.get('/svc/v2/templates', admin)
    const { length } = (await response.json()) as unknown[]
    return [length, response.headers.get('x-svc-cache')]
  }
  await until(async () => (await themes())[1] === 'HIT' && (await templates())[1] === 'HIT')
  const [before] = (await templates()) as [number]
  await mkdir(join(folder.path, 'late/templates'), { recursive: true })
  await mkdir(join(folder.path, 'other'))
  await writeFile(join(folder.path, 'late/style.css'), '/*\nTheme Name: Late\n*/\n')
  await writeFile(join(folder.path, 'other/style.css'), '/*\nTheme Name: Other\n*/\n')
  await writeFile(
    join(folder.path, 'late/templates/index.html'),
    '<!-- wp:paragraph --><p>Late</p><!-- /wp:paragraph -->',
  )
  await until(async () => ((await templates())[0] as number) > before)
  await until(async () => (await templates())[1] === 'HIT')
  await until(async () => (await themes())[0] === true)
  await until(async () => (await themes())[1] === 'HIT')
})

expiry('a login link is cached and redirects back to its own page', async () => {
  await using site = await serve()
  await addPosts(site.store, { id: 1, title: 'One', content: '<!-- wp:loginout {"redirectToCurrent":true} /-->' })
  const back = async (path: string) => {
    const response = await site.get(path)
    const [shown] = [await response.json()].flat() as { content: { rendered: string } }[]
    const url = /href="([^"]+)"/.exec(shown!.content.rendered)![1]!.replaceAll('&#038;', '&')
    return [new URL(url).searchParams.get('redirect_to')?.slice(site.home.length), response.headers.get('x-svc-cache')]
  }
  for (const origin of ['MISS', 'HIT'])
    for (const path of ['/svc/v2/posts', '/svc/v2/posts/1', '/svc/v2/posts?per_page=1'])
      assert.equal(await back(path), [`/svc-json${path.split('?', 1).join('')}`, origin])
  // Logged-in users get a nonce.
  assert.is((await site.get('/svc/v2/posts/1', as('subscriber', 1))).headers.get('x-svc-cache'), 'BYPASS')
})

expiry.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts } from '../helpers/content.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../helpers/site-with-users.ts'
import { requestAs, V2, type Login } from './request-as.ts'

// Limits for SQL statements and outgoing requests of one request, or of many equal requests.

const MANY = 25

for (const { name, place } of databases) {
  const costs = suite(`costs of requests on ${name}`)

  costs(
    'S47: include no SQL statements for 1 or 200 site health requests, which visitors and authors cannot send',
    async () => {
      await using site = await serveWithUsers(place)
      const { routes } = (await (await site.get('/', site.by('admin'))).json()) as { routes: Record<string, unknown> }
      const health = Object.keys(routes).filter((route) => /health|metrics|status\/|trace|jobs|usage$/.test(route))
      assert.ok(health.filter((route) => route.startsWith('/svc-site-health/')).length >= 6)
      const isFixed = (route: string) => !route.includes('(') && route.startsWith('/svc-site-health/v1/')
      for (const route of health) {
        const path = route.replaceAll(/\(\?P<\w+>[^)]*\)/g, '1')
        // The list of the routes of a namespace is for all.
        if (path === '/svc-site-health/v1') continue
        for (const login of ['visitor', 'sub', 'con', 'ann'] as const) {
          const { status } = await requestAs(site, login, 'GET', path)
          assert.ok([401, 403, 404].includes(status), `${path} by ${login}: ${status}`)
        }
      }
      for (const path of health.filter(isFixed)) {
        await requestAs(site, 'admin', 'GET', path)
        const once = await site.statements(() => requestAs(site, 'admin', 'GET', path))
        const often = await site.statements(() =>
          Promise.all(Array.from({ length: 200 }, () => requestAs(site, 'admin', 'GET', path))),
        )
        assert.equal([once.length, often.length], [0, 0], `${path}: ${once.concat(often).slice(0, 3).join('; ')}`)
      }
    },
  )

  costs('S48: do not grow if a request names an object 25 times instead of once', async () => {
    await using site = await serveWithUsers(place)
    const [post] = await addPosts(site.store, { title: 'One', content: 'Text', author_id: site.users.ann })
    const more = Array.from({ length: MANY }, (_, at) => ({ title: `P${at}`, author_id: site.users.ann }))
    const ids = await addPosts(site.store, ...more)
    const many = (text: string, between = ',') => Array.from({ length: MANY }, () => text).join(between)
    const pairs: [once: string, often: string][] = [
      [`/posts?include=${post}`, `/posts?include=${many(String(post))}`],
      [`/posts?include[]=${post}`, `/posts?${many(`include[]=${post}`, '&')}`],
      ['/posts?_embed', `/posts?_embed=${many('author')}`],
      ['/posts?_embed=author', `/posts?${many('_embed=author', '&')}`],
      ['/posts?_fields=id,content', `/posts?_fields=${many('id,content')}`],
      ['/posts?slug=one', `/posts?slug=${many('one')}`],
      ['/posts?author=3', `/posts?author=${many('3')}`],
      ['/posts?categories=1', `/posts?categories=${many('1')}`],
      ['/posts?status=publish', `/posts?status=${many('publish')}`],
      ['/categories?include=1', `/categories?include=${many('1')}`],
      ['/users?include=3', `/users?include=${many('3')}`],
      ['/comments?post=1', `/comments?post=${many('1')}`],
      ['/search?search=one&subtype=post', `/search?search=one&subtype=${many('post')}`],
      ['/search?search=one', `/search?search=${many('one', '+')}`],
      [`/posts/${post}?_embed=author`, `/posts/${post}?_embed=${many('author,replies,svc:term')}`],
    ]
    const count = async (path: string, login: Login = 'admin') => {
      const { status } = await requestAs(site, login, 'GET', `${V2}${path}`)
      const statements = await site.statements(() => fresh(site, () => requestAs(site, login, 'GET', `${V2}${path}`)))
      return [status, statements.length] as const
    }
    for (const [once, often] of pairs) {
      const [[oneStatus, one], [status, more]] = [await count(once), await count(often)]
      assert.is(status, oneStatus, often)
      assert.ok(one > 0, once)
      assert.ok(more <= one + 3, `${often} has ${more} statements in place of ${one}`)
    }
    // Different posts of one author: the author is read once.
    const [, baseline] = await count(`/posts?include=${ids.slice(0, 2).join()}&_embed=author`)
    const [, all] = await count(`/posts?include=${ids.join()}&per_page=100&_embed=author`)
    assert.is(all, baseline)
  })

  costs('S48: do not grow if a post contains a block 25 times instead of twice', async () => {
    await using site = await serveWithUsers(place)
    const block = (
      await requestAs(site, 'admin', 'POST', `${V2}/blocks`, { title: 'b', content: 'Shared', status: 'publish' })
    ).body.id
    const one = [
      `<!-- wp:block {"ref":${block}} /-->`,
      '<!-- wp:latest-posts /-->',
      '<!-- wp:categories /-->',
      '<!-- wp:archives /-->',
      '<!-- wp:page-list /-->',
      '<!-- wp:latest-comments /-->',
      '<!-- wp:tag-cloud /-->',
      '[gallery]',
    ]
    for (const markup of one) {
      const cost = async (times: number) => {
        const content = markup.repeat(times)
        const { id } = (
          await requestAs(site, 'admin', 'POST', `${V2}/posts`, { title: 'x', content, status: 'publish' })
        ).body
        const path = `${V2}/posts/${id}?_fields=content`
        const { text } = await requestAs(site, 'visitor', 'GET', path)
        const statements = await site.statements(() => fresh(site, () => requestAs(site, 'visitor', 'GET', path)))
        return { text, statements }
      }
      const [baseline, many] = [await cost(2), await cost(MANY)]
      assert.ok(many.text.length > 0)
      assert.ok(
        many.statements.length <= baseline.statements.length + 1,
        `${markup}: ${many.statements.length} statements in place of ${baseline.statements.length}`,
      )
    }
  })

  costs(
    'S48: are bounded for batches, which have a maximum number of requests and cannot contain batches',
    async () => {
      await using site = await serveWithUsers(place)
      const requests = (count: number, path: string) => ({
        requests: Array.from({ length: count }, () => ({ method: 'POST', path, body: { title: 'x' } })),
      })
      assert.is((await requestAs(site, 'admin', 'POST', '/batch/v1', requests(26, `${V2}/posts`))).status, 400)
      const nested = (await requestAs(site, 'admin', 'POST', '/batch/v1', requests(1, '/batch/v1'))).body
      assert.ok(nested.responses[0].status >= 400)
      const { responses } = (await requestAs(site, 'admin', 'POST', '/batch/v1', requests(25, `${V2}/posts`))).body
      assert.is(responses.length, 25)
    },
  )

  costs.run()
}

/** Runs a request as if nothing were cached: what it reads has just changed. */
async function fresh<T>(site: SiteWithUsers, work: () => Promise<T>): Promise<T> {
  await site.kernel.services.changes.touch(['*'])
  return work()
}

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { registrations, RestRequest, VISITOR, type CurrentUser } from '../../../../kernel/index.ts'
import { collectDependencies } from '../../../../plugins/library/caching/index.ts'
import { runWork, Work } from '../../../../kernel/work.ts'
import { furniture } from '../../../helpers/random-plugins.ts'
import { readOf, READS, UNREAD } from '../../../helpers/random-reads.ts'
import { RandomWriter } from '../../../helpers/random-site.ts'
import { randomOf } from '../../../helpers/random.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'

// For any write by any user: if a response has changed, a tag that it depends on has changed as well.

const WRITES = Number(process.env['SVC_TEST_WRITES'] ?? 70)
/**
 * Users that read, with their share of all reads. Few reads suffice to show whether responses of different users are
 * cached apart.
 */
const READERS = { visitor: 0.5, admin: 0.2, ed: 0.05, ann: 0.05, con: 0.05, sub: 0.05 } as const
/** Share of the expensive reads that is executed. */
const EXPENSIVE_SHARE = 0.3

interface CachedResponse {
  text: string
  tags: readonly string[]
  at: number
  registrations: number
  until: number
}

/** Renders a response and returns it with its tags, and whether it is cacheable. */
async function render(
  site: SiteWithUsers,
  path: string,
  user: CurrentUser,
): Promise<CachedResponse & { isCacheable: boolean }> {
  const at = site.kernel.services.changes.state()
  return collectDependencies(async (dependencies) => {
    const request = RestRequest.fromPath(path)
    request.user = user
    request.isIdentified = true
    const { response, text } = await site.kernel.server.serve(request)
    const whole = `${response.status} ${JSON.stringify(response.headers.toList())} ${String(text)}`
    const isCacheable = at !== null && dependencies.refusal === null && response.status === 200
    const { tags, until } = dependencies
    return { text: whole, tags: [...tags], at: at ?? 0, registrations: registrations(), until, isCacheable }
  })
}

/** Renders without cached values. */
function withoutCache<T>(render: () => Promise<T>): Promise<T> {
  const work = new Work()
  work.readsFresh = true
  return runWork(work, render)
}

for (const { name, place } of databases) {
  const soundness = suite(`dependencies of responses on ${name}`)

  soundness('change with every write that changes the response', async () => {
    const seed = Number(process.env['SVC_TEST_SEED'] ?? 1)
    // Without the response cache, every response is rendered; the caches of items stay on.
    await using site = await serveWithUsers(place, {
      add: [furniture],
      plugins: { 'response-cache': { enabled: false } },
    })
    const { changes, users } = site.kernel.services
    const random = randomOf(seed)
    const writer = new RandomWriter(site, random, [site.kernel])
    await writer.begin()
    const cached = new Map<string, CachedResponse>()
    let validCount = 0
    let readCount = 0
    for (let count = 0; count < WRITES; count += 1) {
      const { name: writeName, run } = writer.next()
      await run()
      for (const reader of Object.keys(READERS) as (keyof typeof READERS)[]) {
        const user = reader === 'visitor' ? VISITOR : ((await users.current(site.users[reader])) ?? VISITOR)
        for (const template of READS) {
          // Read at random, so that the cached responses have different ages.
          if (random() > READERS[reader] * (template.includes('_fields') ? 1 : EXPENSIVE_SHARE)) continue
          readCount += 1
          const path = readOf(template, writer.objects, site.users.ann)
          const key = `${reader} ${JSON.stringify(user)} ${path}`
          changes.state()
          const entry = cached.get(key)
          const isValid =
            entry?.registrations === registrations() &&
            entry.until > Date.now() &&
            changes.unchanged(entry.tags, entry.at)
          const fresh = await withoutCache(() => render(site, path, user))
          const location = `seed ${seed}, write ${count} (${writeName}): ${key}`
          if (isValid) {
            validCount += 1
            assert.is(entry.text, fresh.text, `${location} depends on ${entry.tags.join(' ')}`)
            continue
          }
          const rendered = await render(site, path, user)
          assert.is(rendered.text, fresh.text, `${location} is rendered from stale cached values`)
          if (rendered.isCacheable) cached.set(key, rendered)
          else cached.delete(key)
        }
      }
    }
    assert.ok(validCount > WRITES, `${validCount} cached responses were valid`)
    console.log(`${validCount} valid of ${readCount}`)
  })

  soundness('are checked for every route with GET', async () => {
    await using site = await serveWithUsers(place)
    const writer = new RandomWriter(site, randomOf(1), [])
    const paths = READS.map((template) => readOf(template, writer.objects, 1).split('?')[0]!)
    const routes = [...site.kernel.server.routes.values()].filter(({ endpoints }) =>
      endpoints.some(({ methods }) => methods.includes('GET')),
    )
    const unread = routes.filter(({ pattern }) => {
      const expression = new RegExp(`^${pattern.replaceAll('(?P<', '(?<')}$`)
      return !paths.some((path) => expression.test(path))
    })
    assert.equal(unread.map(({ pattern }) => pattern).toSorted(), Object.keys(UNREAD).toSorted())
  })

  soundness.run()
}

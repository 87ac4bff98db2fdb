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
/** Users that read, with their share of all reads. Few reads show whether responses of different users are kept apart. */
const READERS = { visitor: 0.5, admin: 0.2, ed: 0.05, ann: 0.05, con: 0.05, sub: 0.05 } as const
/** Share of the expensive reads that is made. */
const WHOLE = 0.3

interface Kept {
  text: string
  tags: readonly string[]
  at: number
  registrations: number
  until: number
}

/** A response with the tags that it depends on, and whether it may be kept. */
async function make(site: SiteWithUsers, path: string, user: CurrentUser): Promise<Kept & { mayBeKept: boolean }> {
  const at = site.kernel.services.changes.state()
  return collectDependencies(async (dependencies) => {
    const request = RestRequest.fromPath(path)
    request.user = user
    request.isIdentified = true
    const { response, text } = await site.kernel.server.serve(request)
    const whole = `${response.status} ${JSON.stringify(response.headers.toList())} ${String(text)}`
    const mayBeKept = at !== null && dependencies.refusal === null && response.status === 200
    const { tags, until } = dependencies
    return { text: whole, tags: [...tags], at: at ?? 0, registrations: registrations(), until, mayBeKept }
  })
}

/** Makes a response of nothing that is kept. */
function anew<T>(make: () => Promise<T>): Promise<T> {
  const work = new Work()
  work.readsFresh = true
  return runWork(work, make)
}

for (const { name, place } of databases) {
  const soundness = suite(`what responses are made of on ${name}`)

  soundness('changes whenever they do, whatever is written', async () => {
    const seed = Number(process.env['SVC_TEST_SEED'] ?? 1)
    // Whole responses are made anew each time; of what items look like, some is kept.
    await using site = await serveWithUsers(place, {
      add: [furniture],
      plugins: { 'response-cache': { enabled: false } },
    })
    const { changes, users } = site.kernel.services
    const random = randomOf(seed)
    const writer = new RandomWriter(site, random, [site.kernel])
    await writer.begin()
    const kept = new Map<string, Kept>()
    let used = 0
    let read = 0
    for (let count = 0; count < WRITES; count += 1) {
      const { name: what, run } = writer.next()
      await run()
      for (const reader of Object.keys(READERS) as (keyof typeof READERS)[]) {
        const user = reader === 'visitor' ? VISITOR : ((await users.current(site.users[reader])) ?? VISITOR)
        for (const template of READS) {
          // Some of them, so that some are older than others.
          if (random() > READERS[reader] * (template.includes('_fields') ? 1 : WHOLE)) continue
          read += 1
          const path = readOf(template, writer.objects, site.users.ann)
          const key = `${reader} ${JSON.stringify(user)} ${path}`
          changes.state()
          const known = kept.get(key)
          const isGood =
            known?.registrations === registrations() &&
            known.until > Date.now() &&
            changes.unchanged(known.tags, known.at)
          const fresh = await anew(() => make(site, path, user))
          const where = `seed ${seed}, write ${count} (${what}): ${key}`
          if (isGood) {
            used += 1
            assert.is(known.text, fresh.text, `${where} says ${known.tags.join(' ')}`)
            continue
          }
          const made = await make(site, path, user)
          assert.is(made.text, fresh.text, `${where} is put together of what is kept`)
          if (made.mayBeKept) kept.set(key, made)
          else kept.delete(key)
        }
      }
    }
    assert.ok(used > WRITES, `${used} could have been used`)
    console.log(`${used} used of ${read}`)
  })

  soundness('is looked at for every route that can be read', async () => {
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

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { collectDependencies, RestRequest, VISITOR, type CurrentUser } from '../../../../kernel/index.ts'
import { readOf, READS } from '../../../helpers/random-reads.ts'
import { RandomWriter } from '../../../helpers/random-site.ts'
import { randomOf } from '../../../helpers/random.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'

// Whatever is written, by whomever: what a response says it is made of has changed wherever the response has.

const WRITES = Number(process.env['SVC_TEST_WRITES'] ?? 60)
const READERS = ['visitor', 'admin', 'ed', 'ann', 'con', 'sub'] as const

interface Kept {
  text: string
  tags: readonly string[]
  at: number
}

/** A response that is made of what it says, or null where it must not be kept. */
async function make(site: SiteWithUsers, path: string, user: CurrentUser): Promise<Kept & { mayBeKept: boolean }> {
  const at = site.kernel.services.changes.state()
  return collectDependencies(async (dependencies) => {
    const request = RestRequest.fromPath(path)
    request.user = user
    request.isIdentified = true
    const { response, text } = await site.kernel.server.serve(request)
    const whole = `${response.status} ${JSON.stringify(response.headers.toList())} ${String(text)}`
    const mayBeKept = at !== null && dependencies.refusal === null && response.status === 200
    return { text: whole, tags: [...dependencies.tags], at: at ?? 0, mayBeKept }
  })
}

for (const { name, place } of databases) {
  const soundness = suite(`what responses are made of on ${name}`)

  soundness('changes whenever they do, whatever is written', async () => {
    const seed = Number(process.env['SVC_TEST_SEED'] ?? 1)
    // What is kept would say nothing of what it is made of.
    await using site = await serveWithUsers(place, { plugins: { 'response-cache': { enabled: false } } })
    const { changes, users } = site.kernel.services
    const random = randomOf(seed)
    const writer = new RandomWriter(site, random)
    await writer.begin()
    const kept = new Map<string, Kept>()
    let used = 0
    for (let count = 0; count < WRITES; count += 1) {
      const { name: what, run } = writer.next()
      await run()
      for (const reader of READERS) {
        const user = reader === 'visitor' ? VISITOR : ((await users.current(site.users[reader])) ?? VISITOR)
        for (const template of READS) {
          // Some of them, so that some are older than others.
          if (random() < 0.5) continue
          const path = readOf(template, writer.objects, site.users.ann)
          const key = `${reader} ${JSON.stringify(user)} ${path}`
          changes.state()
          const known = kept.get(key)
          const fresh = await make(site, path, user)
          if (known !== undefined && changes.unchanged(known.tags, known.at)) {
            used += 1
            assert.is(
              known.text,
              fresh.text,
              `seed ${seed}, write ${count} (${what}): ${key} says ${known.tags.join(' ')}`,
            )
          }
          if (fresh.mayBeKept && known === undefined) kept.set(key, fresh)
          else if (known !== undefined && !changes.unchanged(known.tags, known.at)) kept.delete(key)
        }
      }
    }
    assert.ok(used > WRITES, `${used} could have been used`)
    console.log(`${used} used of ${WRITES} × ${READS.length * READERS.length}`)
  })

  soundness.run()
}

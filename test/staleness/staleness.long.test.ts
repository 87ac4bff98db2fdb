import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { learned } from '../helpers/learned.ts'
import { furniture } from '../helpers/random-plugins.ts'
import { findStale } from '../helpers/staleness.ts'
import { serve } from '../helpers/site.ts'
import { databases, serveWithUsers, withUsers } from '../helpers/site-with-users.ts'

// Whatever is written, by whomever: what a server has kept is what one that keeps nothing would answer.

const WRITES = Number(process.env['SVC_TEST_WRITES'] ?? 40)
const SEED = Number(process.env['SVC_TEST_SEED'] ?? 1)
const HOME = 'http://localhost:8080'

for (const { name, place: makePlace } of databases) {
  const staleness = suite(`never stale on ${name}`)

  for (const servers of [1, 2]) {
    staleness(`${servers} of ${servers} servers with a cache answer as one without`, async () => {
      const place = await makePlace()
      await using uploads = await mkdtempDisposable(join(tmpdir(), 'stale-'))
      // Revoked passwords are sent again and again.
      const attempts = { tries: 1_000_000 }
      const config = { home: HOME, uploads: uploads.path, add: [furniture], plugins: { attempts } }
      await using first = await serveWithUsers(async () => place, config)
      const { users } = first
      await using second = withUsers(await serve({ database: place.url, ...config }), users)
      const uncached = { attempts, 'response-cache': { enabled: false } }
      await using fresh = withUsers(await serve({ database: place.url, ...config, plugins: uncached }), users)
      const sites = servers === 1 ? [first] : [first, second]
      const writers = [...sites, fresh]
      const { compared, hits, unchanged, stale } = await findStale({
        seed: SEED + servers,
        writes: WRITES,
        reads: 30,
        follows: async () => {
          for (const { store } of writers)
            await learned(store, ...writers.map((site) => site.store).filter((other) => other !== store))
        },
        roots: sites.map(({ listening }) => `${listening}/svc-json`),
        // A program beside the servers writes, too.
        writers,
        fresh,
        kernels: writers.map(({ kernel }) => kernel),
      })
      console.log(`${compared} compared, ${hits} of them kept, ${unchanged} not sent again`)
      assert.equal(stale, [])
      assert.ok(hits > compared * 0.2, `${hits} of ${compared} were kept`)
    })
  }

  staleness.run()
}

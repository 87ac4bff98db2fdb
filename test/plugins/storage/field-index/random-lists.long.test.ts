import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { as, serve, type Site } from '../../../helpers/site.ts'
import {
  addObjects,
  expectedIds,
  indexedKeys,
  OBJECTS,
  parametersOf,
  randomQuery,
  randomMeta,
  type Kind,
} from '../../../helpers/indexed-fields.ts'
import { places } from '../../../helpers/stores.ts'

const SEED = 20_261_123
const RUNS = Number(process.env['SVC_TEST_LISTS'] ?? 40)
const admin = as('administrator')

interface Item {
  id: number
}

async function page(site: Site, path: string) {
  const response = await site.get(path, admin)
  const items = (await response.json()) as Item[]
  assert.is(response.status, 200, JSON.stringify(items))
  const [, href] = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '') ?? []
  const total = response.headers.get('x-svc-total')
  return { ids: items.map(({ id }) => id), total, next: href?.slice(`${site.home}/svc-json`.length) ?? null }
}

/** Returns the IDs of the whole list, page by page with cursors. */
async function walk(site: Site, first: string) {
  const ids: number[] = []
  for (let next: string | null = first; next !== null;) {
    const read: Awaited<ReturnType<typeof page>> = await page(site, next)
    ids.push(...read.ids)
    next = read.next
  }
  return ids
}

for (const { name, make } of places) {
  const lists = suite(`random lists by meta, on ${name}`)

  for (const kind of Object.keys(OBJECTS) as Kind[])
    lists(`of ${OBJECTS[kind].route} contain exactly the matching objects`, async () => {
      await using place = await make()
      await using site = await serve({ database: place.url, add: [indexedKeys] })
      const metas = fc.sample(randomMeta, { numRuns: 24, seed: SEED })
      const objects = await addObjects(site, kind, metas)
      const property = fc.asyncProperty(randomQuery, async (query) => {
        const list = `/svc/v2/${OBJECTS[kind].route}?_fields=id&${parametersOf(query)}`
        const expected = expectedIds(objects, query).filter((id) => query.sort !== null || id > 0)
        const knownIds = new Set(objects.map(({ id }) => id))
        const whole = await page(site, `${list}&per_page=100`)
        const own = query.conditions.length > 0 || query.sort !== null
        const mine = own ? whole.ids : whole.ids.filter((id) => knownIds.has(id))
        // Other objects lack these keys, but match a condition that a key is missing.
        const matchesOthers = query.conditions.some(
          ({ compare, values }) => compare === 'exists' && values[0] === false,
        )
        assert.equal(matchesOthers ? mine.filter((id) => knownIds.has(id)) : mine, expected, list)
        assert.is(Number(whole.total), whole.ids.length, list)
        assert.equal((await page(site, `${list}&per_page=4&page=1`)).ids, whole.ids.slice(0, 4), list)
        if (whole.ids.length > 4)
          assert.equal((await page(site, `${list}&per_page=4&page=2`)).ids, whole.ids.slice(4, 8), list)
        assert.equal(await walk(site, `${list}&cursor=first&per_page=5`), whole.ids, list)
      })
      await fc.assert(property, { numRuns: RUNS, seed: SEED })
    })

  lists.run()
}

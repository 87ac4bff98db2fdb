import { readFile } from 'node:fs/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../kernel/index.ts'
import { fillSite, type SiteIds } from './bench/content.ts'
import { stopClockFor } from './helpers/clock.ts'
import { as, serve, type Site } from './helpers/site.ts'
import { places } from './helpers/stores.ts'

/** A row of the page. */
interface Documented {
  section: string
  /** Maximum number of statements in the section. */
  maximum: number
  request: string
  user: string
  statements: number
}

const page = await readFile(new URL('../docs/reference/statements.md', import.meta.url), 'utf8')
const documented = page.split(/^## /m).slice(1).flatMap(readSection)

function readSection(section: string): Documented[] {
  const [, name = '', maximum] = /^(.*): (\d+) at most$/m.exec(section) ?? []
  const rows = [...section.matchAll(/^\| `([^`]+)` \| (\w+) \| (\d+) \|$/gm)]
  return rows.map(([, request = '', user = '', statements]) => {
    return { section: name, maximum: Number(maximum), request, user, statements: Number(statements) }
  })
}

/** Enough objects for a page of 20 items, and for the related data of its last item. */
const SIZE = { posts: 30, pages: 30, categories: 30, tags: 30, users: 25, media: 30, comments: 3, revisions: 22 }

/** A meta key that lists filter and sort by. */
const views = definePlugin({
  name: 'views',
  needs: ['meta'],
  apply({ services }) {
    const spec = { type: 'integer', single: true, show_in_rest: true, filterable: true, sortable: true } as const
    services.meta.register('post', 'views', spec)
  },
})

for (const place of places) {
  const statements = suite(`statements, ${place.name}`)
  stopClockFor(statements)
  const opened = await place.make()
  const site = await serve({ database: opened.url, add: [views] })
  const ids = await fillSite(site.store, SIZE, site.kernel.branding.blockMark)
  const program = await programOf(site, ids)

  statements.after(async () => {
    await site[Symbol.asyncDispose]()
    await opened[Symbol.asyncDispose]()
  })

  statements('are documented for every section', () => {
    const sections = new Map(documented.map(({ section, maximum }) => [section, maximum]))
    assert.equal(
      [...sections],
      [
        ['Lists', 8],
        ['Single objects', 5],
        ['With everything embedded', 14],
      ],
    )
  })

  for (const { section, maximum, request, user, statements: expected } of documented) {
    statements(`have the documented number for ${request} by ${user} (${section})`, async () => {
      assert.ok(expected <= maximum, `${expected} exceeds the maximum ${maximum} of the section ${section}`)
      const headers = user === 'program' ? program : user === 'visitor' ? {} : as(user, ids.users[0])
      for (const count of request.includes('{n}') ? [5, 20] : [1]) {
        const path = fillIn(request, count, ids)
        const { body, executed } = await statementsOf(site, path, headers)
        if (request.includes('{n}')) assert.is((body as unknown[]).length, count, path)
        assert.is(executed.length, expected, `${path}\n${executed.map((sql) => sql.slice(0, 200)).join('\n')}`)
      }
    })
  }

  statements.run()
}

/** Sends a request twice, and returns the statements of the second. The first one identifies the user. */
async function statementsOf(site: Site, path: string, headers: Record<string, string>) {
  const first = await site.get(path, headers)
  assert.is(first.status, 200, path)
  await first.arrayBuffer()
  // Clears the caches, and then reads the user and the options, which are not counted.
  await site.store.changes.touch(['*'])
  await (await site.get('/svc/v2/statuses', headers)).arrayBuffer()
  let body: unknown
  const executed = await site.statements(async () => {
    body = await site.json(path, headers)
  })
  return { body, executed }
}

function fillIn(request: string, count: number, ids: SiteIds): string {
  const values: Record<string, string | number | undefined> = {
    n: count,
    post: ids.posts[0],
    page: ids.pages[5],
    image: ids.media[3],
    category: ids.categories[5],
    categories: ids.categories.join(),
    tag: ids.tags[3],
    user: ids.users[2],
    comment: ids.comments.at(-2),
  }
  return request.replace(/\{(\w+)\}/g, (mark, name: string) => `${values[name] ?? mark}`)
}

/**
 * Headers of a program with an application password of the administrator. Its last use is in the future, so that no
 * request updates it while statements are counted.
 */
async function programOf(site: Site, ids: SiteIds): Promise<Record<string, string>> {
  const { store, kernel } = site
  const { item, password } = await kernel.services.applicationPasswords.create(ids.users[0]!, { name: 'A program' })
  const used = { last_used: Math.floor(Date.now() / 1000) + 3600, last_ip: '127.0.0.1' }
  await store.run(store.db.updateTable('application_passwords').set(used).where('id', '=', item.id))
  return { authorization: `Basic ${Buffer.from(`writer0:${password}`).toString('base64')}` }
}

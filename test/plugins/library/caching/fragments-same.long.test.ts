import { suite } from 'uvu'
import { fragmentsOf } from '../../../../plugins/library/caching/index.ts'
import * as assert from 'uvu/assert'
import { fillSite } from '../../../bench/content.ts'
import { stopClockFor } from '../../../helpers/clock.ts'
import { addPosts } from '../../../helpers/content.ts'
import { as, serveOn, statementsOf, type Site } from '../../../helpers/site.ts'
import { databases } from '../../../helpers/site-with-users.ts'

const SIZE = { posts: 12, pages: 6, categories: 4, tags: 5, users: 4, media: 8, comments: 3, revisions: 2 }

const CONTEXTS = ['', 'context=view', 'context=embed', 'context=edit']
const FIELDS = ['', '_fields=id,title.rendered,_links', '_fields=_links.self,meta.nothing', '_fields=content,_embedded']
const OTHERS = ['', '_embed', '_embed=author,svc:term', '_envelope', '_embed&_envelope', 'password=secret']

interface Case {
  path: string
  by: string
  headers: Record<string, string>
}

/** The compared parts of a response. */
interface Seen {
  status: number
  text: string
  headers: (string | null)[]
}

for (const { name, place } of databases) {
  const same = suite(`responses from cached texts, ${name}`)
  stopClockFor(same)

  same('equal responses without a cache, for every user and request', async () => {
    await using site = await serveOn(await place(), { plugins: { 'response-cache': { enabled: false } } })
    const { users } = await fillSite(site.store, SIZE, site.kernel.branding.blockMark)
    await addPosts(
      site.store,
      { title: 'Behind a password', content: 'Hidden text', password: 'secret' },
      { title: 'Private', content: 'Private text', status: 'private', author_id: users[1] },
      { title: 'Draft é "quoted" \u2028', content: 'Draft text', status: 'draft', author_id: users[1] },
    )
    const cases = await casesOf(site, users)
    const seen: Seen[] = []
    const uncached = await site.statements(async () => {
      for (const one of cases) seen.push(await send(site, one))
    })
    // Nothing changes, so everything stays cached.
    fragmentsOf(site.kernel.server).keepBy({ state: () => 1, unchanged: () => true })
    for (const [index, one] of cases.entries()) assert.equal(await send(site, one), seen[index], titleOf(one, 'first'))
    const cached = await statementsOf(site.store, async () => {
      for (const [index, one] of [...cases.entries()].toReversed())
        assert.equal(await send(site, one), seen[index], titleOf(one, 'kept'))
    })
    // A single item is read even if its text is cached.
    assert.ok(cached.length < uncached.length * 0.7, `${cached.length} statements, ${uncached.length} before`)
  })

  same.run()
}

const titleOf = ({ path, by }: Case, when: string) => `${path}, asked by ${by}, ${when}`

async function send(site: Site, { path, headers }: Case): Promise<Seen> {
  const response = await site.get(path, headers)
  const shown = ['link', 'allow', 'x-svc-total', 'x-svc-totalpages'].map((header) => response.headers.get(header))
  return { status: response.status, text: await response.text(), headers: shown }
}

/** Each readable route and two items of each list, for different users and parameters. */
async function casesOf(site: Site, users: readonly number[]): Promise<Case[]> {
  const people: [string, Record<string, string>][] = [
    ['visitor', {}],
    ['subscriber', as('subscriber', users[3])],
    ['author', as('author', users[1])],
    ['administrator', as('administrator', users[0])],
  ]
  const paths = await pathsOf(site, people.at(-1)![1])
  const requests = CONTEXTS.flatMap((context) =>
    FIELDS.flatMap((fields) => OTHERS.map((other) => [context, fields, other])),
  )
  return paths.flatMap((path, place) =>
    people.flatMap(([by, headers], person) =>
      requests.flatMap((request, index) => {
        // A sample that differs for each route and user.
        if ((index * 7 + place * 3 + person) % 17 !== 0) return []
        const query = request.filter((part) => part !== '').join('&')
        return { path: query === '' ? path : `${path}?${query}`, by, headers }
      }),
    ),
  )
}

async function pathsOf(site: Site, headers: Record<string, string>): Promise<string[]> {
  const lists = [...site.kernel.server.routes.values()].filter(
    ({ pattern, endpoints }) => !pattern.includes('(') && endpoints.some(({ methods }) => methods.includes('GET')),
  )
  const paths: string[] = []
  for (const { pattern } of lists) {
    paths.push(pattern)
    const response = await site.get(`${pattern}?context=edit`, headers)
    // The theme export is a file.
    if (!response.ok || response.headers.get('content-type')?.includes('json') !== true) continue
    const items: unknown = await response.json()
    if (!Array.isArray(items)) continue
    for (const item of [items[0], items.at(-1)] as { id?: unknown }[])
      if (typeof item?.id === 'number') paths.push(`${pattern}/${item.id}`)
  }
  return paths
}

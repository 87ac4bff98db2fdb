import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RestRequest, type ArgumentSchema, type Params } from '../../kernel/index.ts'
import { addPosts } from '../helpers/content.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../helpers/site-with-users.ts'

// What reaches the database as text is made of the schema alone. Values that find nothing lead to the same statements.

const TEXTS = [
  'zzqa',
  'zzqb',
  "zz'or'1'='1",
  'zz%q',
  'zz_q',
  'zz;drop',
  'zz--q',
  'zz\\q',
  'zz؀١',
  'zz\u0000q',
  'zz$1',
  'zz?',
  '__proto__',
]
const NUMBERS = [900_001, 900_002, 987_654_321, 2 ** 52]
const TIMES = ['2301-01-01T00:00:00', '2302-02-02T02:02:02Z', '2303-03-03T03:03:03+03:30']
const EMAILS = ['zz@q.example', "o'zz@q.example"]

/** Values of one arity for an argument; none for one whose values the schema lists. */
function valuesFor(schema: ArgumentSchema): unknown[] {
  const { type, items, enum: listed, format, oneOf } = schema
  if (listed !== undefined) return []
  const list = items ?? oneOf?.find((form) => form.items !== undefined)?.items
  if (list !== undefined) return list.enum === undefined ? valuesFor(list).map((value) => [value]) : []
  if (type === 'integer') return NUMBERS
  if (type !== 'string') return []
  return format === 'date-time' ? TIMES : format === 'email' ? EMAILS : TEXTS
}

for (const { name, place } of databases) {
  const statements = suite(`SQL statements on ${name}`)

  /** Returns the statements of a request by an administrator. */
  const of = async (site: SiteWithUsers, path: string, query: Params) => {
    const request = new RestRequest('GET', path, { query })
    request.user = (await site.kernel.services.users.current(site.users.admin))!
    let status = 0
    const texts = await site.statements(async () => {
      status = (await site.kernel.server.dispatch(request)).status
    })
    assert.ok(status < 500, `${status} for ${path}`)
    return { status, texts }
  }

  statements('S2: are the same for all values of every argument of every list', async () => {
    await using site = await serveWithUsers(place)
    const [post] = await addPosts(site.store, { title: 'a', author_id: site.users.ed, status: 'publish' })
    await site.send('PUT', `/svc/v2/posts/${post}`, { content: 'b' }, 'ed')
    let compared = 0
    for (const { pattern, endpoints } of site.kernel.server.routes.values()) {
      const path = pattern.replace(/\(\?P<(?:parent|id)>[^)]*\)/, String(post))
      const endpoint = endpoints.find(({ methods }) => methods.includes('GET'))
      if (endpoint === undefined || endpoint.args['per_page'] === undefined || path.includes('(')) continue
      for (const [argument, schema] of Object.entries(endpoint.args)) {
        // How many are skipped, and whether there are more, is no secret.
        if (['page', 'per_page', 'offset'].includes(argument)) continue
        const values = valuesFor(schema)
        const [first] = values
        if (first === undefined) continue
        // The first request fills caches.
        await of(site, path, { [argument]: first, _fields: 'id' })
        const seen = new Map<string, unknown>()
        for (const value of values) {
          const { status, texts } = await of(site, path, { [argument]: value, _fields: 'id' })
          // Rejected values reach no statement.
          if (status !== 200) continue
          compared += 1
          seen.set(texts.join('\n'), value)
          for (const text of texts) assert.not.match(text, /zz|9000|987654|230[123]|١/, `${path}?${argument}`)
        }
        assert.ok(
          seen.size <= 1,
          `${path}?${argument}: ${JSON.stringify(
            [...seen].map(([text, value]) => [value, text]),
            null,
            1,
          )}`,
        )
      }
    }
    assert.ok(compared > 300, String(compared))
  })

  statements.run()
}

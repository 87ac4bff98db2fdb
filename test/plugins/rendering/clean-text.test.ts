import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Store } from '../../../plugins/storage/store/store.ts'
import { as, serveOn, type Site } from '../../helpers/site.ts'
import { places } from '../../helpers/stores.ts'

/** Matches characters that must not be stored. */
// oxlint-disable-next-line no-control-regex -- the test is about control characters
const UNCLEAN = /[\0-\x08\v\f\x0e-\x1f\x7f-\x9f]/
const CONTROLS = ['\0', '\x01', '\b', '\v', '\f', '\x1b', '\x1f', '\x7f', '\x85', '\x9f']
const HALVES = ['\ud800', '\udbff', '\udc00', '\udfff']
const HOSTILE = `a${CONTROLS.join('b')}c${HALVES.join('d')}\t\n\u{1f600}e`
const TABLES = [
  'posts',
  'post_meta',
  'terms',
  'term_meta',
  'users',
  'user_meta',
  'comments',
  'comment_meta',
  'options',
] as const

/** Returns the values that contain forbidden characters, with their location. */
function uncleanOf(location: string, value: unknown): string[] {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  const isUnclean = UNCLEAN.test(text) || /\\u(?:00[01]|d[89a-f])/i.test(text) || !text.isWellFormed()
  return isUnclean ? [`${location}: ${JSON.stringify(value)}`] : []
}

/** Returns the database values that contain forbidden characters, by table and column. */
async function uncleanIn(store: Store): Promise<string[]> {
  const found: string[] = []
  for (const table of TABLES) {
    for (const row of await store.all<Record<string, unknown>>(store.db.selectFrom(table as 'posts').selectAll())) {
      for (const [column, value] of Object.entries(row)) found.push(...uncleanOf(`${table}.${column}`, value))
    }
  }
  return found
}

const ADMIN = as('administrator', 1)

/** Returns the fields in each format a client can send. */
function forms(
  fields: Record<string, unknown>,
): [headers: Record<string, string>, body: string | Buffer, query: string][] {
  const json = JSON.stringify(fields)
  const pairs = Object.entries(fields).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  // Forms with lone surrogates are refused: their bytes are not valid text.
  const wellFormed = (text: string) => text.replace(/\p{Surrogate}/gu, '')
  const encode = (text: string) => encodeURIComponent(wellFormed(text))
  const form = pairs.map(([name, value]) => `${name}=${encode(value)}`).join('&')
  const parts = pairs.map(([name, value]) => {
    const head = `--x\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: text/plain; charset=utf-16le\r\n\r\n`
    return Buffer.concat([Buffer.from(head), Buffer.from(wellFormed(value), 'utf16le'), Buffer.from('\r\n')])
  })
  return [
    [{ 'content-type': 'application/json' }, json, ''],
    [{ 'content-type': 'application/json' }, JSON.stringify({ ...fields, [HOSTILE]: HOSTILE }), ''],
    [{ 'content-type': 'application/x-www-form-urlencoded' }, form, ''],
    [{ 'content-type': 'multipart/form-data; boundary=x' }, Buffer.concat([...parts, Buffer.from('--x--\r\n')]), ''],
    [{}, '', `?${form}`],
  ]
}

const PATHS = ['posts', 'pages', 'categories', 'tags', 'users', 'settings'].map((name) => `/svc/v2/${name}`)

let count = 0

/** Sends requests that store texts with forbidden characters. */
async function send(site: Site): Promise<void> {
  const post = async (path: string, headers: Record<string, string>, body: string | Buffer) => {
    const answer = await site.request(path, {
      method: 'POST',
      headers: { ...ADMIN, ...headers },
      body: body as string,
    })
    assert.ok(answer.status < 500, `${path} ${JSON.stringify(headers)}: ${answer.status}`)
    return answer.status
  }
  const texts = () => {
    count += 1
    const own = `${HOSTILE}${count}`
    return {
      title: own,
      content: own,
      excerpt: own,
      slug: own,
      password: own,
      name: own,
      description: own,
      status: 'publish',
      username: `user${count}${'\0'}`,
      email: `u${count}@example.com`,
      url: `https://example.com/${HOSTILE}`,
      first_name: own,
      nickname: own,
      meta: { note: own, [HOSTILE]: own },
    }
  }
  let stored = 0
  for (const [index, path] of PATHS.entries()) {
    const all = forms(texts())
    // Two formats for each path cover every format on several paths.
    for (const [headers, body, query] of [all[index % all.length]!, all[(index + 2) % all.length]!]) {
      if ((await post(`${path}${query}`, headers, body)) < 300) stored += 1
    }
  }
  const requests = [
    { path: '/svc/v2/posts', body: texts() },
    { path: '/svc/v2/posts?title=%00%01%ED%A0%80x', body: {} },
  ]
  await post('/batch/v1', { 'content-type': 'application/json' }, JSON.stringify({ requests }))
  assert.ok(stored > 6, `${stored} requests stored something`)
  for (const [headers, body] of forms({
    post: '1',
    content: HOSTILE,
    author_name: HOSTILE,
    author_user_agent: HOSTILE,
  }))
    await post('/svc/v2/comments', { ...headers, 'user-agent': 'a\x85\x9fb' }, body)
  for (const name of [
    "filename*=UTF-8''a%00%01%7f%C2%85b.txt",
    "filename*=iso-8859-1''a%00%85b.txt",
    'filename="a\x85b.txt"',
  ])
    await post('/svc/v2/media', { 'content-type': 'text/plain', 'content-disposition': `attachment; ${name}` }, 'text')
}

for (const { name, make } of places) {
  const clean = suite(`clean text, ${name}`)

  clean('S25: stores no lone surrogates and no control characters, in any request format', async () => {
    await using site = await serveOn(await make())
    site.kernel.services.meta.register('post', 'note', { type: 'string', single: true, show_in_rest: true })
    // Check statements too: databases silently repair some of these characters.
    const sent: string[] = []
    site.store.onStatement(({ sql, parameters }) => {
      for (const parameter of parameters) sent.push(...uncleanOf(sql, parameter))
    })
    await send(site)
    assert.equal(sent, [])
    assert.equal(await uncleanIn(site.store), [])
    const response = await site.request('/svc/v2/posts', {
      method: 'POST',
      headers: { ...ADMIN, 'content-type': 'application/json' },
      body: '{"title":"a\\u0000b\\ud800c\\ud83d\\ude00","status":"publish"}',
    })
    assert.is(((await response.json()) as { title: { raw: string } }).title.raw, 'ab\uFFFDc\u{1f600}')
  })

  clean.run()
}

import { request } from 'node:http'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../kernel/index.ts'
import { endpointsOf } from '../audit/cases.ts'
import type { Schema } from '../audit/values.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../helpers/site-with-users.ts'
import { add, requestAs, V2, type Json } from './request-as.ts'
import { pathsOf } from './paths.ts'

/** What other query languages would read from a URL: filters, operators, joins, orders and selections of columns. */
const UNKNOWN = [
  'where[password]=x',
  'where=1',
  '_where[email_contains]=a',
  'filter[email]=a',
  'filters[author][email][$startsWith]=a',
  'populate=*',
  'populate[author]=*',
  'select=password_hash',
  'columns=password_hash',
  'sort=password_hash',
  'sort[email]=asc',
  'order_by=email',
  '$where=1',
  '$or[0][id]=1',
  'or=1',
  'having=1',
  'group_by=email',
  'raw=1',
  'sql=select',
  'query[email]=a',
  'q[email_cont]=a',
  'status_draft=1',
  'post_status=draft',
  'post_type=revision',
  'post_password=x',
  'author_email=a',
  'user_pass=x',
  'readScope=null',
  'read_scope=',
  'limit=1',
  'limit[]=1',
  'meta_query[0][key]=x',
  'meta_key=x',
  'meta_value=x',
  'tax_query[0][terms]=1',
  'date_query[year]=2025',
  'fields=ids',
  'suppress_filters=1',
  'types[]=revision',
  'statuses[]=draft',
  'visibility=',
  'password_hash[like]=a%25',
  'posts.status=draft',
  'id[gt]=0',
  '__proto__[status]=draft',
  'constructor[prototype][x]=1',
  'hideEmpty=1',
  'offset[]=1',
  'publicationState=preview',
  'locale=all',
  'depth=9',
]

/** Values of the wrong type for meta, without those that section 7.1 of the specification accepts. */
const WRONG_META = {
  one: [0, 7, false, true, {}, [], { a: {} }, [[]], [null]],
  list: [false, {}, { a: {} }, [[]], { x: 1 }, [null]],
  box: ['x', 0, 7, false, true, { a: {} }, [[]], [null]],
  several: [false, {}, { a: {} }, [[]], { x: 1 }, [null]],
} as const

/** Removes nonces and tokens, which differ for each response. */
const shownOf = (text: string) => text.replaceAll(/"(?:nonce|token)":"[^"]*"/g, '')

/** Sends a request with a method that `fetch` does not know. */
function query(
  site: SiteWithUsers,
  path: string,
  body: string,
  headers: Record<string, string> = {},
  method = 'QUERY',
) {
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number
    headers: NodeJS.Dict<string | string[]>
    text: string
  }>()
  const sent = request(
    `${site.listening}${path}`,
    { agent: false, method, headers: { 'content-type': 'application/json', ...headers } },
    (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => void (text += piece))
      response.once('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }))
      response.once('error', reject)
    },
  )
  sent.once('error', reject)
  sent.end(body)
  return promise
}

const shelf = definePlugin({
  name: 'shelf',
  needs: ['meta', 'content-types'],
  apply({ services: { meta } }) {
    const shown = { single: true, show_in_rest: true } as const
    for (const type of ['post', 'term', 'comment', 'user'] as const) {
      meta.register(type, 'one', { type: 'string', ...shown })
      meta.register(type, 'list', {
        type: 'array',
        single: true,
        show_in_rest: { schema: { type: 'array', items: { type: 'string' } } },
      })
      meta.register(type, 'box', {
        type: 'object',
        single: true,
        show_in_rest: { schema: { type: 'object', properties: { a: { type: 'string' } } } },
      })
      meta.register(type, 'several', { type: 'string', single: false, show_in_rest: true })
    }
  },
})

for (const { name, place } of databases) {
  const layer = suite(`query layer on ${name}`)

  layer('S53: neither stores nor returns a cached response for the body of a QUERY request', async () => {
    await using site = await serveWithUsers(place)
    const post = await add(site, { title: 'One', status: 'publish' })
    const paths = [...new Set(await pathsOf(site, [post]))].map((path) => `/svc-json${path}`)
    for (const path of [...paths, '/', '/feed/', '/?s=one']) {
      const before = await query(site, path, '', {}, 'GET')
      const answers = []
      for (const body of [
        { per_page: 1 },
        { search: 'nothing at all', per_page: 1 },
        { include: [post] },
        { _fields: 'id' },
      ])
        answers.push(await query(site, path, JSON.stringify(body)))
      for (const { status, headers } of answers) {
        assert.not.equal(headers['x-svc-cache'], 'HIT', path)
        assert.not.match(String(headers['cache-control'] ?? ''), /public/, path)
        // No response that a shared cache may keep by its own rules (RFC 9111 4.2.2) for the URL alone.
        assert.ok(status >= 400, `${status} for QUERY ${path}`)
      }
      const after = await query(site, path, '', {}, 'GET')
      assert.equal([after.status, shownOf(after.text)], [before.status, shownOf(before.text)], path)
    }
    // Nor does a method override make a QUERY, or a body change a GET.
    for (const method of ['GET', 'HEAD'] as const) {
      const whole = await query(site, `/svc-json${V2}/posts`, '', {}, method)
      const withBody = await query(
        site,
        `/svc-json${V2}/posts`,
        JSON.stringify({ per_page: 1, search: 'zzz' }),
        {},
        method,
      )
      assert.equal([withBody.status, withBody.text], [whole.status, whole.text])
    }
    const overridden = await query(site, `/svc-json${V2}/posts`, '{}', { 'x-http-method-override': 'QUERY' }, 'POST')
    assert.ok(overridden.status >= 400)
  })

  layer('S55: ignores unknown parameters in responses and statements, on every route', async () => {
    await using site = await serveWithUsers(place, { plugins: { 'response-cache': { enabled: false } } })
    const post = await add(site, { title: 'One', status: 'publish', author_id: site.users.ann })
    await add(site, { title: 'Draft', status: 'draft', author_id: site.users.ann })
    const paths = [...new Set(await pathsOf(site, [post]))].filter(
      (path) => !/changes|health|url-details|proxy|abilities/.test(path),
    )
    const endpoints = endpointsOf(await (await site.get('/', site.by('admin'))).json()).filter(
      ({ method }) => method === 'GET',
    )
    let compared = 0
    for (const path of paths) {
      const declared = new Set(
        endpoints.filter(({ route }) => isRouteOf(route, path)).flatMap(({ args }) => Object.keys(args)),
      )
      const unknown = UNKNOWN.filter((one) => !declared.has(one.split(/[=[]/)[0]!))

      for (const login of ['visitor', 'admin'] as const) {
        const read = async (more: string) => {
          let answer!: Awaited<ReturnType<typeof requestAs>>
          const statements = await site.statements(
            async () => void (answer = await requestAs(site, login, 'GET', `${path}${more}`)),
          )
          return {
            status: answer.status,
            text: shownOf(answer.text),
            total: answer.headers.get('x-svc-total'),
            statements,
          }
        }
        const first = await read('')
        const plain = await read('')
        if (plain.status !== 200) continue
        compared += 1
        // The first request also reads cached options and styles.
        const expectedStatements = new Set([...first.statements, ...plain.statements])
        const isSame = ({ status, text, total, statements }: typeof plain) =>
          status === 200 &&
          text === plain.text &&
          total === plain.total &&
          statements.every((sql) => expectedStatements.has(sql))
        // All at once; one by one to name the one that makes a difference.
        if (isSame(await read(`?${unknown.join('&')}`))) continue
        for (const one of unknown) {
          const single = await read(`?${one}`)
          assert.ok(
            isSame(single),
            `${path}?${one} by ${login}: ${single.status} ${single.text.slice(0, 200)} ${single.statements.filter((sql) => !expectedStatements.has(sql)).join('; ')}`,
          )
        }
        assert.unreachable(`${path} by ${login}: all unknown parameters together make a difference`)
      }
    }
    assert.ok(compared > 60, `${compared} responses were compared`)
  })

  layer('S55: stores nothing for unknown parameters in a body', async () => {
    await using site = await serveWithUsers(place)
    const body = Object.fromEntries(UNKNOWN.map((one) => [one.split(/[=[]/)[0]!, 'x']))
    const columns = {
      post_author: 1,
      author_id: 1,
      password_hash: 'x',
      guid: 'x',
      ping: 'x',
      comment_count: 99,
      login: 'x',
      post_status: 'publish',
      type: 'page',
      parent_id: 1,
    }
    const one = await add(site, { title: 'One', status: 'draft', author_id: site.users.ann })
    const row = async () => site.store.first(site.store.db.selectFrom('posts').selectAll().where('id', '=', one))
    const before = await row()
    const { status } = await requestAs(site, 'ann', 'POST', `${V2}/posts/${one}`, { ...body, ...columns })
    assert.is(status, 200)
    const { modified: _, modified_gmt: __, ...unchanged } = before!
    const { modified: ___, modified_gmt: ____, ...now } = (await row())!
    assert.equal(now, unchanged)
  })

  layer('S56: never empties a stored list, object or text for a value of the wrong type', async () => {
    await using site = await serveWithUsers(place, { add: [shelf] })
    const tag = (await requestAs(site, 'admin', 'POST', `${V2}/tags`, { name: 'Tag' })).body.id
    const meta = { one: 'text', list: ['a', 'b'], box: { a: 'x' }, several: ['s', 't'] }
    const created = async (path: string, fields: object): Promise<string> => {
      const { status, body } = await requestAs(site, 'admin', 'POST', path, fields)
      assert.is(status, 201, JSON.stringify(body))
      return `${path}/${body.id}`
    }
    const text = { title: 'Title', content: 'Content', status: 'publish' }
    const post = await created(`${V2}/posts`, {
      ...text,
      excerpt: 'Excerpt',
      categories: [1],
      tags: [tag],
      meta,
      format: 'aside',
      sticky: true,
    })
    const menu = await created(`${V2}/menus`, { name: 'Menu', description: 'About' })
    const paths = [
      post,
      await created(`${V2}/pages`, { ...text, meta }),
      await created(`${V2}/blocks`, text),
      await created(`${V2}/navigation`, text),
      await created(`${V2}/categories`, { name: 'Cat', description: 'About', meta }),
      await created(`${V2}/comments`, { post: Number(post.split('/').at(-1)), content: 'Comment', meta }),
      await created(`${V2}/users`, {
        username: 'wrong',
        email: 'wrong@mail.example',
        password: 'a pass phrase of types',
        name: 'Wrong',
        roles: ['author'],
        meta,
      }),
      menu,
      await created(`${V2}/menu-items`, {
        title: 'Item',
        url: 'https://x.example/',
        menus: Number(menu.split('/').at(-1)),
        classes: ['a', 'b'],
        xfn: ['me'],
      }),
      `${V2}/settings`,
    ]
    await requestAs(site, 'admin', 'POST', `${V2}/templates/default//index`, { content: 'Template', title: 'Template' })
    paths.push(`${V2}/templates/default//index`)
    const endpoints = endpointsOf(await (await site.get('/', site.by('admin'))).json()).filter(
      ({ method }) => method === 'POST',
    )
    const argumentsOf = (path: string) => endpoints.find(({ route }) => isRouteOf(route, path))?.args ?? {}
    const erased: string[] = []
    let tried = 0
    for (const path of paths) {
      const args = argumentsOf(path)
      assert.ok(Object.keys(args).length > 3, path)
      const read = async () => (await requestAs(site, 'admin', 'GET', `${path}?context=edit`)).body
      for (const [field, schema] of Object.entries(args)) {
        if (/^_|^(?:id|context|rest_route|password|date|date_gmt|force)$/.test(field)) continue
        for (const wrong of wrongValues(schema)) {
          const [before, values] = [await read(), { [field]: wrong }]
          if (isEmpty(rawOf(before[field]))) continue
          tried += 1
          const { status } = await requestAs(site, 'admin', 'POST', path, values)
          const now = await read()
          const about = `${path} ${JSON.stringify(values)} (${status}): ${JSON.stringify(before[field])} became ${JSON.stringify(now[field])}`
          if (status >= 400) assert.equal(rawOf(now[field]), rawOf(before[field]), about)
          if (isPoorer(rawOf(before[field]), rawOf(now[field]))) {
            erased.push(about)
            await requestAs(site, 'admin', 'POST', path, { [field]: rawOf(before[field]) })
          }
        }
      }
      // Parts of meta, each of the wrong type.
      if (args['meta'] === undefined || (await read()).meta?.one === undefined) continue
      for (const key of Object.keys(meta))
        for (const wrong of WRONG_META[key as keyof typeof meta]) {
          const before = (await read()).meta
          tried += 1
          const { status } = await requestAs(site, 'admin', 'POST', path, { meta: { [key]: wrong } })
          const after = (await read()).meta
          if (isPoorer(before[key], after[key])) {
            erased.push(
              `${path} meta.${key} = ${JSON.stringify(wrong)} (${status}): ${JSON.stringify(before[key])} became ${JSON.stringify(after[key])}`,
            )
            await requestAs(site, 'admin', 'POST', path, { meta: { [key]: meta[key as keyof typeof meta] } })
          }
        }
    }
    assert.ok(tried > 300, `${tried} values were tried`)
    assert.equal(erased, [])
  })

  layer.run()
}

const isRouteOf = (route: string, path: string) => new RegExp(`^${route.replaceAll('?P<', '?<')}$`).test(path)

const rawOf = (value: Json): Json => (value !== null && typeof value === 'object' && 'raw' in value ? value.raw : value)

function isEmpty(value: Json): boolean {
  if (value === null || value === undefined || value === '' || value === 0 || value === false) return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** Whether something that held values holds none, or fewer keys. */
function isPoorer(before: Json, after: Json): boolean {
  if (isEmpty(before)) return false
  if (isEmpty(after)) return true
  if (before?.constructor !== Object || after?.constructor !== Object) return false
  return Object.keys(before).some((key) => isPoorer(before[key], after[key]))
}

/**
 * Values of types that a schema does not name. Some others are no mistakes by section 7.1 of the specification: an empty text
 * is an empty list or object, a number is a list of one, 0 is false, and an empty list is what servers show of an empty
 * object.
 */
function wrongValues({ type, properties }: Schema): unknown[] {
  const types = new Set([type ?? 'string'].flat())
  const isText = types.has('string') || (types.has('object') && properties !== undefined && 'raw' in properties)
  const isList = types.has('array')
  return [
    ...(isList ? [] : types.has('object') ? [[[]], ['']] : [[], [[]], ['']]),
    ...(types.has('object') ? [] : [{}, { a: {} }, { '': '' }]),
    ...(isText || isList ? [] : ['x', ...(types.has('object') ? [] : [''])]),
    ...(types.has('integer') || types.has('number') || isList || types.has('boolean') ? [] : [0, 7]),
    ...(types.has('boolean') ? [] : [false, true]),
    ...(types.has('null') || isText ? [] : [null]),
  ]
}

import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RestError, RestRequest, type Arguments, type Params } from '../../../kernel/index.ts'
import type { Envelope } from '../../../plugins/responses/envelope.ts'
import { stopClock } from '../../helpers/clock.ts'
import { as, serve, type ServeOptions, startOnly } from '../../helpers/site.ts'
import { places } from '../../helpers/stores.ts'
import { until } from '../../helpers/until.ts'

startOnly('batch')

const batch = suite('batch')

const open = { permission_callback: () => true }

/** Routes that write, fail, wait and echo, whose responses a batch must keep apart. */
const notes = definePlugin({
  name: 'notes',
  needs: ['store'],
  apply({ hooks, services: { store } }) {
    hooks.rest_api_init.tap('notes', (server) => {
      const args: Arguments = {
        number: { type: 'integer', minimum: 1, required: true },
        as: { type: 'string', default: '' },
      }
      const echo = (request: RestRequest) => ({ number: request.get('number'), user: request.user.id })
      server.registerRoute('notes/v1', 'good', {
        ...open,
        methods: 'POST, PUT, DELETE',
        args,
        allow_batch: true,
        callback: echo,
      })
      server.registerRoute('notes/v1', 'slow', {
        ...open,
        methods: 'POST',
        args,
        allow_batch: { v1: true },
        callback: async (request) => {
          await new Promise((resolve) => setImmediate(resolve))
          return echo(request)
        },
      })
      server.registerRoute('notes/v1', 'alone', { ...open, methods: 'POST', args, callback: echo })
      server.registerRoute('notes/v1', 'closed', {
        permission_callback: () => false,
        methods: 'POST',
        args,
        allow_batch: true,
        callback: echo,
      })
      server.registerRoute('notes/v1', 'broken', {
        ...open,
        methods: 'POST',
        args,
        allow_batch: true,
        callback: (request) => {
          throw new RestError('notes_broken', 'Broken.', { status: 409, number: request.get('number') })
        },
      })
      server.registerRoute('notes/v1', 'bad-check', {
        ...open,
        methods: 'POST',
        args: {
          x: {
            validate_callback: () => {
              throw new Error('no such luck')
            },
          },
        },
        allow_batch: true,
        callback: echo,
      })
      server.registerRoute('notes/v1', 'kept', {
        ...open,
        methods: 'POST',
        args: { name: { type: 'string', required: true } },
        allow_batch: true,
        callback: async (request) => {
          const name = `note_${String(request.get('name'))}`
          const { value } = (await store.first(
            store.db.insertInto('options').values({ name, value: '1' }).returning('value'),
          ))!
          return { name, value }
        },
      })
    })
  },
})

const served = (options: ServeOptions = {}) => serve({ add: [notes], ...options })
type Site = Awaited<ReturnType<typeof serve>>

async function send(site: Site, body: unknown, headers: Record<string, string> = {}) {
  const response = await site.request('/batch/v1', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  // oxlint-disable-next-line typescript/no-explicit-any -- the assertions check its shape
  return { status: response.status, json: (await response.json()) as any }
}

const codes = (answers: { body: { code?: string }; status: number }[]) =>
  answers.map((answer) => answer && `${answer.status} ${answer.body.code ?? ''}`.trim())

batch('responds to each request at its index, as to a separate request', async () => {
  await using site = await served()
  const { status, json } = await send(site, {
    requests: [
      { path: '/notes/v1/good', body: { number: 1 } },
      { path: '/notes/v1/good?number=2', method: 'DELETE' },
      { path: '/notes/v1/good', body: { number: 0 } },
      { path: '/notes/v1/closed', body: { number: 4 } },
      { path: '/notes/v1/alone', body: { number: 5 } },
      { path: '/notes/v1/nothing' },
      { path: 'http://:80' },
      { path: '/notes/v1/broken', body: { number: 8 } },
      { path: '/NOTES/v1/good/', body: { number: '9' }, method: 'PUT' },
    ],
  })
  assert.is(status, 207)
  assert.equal(codes(json.responses), [
    '200',
    '200',
    '400 rest_invalid_param',
    '401 rest_forbidden',
    '400 rest_batch_not_allowed',
    '404 rest_no_route',
    '400 parse_path_failed',
    '409 notes_broken',
    '200',
  ])
  assert.equal(json.responses[0], {
    body: { number: 1, user: 0 },
    status: 200,
    headers: { Allow: 'POST, PUT, DELETE' },
  })
  assert.equal(json.responses[5].headers, [])
  assert.is(json.responses[8].body.number, 9)
})

batch('ignores _envelope in the paths of its requests', async () => {
  await using site = await served()
  const { json } = await send(site, { requests: [{ path: '/notes/v1/good?_envelope&number=1&_fields=number' }] })
  assert.equal(json.responses, [{ body: { number: 1 }, status: 200, headers: { Allow: 'POST, PUT, DELETE' } }])
})

batch('distinguishes invalid paths from unknown routes (S37)', async () => {
  await using site = await served()
  const unreadable = ['///', '/%', '/%zz', '/a%00b', 'http://:80/b', 'javascript:1']
  const unknown = [
    '',
    'notes/v1/good',
    '?number=1',
    '/',
    '/nope?a=1#b',
    '/notes/v1/good%2f..',
    '/\\evil',
    '//host/notes',
    'http://a/b',
  ]
  const { json } = await send(site, { requests: [...unreadable, ...unknown].map((path) => ({ path })) })
  assert.equal(codes(json.responses), [
    ...unreadable.map(() => '400 parse_path_failed'),
    ...unknown.map(() => '404 rest_no_route'),
  ])
})

batch('ignores the host of absolute URLs', async () => {
  await using site = await served()
  const paths = ['https://example.com/notes/v1/good', 'http://localhost:1/notes/v1/good?a=1', '//host/notes/v1/good']
  const { json } = await send(site, { requests: paths.map((path) => ({ path, body: { number: 1 } })) })
  assert.equal(codes(json.responses), ['200', '200', '200'])
})

batch('refuses a batch within a batch', async () => {
  await using site = await served()
  const inner = { path: '/batch/v1', body: { requests: [{ path: '/notes/v1/good', body: { number: 1 } }] } }
  const { json } = await send(site, { requests: [inner] })
  assert.equal(codes(json.responses), ['400 rest_batch_not_allowed'])
})

batch('runs no request with require-all-validate if one is invalid', async () => {
  await using site = await served()
  const valid = { path: '/notes/v1/kept', body: { name: 'a' } }
  const bad = { path: '/notes/v1/good', body: { number: 'x' } }
  const refused = await send(site, {
    validation: 'require-all-validate',
    requests: [valid, bad, { path: '/nope' }, valid],
  })
  assert.is(refused.status, 207)
  assert.is(refused.json.failed, 'validation')
  assert.equal(codes(refused.json.responses), [null, '400 rest_invalid_param', '404 rest_no_route', null])
  const passed = await send(site, { validation: 'require-all-validate', requests: [valid] })
  assert.equal([passed.json.failed, passed.json.responses[0].status], [undefined, 200])
})

batch('responds with 500 to a request whose validation throws, and logs the error', async () => {
  const lines: string[] = []
  await using site = await served({ log: 'error', logTo: (line: string) => void lines.push(line) })
  const good = { path: '/notes/v1/good', body: { number: 1 } }
  for (const validation of ['normal', 'require-all-validate']) {
    const { json } = await send(site, {
      validation,
      requests: [good, { path: '/notes/v1/bad-check', body: { x: 1 } }, good],
    })
    assert.is(codes(json.responses)[1], '500 rest_internal_error', validation)
  }
  assert.match(lines.join(''), 'no such luck')
})

batch('limits the number of requests and the size of the body', async () => {
  await using site = await served({ plugins: { batch: { max_items: 3, max_bytes: 2000 } } })
  const good = { path: '/notes/v1/good', body: { number: 1 } }
  assert.is((await send(site, { requests: [good, good, good] })).status, 207)
  const many = await send(site, { requests: [good, good, good, good] })
  assert.equal(
    [many.status, many.json.code, Object.keys(many.json.data.params)],
    [400, 'rest_invalid_param', ['requests']],
  )
  const large = await send(site, { requests: [{ ...good, body: { number: 1, text: 'x'.repeat(2000) } }] })
  assert.equal([large.status, large.json.code], [413, 'rest_batch_too_large'])
  const described = (await (await site.request('/batch/v1', { method: 'OPTIONS' })).json()) as {
    endpoints: { args: { requests: { maxItems: number } } }[]
  }
  assert.is(described.endpoints[0]!.args.requests.maxItems, 3)
})

batch('limits the headers of each request as for an HTTP request (S37)', async () => {
  await using site = await served()
  const many = (count: number, value: unknown = 'a') =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, value]))
  const path = '/notes/v1/good?number=1'
  const refused = async (headers: object) => {
    const { status, json } = await send(site, { requests: [{ path }, { path, headers }] })
    assert.equal([status, json.code], [400, 'rest_invalid_param'])
    return json.data.params.requests
  }
  assert.is(await refused(many(101)), 'requests[1][headers] must have at most 100 properties.')
  assert.is(await refused(many(100, 'a'.repeat(200))), 'requests[1][headers] must have at most 16384 bytes.')
  assert.is(await refused({ x: 'é'.repeat(9000) }), 'requests[1][headers] must have at most 16384 bytes.')
  assert.is(await refused({ x: 'a'.repeat(17_000) }), 'requests[1][headers][x] must have at most 16384 characters.')
  assert.is(await refused(many(100, Array(100).fill('a'))), 'requests[1][headers] must have at most 16384 bytes.')
  const { status } = await send(site, { requests: [{ path, headers: many(100, 'a'.repeat(100)) }] })
  assert.is(status, 207)
})

for (const validation of ['normal', 'require-all-validate']) {
  batch(`yields to other requests between its own: ${validation} (S37)`, async () => {
    const seen: string[] = []
    let started = () => {}
    const busy = definePlugin({
      name: 'busy',
      apply({ hooks }) {
        const check = () => {
          seen.push('checked')
          started()
          const end = performance.now() + 15
          while (performance.now() < end);
          return validation === 'normal'
        }
        hooks.rest_api_init.tap('busy', (server) => {
          server.registerRoute('busy/v1', 'slow', {
            ...open,
            methods: 'POST',
            args: { x: { validate_callback: check } },
            allow_batch: true,
            callback: () => null,
          })
          server.registerRoute('busy/v1', 'other', { ...open, callback: () => void seen.push('other') })
        })
      },
    })
    await using site = await served({ add: [busy] })
    const first = new Promise<void>((resolve) => (started = resolve))
    const requests = Array.from({ length: 25 }, () => ({ path: '/busy/v1/slow?x=1' }))
    const sent = send(site, { validation, requests })
    await first
    await Promise.all([sent, site.request('/busy/v1/other')])
    assert.ok(seen.includes('other') && seen.at(-1) !== 'other', seen.join(' '))
  })
}

batch('refuses an invalid list of requests', async () => {
  await using site = await served()
  for (const requests of [undefined, 'x', [1], [{}], [{ path: 1 }], [{ path: '/', method: 'GET' }], { a: 1 }]) {
    const { status, json } = await send(site, { requests })
    assert.is(status, 400, JSON.stringify(requests))
    assert.match(json.code, /^rest_(?:invalid|missing_callback)_param$/)
  }
})

batch('runs all requests as its own user and ignores their credentials (S37)', async () => {
  const changing = definePlugin({
    name: 'changing',
    apply({ hooks }) {
      hooks.rest_api_init.tap('changing', (server) => {
        server.registerRoute('notes/v1', 'become', {
          ...open,
          methods: 'POST',
          allow_batch: true,
          callback: (request) => {
            request.user = { ...request.user, id: 999 }
            return 'changed'
          },
        })
      })
    },
  })
  await using site = await served({ add: [notes, changing] })
  const echoRequest = (headers: Record<string, string> = {}, body: Params = {}) => ({
    path: '/notes/v1/good',
    body: { number: 1, ...body },
    headers,
  })
  const nonce = site.kernel.branding.nonceParameter
  const { json } = await send(
    site,
    {
      requests: [
        echoRequest(),
        echoRequest(as('administrator', 1)),
        { path: '/notes/v1/become' },
        echoRequest({ authorization: `Basic ${btoa('admin:secret')}`, cookie: 'a=b' }, { [nonce]: 'x' }),
        echoRequest(),
      ],
    },
    as('editor', 7),
  )
  assert.equal(
    json.responses.map((answer: Envelope) => (answer.body as { user?: number }).user),
    [7, 7, undefined, 7, 7],
  )
})

/** Requests by kind, with a response that only this request can have. */
const KINDS: Record<
  string,
  (number: number) => { item: Params; status: number; body: (body: Params) => unknown; is: unknown }
> = {
  unparsable: (number) => ({
    item: { path: `http://:${number}`, body: { number } },
    status: 400,
    body: ({ code }) => code,
    is: 'parse_path_failed',
  }),
  unknown: (number) => ({
    item: { path: `/nope/${number}`, body: { number } },
    status: 404,
    body: ({ code }) => code,
    is: 'rest_no_route',
  }),
  forbidden: (number) => ({
    item: { path: '/notes/v1/closed', body: { number } },
    status: 401,
    body: ({ code }) => code,
    is: 'rest_forbidden',
  }),
  alone: (number) => ({
    item: { path: '/notes/v1/alone', body: { number } },
    status: 400,
    body: ({ code }) => code,
    is: 'rest_batch_not_allowed',
  }),
  invalid: (number) => ({
    item: { path: '/notes/v1/good', body: { number: -number } },
    status: 400,
    body: ({ code }) => code,
    is: 'rest_invalid_param',
  }),
  failing: (number) => ({
    item: { path: '/notes/v1/broken', body: { number } },
    status: 409,
    body: ({ data }) => (data as Params)['number'],
    is: number,
  }),
  good: (number) => ({
    item: { path: '/notes/v1/good', body: { number } },
    status: 200,
    body: (body) => body['number'],
    is: number,
  }),
  slow: (number) => ({
    item: { path: '/notes/v1/slow', body: { number } },
    status: 200,
    body: (body) => body['number'],
    is: number,
  }),
}

batch('responds to request i at index i in 10,000 shuffles of all kinds of requests (S37)', async () => {
  await using site = await served()
  const { server } = site.kernel
  let left = 10_000
  let number = 0
  const rounds = fc.sample(fc.shuffledSubarray(Object.keys(KINDS), { minLength: 4 }), { numRuns: left, seed: 37 })
  const one = async () => {
    for (;;) {
      const kinds = rounds[--left]
      if (kinds === undefined) return
      const cases = kinds.map((kind) => KINDS[kind]!((number += 1)))
      const form = { requests: cases.map(({ item }) => item) }
      const { data } = await server.dispatch(new RestRequest('POST', '/batch/v1', { form }))
      const { responses } = data as { responses: { status: number; body: Params }[] }
      assert.is(responses.length, cases.length)
      for (const [at, { status, body, is }] of cases.entries()) {
        if (responses[at]!.status !== status || body(responses[at]!.body) !== is) {
          assert.equal(responses[at], { status, is }, kinds.join())
        }
      }
    }
  }
  // Concurrently, so that requests can interfere.
  await Promise.all(Array.from({ length: 20 }, one))
  assert.ok(number > 40_000)
})

const TIME = 1000

/** A route that stores a note when `release` is called, and promises for its start and end. */
function holding() {
  const [started, released, done] = [1, 2, 3].map(() => Promise.withResolvers<void>()) as [Step, Step, Step]
  const plugin = definePlugin({
    name: 'holding',
    needs: ['store'],
    apply({ hooks, services: { store } }) {
      hooks.rest_api_init.tap('holding', (server) => {
        const callback = async () => {
          started.resolve()
          await released.promise
          try {
            await store.run(store.db.insertInto('options').values({ name: 'note_held', value: '1' }))
          } finally {
            done.resolve()
          }
          return 'stored'
        }
        server.registerRoute('notes/v1', 'held', { ...open, methods: 'POST', allow_batch: true, callback })
      })
    },
  })
  return { plugin, started: started.promise, release: released.resolve, done: done.promise }
}
type Step = PromiseWithResolvers<void>

const noteRequest = (note: string) => ({ path: '/notes/v1/kept', body: { name: note } })
const HELD = { path: '/notes/v1/held' }

async function notesOf({ store }: Site): Promise<string[]> {
  const rows = await store.all(store.db.selectFrom('options').select('name').where('name', 'like', 'note%'))
  return rows.map((row) => row.name).sort()
}

for (const { name, make } of places) {
  batch(`reports finished and aborted requests correctly after a timeout, on ${name}`, async () => {
    using clock = stopClock()
    const held = holding()
    await using place = await make()
    await using site = await served({
      add: [notes, held.plugin],
      database: place.url,
      limits: { requestTimeout: TIME },
    })
    const answer = send(site, { requests: [noteRequest('a'), noteRequest('b'), HELD, noteRequest('c')] })
    await held.started
    clock.advance(TIME)
    const { status, json } = await answer
    assert.is(status, 207)
    assert.equal(codes(json.responses), ['200', '200', '503 rest_handler_timeout', '503 rest_handler_timeout'])
    held.release()
    await held.done
    assert.equal(await notesOf(site), ['note_a', 'note_b'])
  })

  batch(`keeps changes from before a disconnect and makes no further ones, on ${name}`, async () => {
    const held = holding()
    await using place = await make()
    await using site = await served({ add: [notes, held.plugin], database: place.url })
    const leaving = new AbortController()
    const pending = site.request('/batch/v1', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ requests: [noteRequest('a'), HELD, noteRequest('c')] }),
      signal: leaving.signal,
    })
    const failed = pending.then(
      () => 'answered',
      () => 'gone',
    )
    await held.started
    leaving.abort()
    assert.is(await failed, 'gone')
    // The server notices the disconnect before it accepts another connection.
    await until(() => site.get('/').then(({ ok }) => ok))
    held.release()
    await held.done
    assert.is((await send(site, { requests: [noteRequest('d')] })).status, 207)
    assert.equal(await notesOf(site), ['note_a', 'note_d'])
  })

  batch(`rolls back a transaction that times out, on ${name}`, async () => {
    using clock = stopClock()
    const [late, early] = [holding(), holding()]
    await using place = await make()
    const config = { database: place.url, plugins: { batch: { transactions: true } }, limits: { requestTimeout: TIME } }
    const requests = [noteRequest('a'), HELD, noteRequest('c')]
    {
      await using site = await served({ add: [notes, late.plugin], ...config })
      const answer = send(site, { transaction: true, requests })
      await late.started
      clock.advance(TIME)
      const { status, json } = await answer
      assert.equal([status, json.code], [503, 'rest_handler_timeout'])
      late.release()
      await late.done
      assert.is((await send(site, { requests: [noteRequest('d')] })).status, 207)
      assert.equal(await notesOf(site), ['note_d'])
    }
    await using site = await served({ add: [notes, early.plugin], ...config })
    const answer = send(site, { transaction: true, requests })
    await early.started
    clock.advance(TIME - 1)
    early.release()
    assert.equal(codes((await answer).json.responses), ['200', '200', '200'])
    const stored = await notesOf(site)
    assert.ok(['note_a', 'note_c', 'note_held'].every((note) => stored.includes(note)))
  })

  batch(`rolls back a transaction if one request fails, on ${name}`, async () => {
    await using place = await make()
    await using site = await served({ database: place.url, plugins: { batch: { transactions: true } } })
    const storedNotes = () => notesOf(site)
    const failing = { path: '/notes/v1/broken', body: { number: 3 } }

    const undone = await send(site, {
      transaction: true,
      requests: [noteRequest('a'), noteRequest('b'), failing, noteRequest('c')],
    })
    assert.is(undone.status, 207)
    assert.equal(codes(undone.json.responses), [
      '409 rest_batch_rolled_back',
      '409 rest_batch_rolled_back',
      '409 notes_broken',
      '409 rest_batch_rolled_back',
    ])
    assert.equal(await storedNotes(), [])

    const collided = await send(site, { transaction: true, requests: [noteRequest('a'), noteRequest('a')] })
    assert.equal(codes(collided.json.responses), ['409 rest_batch_rolled_back', '500 rest_internal_error'])
    assert.equal(await storedNotes(), [])

    const done = await send(site, { transaction: true, requests: [noteRequest('a'), noteRequest('b')] })
    assert.equal(codes(done.json.responses), ['200', '200'])
    assert.equal(await storedNotes(), ['note_a', 'note_b'])

    const each = await send(site, { requests: [noteRequest('c'), failing, noteRequest('d')] })
    assert.equal(codes(each.json.responses), ['200', '409 notes_broken', '200'])
    assert.equal(await storedNotes(), ['note_a', 'note_b', 'note_c', 'note_d'])
  })
}

batch('ignores transaction unless the option is enabled', async () => {
  await using site = await served()
  const requests = [
    { path: '/notes/v1/kept', body: { name: 'a' } },
    { path: '/notes/v1/broken', body: { number: 1 } },
  ]
  const { json } = await send(site, { transaction: true, requests })
  assert.equal(codes(json.responses), ['200', '409 notes_broken'])
})

/** Invalid values for the argument `number` (an integer from 1 to 100). */
const BAD_NUMBERS = [
  0,
  -1,
  101,
  1.5,
  'x',
  '1x',
  '0x10',
  '1e3',
  '9e99',
  ' ',
  [1],
  { a: 1 },
  null,
  true,
  "1' or '1'='1",
  '１',
]

batch('validates arguments of direct, batched, modified and internal requests (S3)', async () => {
  const reached: unknown[] = []
  let planted: unknown
  const guarded = definePlugin({
    name: 'guarded',
    apply({ hooks }) {
      hooks.rest_api_init.tap('guarded', (server) => {
        server.registerRoute('guard/v1', 'it', {
          ...open,
          methods: 'GET, POST',
          args: { number: { type: 'integer', minimum: 1, maximum: 100, required: true } },
          allow_batch: true,
          callback: (request) => {
            reached.push(request.get('number'))
            return null
          },
        })
      })
      hooks.rest_pre_dispatch.tap('guarded', (result, _server, request) => {
        if (planted !== undefined && request.route === '/guard/v1/it') request.set('number', planted)
        return result
      })
    },
  })
  await using site = await serve({ add: [guarded] })
  const { server } = site.kernel
  const path = '/guard/v1/it'
  for (const number of BAD_NUMBERS) {
    const shown = JSON.stringify(number)
    const one = async (status: number) => assert.is(status, 400, shown)
    await one((await server.dispatch(new RestRequest('POST', path, { json: { number } }))).status)
    await one((await server.dispatch(new RestRequest('POST', path, { form: { number } }))).status)
    await one((await server.dispatch(new RestRequest('GET', path, { query: { number } }))).status)
    if (typeof number !== 'object')
      await one((await server.dispatch(`${path}?number=${encodeURIComponent(String(number))}`)).status)
    const direct = await site.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ number }),
    })
    await one(direct.status)
    const { json } = await send(site, { requests: [{ path, body: { number } }] })
    await one(json.responses[0].status)
    planted = number
    await one((await server.dispatch(new RestRequest('POST', path, { json: { number: 5 } }))).status)
    const batched = await send(site, { requests: [{ path, body: { number: 5 } }] })
    await one(batched.json.responses[0].status)
    planted = undefined
  }
  assert.equal(reached, [])
  await server.dispatch(`${path}?number=7`)
  assert.equal(reached, [7])
})

batch.run()

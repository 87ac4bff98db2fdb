import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RestError } from '../../kernel/index.ts'
import { as, serve } from '../helpers/site.ts'

const outages = suite('outages of disk and system')

/** The error to throw, with a message like Node's. */
let thrown: Error = new Error()
/** The place where it is thrown. */
let place: 'handler' | 'permission' | 'tap' | 'last tap' | 'page' = 'handler'
const failing = definePlugin({
  name: 'failing',
  apply({ hooks }) {
    const failIn = (location: typeof place) => {
      if (place === location) throw thrown
    }
    hooks.rest_api_init.tap('failing', (server) => {
      server.registerRoute('test/v1', '/fails', {
        methods: 'GET',
        callback: () => (failIn('handler'), {}),
        permission_callback: () => (failIn('permission'), true),
      })
    })
    hooks.rest_request_before_callbacks.tap('failing', (answer) => (failIn('tap'), answer))
    hooks.rest_pre_echo_response.tap('failing', (data) => (failIn('last tap'), data))
    hooks.site_request.tap('failing', (page) => (failIn('page'), page))
  },
})

const ofSystem = (code: string) => Object.assign(new Error(`${code}: it failed, open '/srv/secret'`), { code })

outages('after a commit respond with rest_answer_lost', async () => {
  const late = definePlugin({
    name: 'late',
    needs: ['store'],
    apply({ hooks }) {
      hooks.rest_after_insert_post.tap('late', () => {
        throw ofSystem('EMFILE')
      })
    },
  })
  await using site = await serve({ add: [late] })
  const headers = { ...as('administrator'), 'content-type': 'application/json' }
  const body = JSON.stringify({ title: 'stored', status: 'publish' })
  const post = { method: 'POST', path: '/svc/v2/posts', body: JSON.parse(body) as object }
  const alone = await site.request('/svc/v2/posts', { method: 'POST', headers, body })
  assert.is(alone.status, 500)
  assert.is(alone.headers.get('retry-after'), null)
  assert.is(((await alone.json()) as { code: string }).code, 'rest_answer_lost')
  const batch = { method: 'POST', headers, body: JSON.stringify({ requests: [post] }) }
  const { responses } = (await (await site.request('/batch/v1', batch)).json()) as {
    responses: { status: number; body: { code: string } }[]
  }
  assert.equal(
    responses.map((each) => [each.status, each.body.code]),
    [[500, 'rest_answer_lost']],
  )
  assert.is((await site.json('/svc/v2/posts')).length, 2)
})

outages('in any part of a request respond with 503 or 507, without their reason', async () => {
  await using site = await serve({ add: [failing] })
  for (const [code, status] of [
    ['EMFILE', 503],
    ['ENFILE', 503],
    ['EROFS', 503],
    ['EIO', 503],
    ['ENOSPC', 507],
    ['EDQUOT', 507],
  ] as const) {
    for (place of ['handler', 'permission', 'tap', 'last tap', 'page'] as const) {
      for (thrown of [
        ofSystem(code),
        new Error('the upload failed', { cause: ofSystem(code) }),
        new RestError('rest_upload_failed', 'It failed.', { status: 500 }, { cause: ofSystem(code) }),
        new RestError('PLUGIN_FAILED_SOMEHOW', 'It failed.', { status: 500 }, { cause: ofSystem(code) }),
      ]) {
        const response = await (place === 'page' ? site.get(`${site.home}/page`) : site.get('/test/v1/fails'))
        const body = (await response.json()) as { code: string }
        assert.is(response.status, status, `${code} in ${place}`)
        assert.is(body.code, status === 503 ? 'rest_unavailable' : 'rest_storage_full')
        assert.is(Number(response.headers.get('retry-after')) > 0, status === 503)
        assert.not.match(JSON.stringify(body), 'secret')
      }
    }
  }
})

outages('respond to browsers with a page, without internal details', async () => {
  await using site = await serve({ add: [failing] })
  place = 'page'
  const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  for (const [error, status, text] of [
    [ofSystem('ENOSPC'), 507, 'The server has no space left to store this.'],
    [ofSystem('EIO'), 503, ''],
    [
      new RestError('rest_wrong', 'No <script>alert("x")</script> here.', { status: 400 }),
      400,
      'No &lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; here.',
    ],
    [new TypeError('secret'), 500, ''],
  ] as const) {
    thrown = error
    const response = await site.get(`${site.home}/page`, headers)
    const page = await response.text()
    assert.is(response.status, status)
    assert.is(response.headers.get('content-type'), 'text/html; charset=UTF-8')
    assert.match(response.headers.get('content-security-policy') ?? '', "default-src 'none'")
    assert.match(page, text)
    assert.not.match(page, /secret|<script/)
    assert.is(
      (await site.get('/test/v1/fails', headers)).headers.get('content-type'),
      'application/json; charset=UTF-8',
    )
  }
})

outages('are logged with their reason', async () => {
  const lines: string[] = []
  await using site = await serve({ add: [failing], log: 'error', logTo: (line) => lines.push(line) })
  place = 'handler'
  thrown = ofSystem('ENOSPC')
  await site.get('/test/v1/fails')
  assert.match(lines.join(''), "ENOSPC: it failed, open '/srv/secret'")
})

outages('do not include wrong requests and bugs', async () => {
  await using site = await serve({ add: [failing] })
  place = 'handler'
  for (const [error, status] of [
    [new RestError('rest_wrong', 'Wrong.', { status: 400 }, { cause: ofSystem('ENOSPC') }), 400],
    [ofSystem('EACCES'), 500],
    [new TypeError('x is not a function'), 500],
  ] as const) {
    thrown = error
    const response = await site.get('/test/v1/fails')
    assert.is(response.status, status)
    assert.is(response.headers.get('retry-after'), null)
  }
})

outages.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { as, serve, type Site, CONTENT_PLUGINS, startOnly } from '../../../helpers/site.ts'

startOnly(...CONTENT_PLUGINS)

const sizes = suite('text size limit')

const MAX_BYTES = 2000
const LARGE = 'x'.repeat(MAX_BYTES + 1)

const send = (site: Site, path: string, body: unknown, role: string) =>
  site.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...as(role) },
    body: JSON.stringify(body),
  })

const outcome = async (response: Response) => [response.status, ((await response.json()) as { code?: string }).code]

sizes('refuses larger texts anywhere in a request, and names their place', async () => {
  await using site = await serve({ plugins: { html: { max_content: MAX_BYTES } } })
  const cases: [path: string, body: object, name: string][] = [
    ['/svc/v2/posts', { content: LARGE }, 'content'],
    ['/svc/v2/posts', { content: { raw: LARGE } }, 'content[raw]'],
    ['/svc/v2/posts', { title: LARGE }, 'title'],
    ['/svc/v2/posts', { excerpt: LARGE }, 'excerpt'],
    ['/svc/v2/posts', { slug: LARGE }, 'slug'],
    ['/svc/v2/posts', { meta: { a: ['b', LARGE] } }, 'meta[a][1]'],
    ['/svc/v2/posts', { [LARGE]: 1 }, 'The name of a value'],
    ['/svc/v2/posts/1', { content: LARGE }, 'content'],
    ['/svc/v2/posts/1/autosaves', { content: LARGE }, 'content'],
    ['/svc/v2/pages', { content: LARGE }, 'content'],
    ['/svc/v2/blocks', { content: LARGE }, 'content'],
    ['/svc/v2/comments', { content: LARGE }, 'content'],
    ['/svc/v2/categories', { description: LARGE }, 'description'],
    ['/svc/v2/tags/1', { description: LARGE }, 'description'],
    ['/svc/v2/users/me', { description: LARGE }, 'description'],
    ['/svc/v2/media/1', { caption: LARGE }, 'caption'],
    ['/svc/v2/media/1', { description: { raw: LARGE } }, 'description[raw]'],
    ['/batch/v1', { requests: [{ path: '/svc/v2/posts', body: { content: LARGE } }] }, 'requests[0][body][content]'],
  ]
  for (const [path, body, name] of cases) {
    const response = await send(site, path, body, 'author')
    const { code, message } = (await response.json()) as { code: string; message: string }
    assert.equal([response.status, code], [400, 'rest_content_too_large'], path)
    assert.ok(message.startsWith(`${name} is larger than ${MAX_BYTES} bytes`), `${path}: ${message}`)
  }
  const form = new FormData()
  form.set('content', LARGE)
  const asForm = await site.request('/svc/v2/posts', { method: 'POST', headers: as('author'), body: form })
  assert.equal(await outcome(asForm), [400, 'rest_content_too_large'])
  const byVisitor = await site.request('/svc/v2/comments', {
    method: 'POST',
    body: new URLSearchParams({ content: LARGE }),
  })
  assert.equal(await outcome(byVisitor), [400, 'rest_content_too_large'])
})

sizes('counts bytes, not characters', async () => {
  await using site = await serve({ plugins: { html: { max_content: MAX_BYTES } } })
  const post = (content: string) => send(site, '/svc/v2/posts', { content }, 'contributor')
  assert.is((await post('x'.repeat(MAX_BYTES))).status, 201)
  assert.is((await post('é'.repeat(MAX_BYTES / 2))).status, 201)
  assert.is((await post('é'.repeat(MAX_BYTES / 2 + 1))).status, 400)
})

sizes('does not apply to users with unfiltered_html', async () => {
  await using site = await serve({ plugins: { html: { max_content: MAX_BYTES } } })
  assert.is((await send(site, '/svc/v2/posts', { content: LARGE }, 'editor')).status, 201)
})

sizes('is off if the option is 0', async () => {
  await using site = await serve({ plugins: { html: { max_content: 0 } } })
  assert.is((await send(site, '/svc/v2/posts', { content: 'x'.repeat(1_000_001) }, 'author')).status, 201)
})

sizes('is one million bytes by default', async () => {
  await using site = await serve()
  const post = (size: number) => send(site, '/svc/v2/posts', { content: 'x'.repeat(size) }, 'author')
  assert.is((await post(1_000_000)).status, 201)
  assert.equal(await outcome(await post(1_000_001)), [400, 'rest_content_too_large'])
})

sizes.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { as, serveOn, startOnly, type Site } from '../../../helpers/site.ts'
import { places } from '../../../helpers/stores.ts'

startOnly('posts', 'terms', 'comments')

const writePath = suite('the write path')

const CHANGES = {
  posts: { title: 'Another title' },
  pages: { title: 'Another title' },
  categories: { description: 'More' },
  comments: { content: 'Very well said' },
}

/** Maximum number of stack frames from the controller method to the statement. */
const MAX_FRAMES = 15

async function send(site: Site, method: string, path: string, body: object): Promise<{ id: number }> {
  const headers = { ...as('administrator', 1), 'content-type': 'application/json' }
  const response = await site.request(path, { method, headers, body: JSON.stringify(body) })
  assert.ok(response.ok, `${method} ${path}: ${response.status}`)
  return (await response.json()) as { id: number }
}

/** The stack of the first statement with this prefix while `work` runs, innermost frame first. */
async function stackOf(site: Site, beginning: string, work: () => Promise<unknown>): Promise<string[]> {
  const limit = Error.stackTraceLimit
  let stack = ''
  const stop = site.store.onStatement(({ sql }) => {
    if (!sql.startsWith(beginning)) return
    Error.stackTraceLimit = 200
    stack = new Error('a statement').stack!
    Error.stackTraceLimit = limit
  })
  await work()
  stop()
  // Without the listener and the event loop.
  return stack.split('\n').filter((line) => /^ *at /.test(line) && !/write-path|\(node:internal/.test(line))
}

/** Counts the write turns that `work` acquires. */
async function turnsOf(site: Site, work: () => Promise<unknown>): Promise<number> {
  const { store } = site.kernel.services
  const inTurn = store.inTurn.bind(store)
  let turns = 0
  store.inTurn = (callback) => {
    turns += 1
    return inTurn(callback)
  }
  await work()
  store.inTurn = inTurn
  return turns
}

for (const { name, make } of places) {
  writePath(`has few stack frames between the controller and the insert of a post, on ${name}`, async () => {
    await using site = await serveOn(await make())
    const create = () => send(site, 'POST', '/svc/v2/posts', { title: 'A title', status: 'publish' })
    const stack = await stackOf(site, 'insert into "posts"', create)
    const controller = stack.findIndex((line) => / PostsController\.create /.test(line))
    assert.ok(controller > 0, stack.join('\n'))
    assert.ok(controller <= MAX_FRAMES, `${controller} frames:\n${stack.slice(0, controller + 1).join('\n')}`)
  })

  writePath(`acquires the write turn once per item, on ${name}`, async () => {
    await using site = await serveOn(await make())
    const items = [
      ['posts', { title: 'A title', content: 'Words', status: 'publish' }],
      ['pages', { title: 'A page' }],
      ['categories', { name: 'News', description: '<p>All that is new</p>' }],
      ['comments', { post: 1, content: 'Well said', author: 0, author_name: 'Ann', author_email: 'ann@example.com' }],
    ] as const
    for (const [base, body] of items) {
      let id = 0
      const created = await turnsOf(site, async () => void ({ id } = await send(site, 'POST', `/svc/v2/${base}`, body)))
      assert.is(created, 1, `creating ${base}`)
      const change = CHANGES[base]
      assert.is(await turnsOf(site, () => send(site, 'POST', `/svc/v2/${base}/${id}`, change)), 1, `changing ${base}`)
    }
  })
}

writePath.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serve, type ServeOptions, type Site } from '../../site.ts'

const firstRun = suite('first-run')

/** Starts a site and gives what it printed. */
async function started(options: ServeOptions): Promise<{ site: Site; printed: string }> {
  const { log } = console
  let printed = ''
  console.log = (text: string) => void (printed += text)
  try {
    return { site: await serve(options), printed }
  } finally {
    console.log = log
  }
}

firstRun('shows content at once, and prints how its administrator logs in', async () => {
  const { site, printed } = await started({ plugins: { 'first-run': {} } })
  await using _site = site
  const posts = (await site.json('/svc/v2/posts?_embed')) as { _embedded: { author: [{ name: string }] } }[]
  assert.is(posts.length, 3)
  assert.is(posts[0]?._embedded.author[0].name, 'admin')
  const [, login, password] = /Login +(\S+)\n +Password +(\S+) /.exec(printed) ?? []
  assert.is(login, 'admin')
  const { store, passwords } = site.kernel.services
  const administrator = await store.first(store.db.selectFrom('users').select('password_hash'))
  assert.is(await passwords.verify(password!, administrator!.password_hash), true)
  assert.match(printed, site.home)
  assert.match(printed, 'svc-import')
})

firstRun('takes another login', async () => {
  const { site, printed } = await started({ plugins: { 'first-run': { login: 'owner' } } })
  await using _site = site
  assert.match(printed, /Login +owner/)
})

firstRun('leaves a site alone that has something', async () => {
  const { site, printed } = await started({
    plugins: { 'first-run': {} },
    add: [
      {
        name: 'writer',
        needs: ['store'],
        apply: async ({ services: { store } }) => {
          await store.run(store.db.insertInto('terms').values({ taxonomy: 'category', name: 'Mine', slug: 'mine' }))
        },
      },
    ],
  })
  await using _site = site
  assert.is(printed, '')
  assert.equal(await site.json('/svc/v2/posts'), [])
})

firstRun('does nothing once disabled', async () => {
  const { site, printed } = await started({ plugins: { 'first-run': false } })
  await using _site = site
  assert.is(printed, '')
})

firstRun.run()

import { writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../kernel/index.ts'
import { filePlace } from '../../../helpers/stores.ts'
import { started, startedWith } from '../../../helpers/new-site.ts'
import type { ServeOptions } from '../../../helpers/site.ts'
import { run } from '../../../helpers/svc-serve.ts'

const firstRun = suite('first-run')

/** Starts a site that fails, and returns the error and the output. */
async function failed(options: ServeOptions): Promise<{ printed: string; error: Error }> {
  let printed = ''
  const write: Parameters<typeof startedWith>[0] = (text, done) => {
    printed += text
    done()
  }
  try {
    await using _site = await startedWith(write, options)
  } catch (error) {
    return { printed, error: error as Error }
  }
  throw new Error('The site started, but it should have failed.')
}

firstRun('creates content and prints the login of the administrator', async () => {
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

for (const [file, command] of [
  ['notes.txt', 'svc-import'],
  ['node_modules/.bin/svc-import', 'npx svc-import'],
  ['bin/svc-import', 'bin/svc-import'],
] as const) {
  firstRun(`prints the import command of a folder with ${file}`, async () => {
    const server = await run(['--port', '0'], { [file]: '' })
    const [, printed] = await server.printed(/another site: (.+) EXPORT/)
    server.kill('SIGTERM')
    await server.end()
    assert.is(printed, command)
  })
}

firstRun('uses the login of the option', async () => {
  const { site, printed } = await started({ plugins: { 'first-run': { login: 'owner' } } })
  await using _site = site
  assert.match(printed, /Login +owner/)
})

firstRun('does not change a site with content', async () => {
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

firstRun('prints the password before the commit, and creates no site if the output fails', async () => {
  await using place = await filePlace()
  const options = { database: place.url, plugins: { 'first-run': {} } }
  const users = () => {
    const database = new DatabaseSync(place.url.slice('sqlite:'.length))
    try {
      return database.prepare('select login from users').all().length
    } finally {
      database.close()
    }
  }
  let seen = -1
  const closed = (_text: string, done: (error?: Error) => void) => {
    seen = users()
    done(new Error('nobody reads'))
  }
  try {
    await using _ = await startedWith(closed, options)
    assert.unreachable('it started')
  } catch (error) {
    assert.match(String((error as Error).cause), 'nobody reads')
  }
  assert.equal([seen, users()], [0, 0])
  const { site, printed } = await started(options)
  await using _site = site
  assert.match(printed, /Password +\S+/)
  assert.is(users(), 1)
})

firstRun('prints and creates nothing if the uploads folder cannot be written', async () => {
  await using place = await filePlace()
  // A file instead of the folder: even root cannot write below it.
  await writeFile(`${place.url.slice('sqlite:'.length)}.file`, '')
  const uploads = `${place.url.slice('sqlite:'.length)}.file/uploads`
  const { printed, error } = await failed({ database: place.url, uploads, plugins: { 'first-run': {} } })
  assert.match(error.message, 'The uploads folder')
  assert.is(printed, '')
  const { site, printed: later } = await started({ database: place.url, plugins: { 'first-run': {} } })
  await using _site = site
  assert.match(later, /Password +\S+/)
})

firstRun('says that the password is not valid if the new site cannot be committed', async () => {
  const broken = definePlugin({
    name: 'broken',
    needs: ['store'],
    apply({ services: { store } }) {
      const inTurn = store.inTurn.bind(store)
      const uncommitted: typeof inTurn = (work) =>
        inTurn(async (tx) => {
          await work(tx)
          throw new Error('The disk is full.')
        })
      Object.defineProperty(store, 'inTurn', { value: uncommitted })
    },
  })
  const { printed, error } = await failed({ plugins: { 'first-run': {} }, add: [broken] })
  assert.match(String(error.cause), 'The disk is full.')
  assert.match(printed, /Password +\S+/)
  assert.match(printed, /The site could not be created\. The password above is not valid\.\n$/)
})

firstRun('does nothing once disabled', async () => {
  const { site, printed } = await started({ plugins: { 'first-run': false } })
  await using _site = site
  assert.is(printed, '')
})

firstRun.run()

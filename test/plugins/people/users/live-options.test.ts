import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { databases, serveWithUsers } from '../../../helpers/site-with-users.ts'
import { addPosts } from '../../../helpers/content.ts'
import { until } from '../../../helpers/until.ts'
import { as, serve, startOnly } from '../../../helpers/site.ts'
import type { Place } from '../../../helpers/stores.ts'

startOnly('comments', 'posts', 'users', 'admin', 'settings', 'response-cache')

for (const { name, place } of databases) {
  const options = suite(`options that schemas depend on, on ${name}`)

  /** Starts two servers of one site. */
  async function servers() {
    let url = ''
    const noted = async (): Promise<Place> => {
      const made = await place()
      url = made.url
      return made
    }
    const first = await serveWithUsers(noted)
    const [post] = await addPosts(first.store, { title: 'a', author_id: first.users.ann })
    const comment = { post_id: post!, approved: '1', content: 'c', author_name: 'x', date_gmt: '2025-01-05 10:00:00' }
    await first.store.run(first.store.db.insertInto('comments').values(comment))
    const second = await serve({ database: url })
    const admin = as('administrator', first.users.admin)
    return {
      first,
      admin,
      both: [first, second],
      /** Changes an option by the first server. PostgreSQL notifies the second one, which takes some milliseconds. */
      async set(option: string, value: unknown) {
        await first.kernel.services.options.set(option, value)
        await until(async () => (await second.kernel.services.options.get(option)) === value)
      },
      async [Symbol.asyncDispose]() {
        await second[Symbol.asyncDispose]()
        await first[Symbol.asyncDispose]()
      },
    }
  }

  options('show and hide avatars in every process without a restart', async () => {
    await using pair = await servers()
    for (const shown of [true, false, true]) {
      await pair.set('show_avatars', shown)
      for (const site of pair.both) {
        const users = (await site.json('/svc/v2/users')) as { avatar_urls?: object }[]
        const comments = (await site.json('/svc/v2/comments')) as { author_avatar_urls?: object }[]
        assert.ok(users.length > 0 && comments.length > 0, JSON.stringify([users, comments]))
        assert.ok(
          users.every((user) => (user.avatar_urls !== undefined) === shown),
          `${shown} ${pair.both.indexOf(site)} ${JSON.stringify(users)}`,
        )
        assert.ok(comments.every((comment) => (comment.author_avatar_urls !== undefined) === shown))
        for (const [path, field] of [
          ['users', 'avatar_urls'],
          ['users/me', 'avatar_urls'],
          ['comments', 'author_avatar_urls'],
        ] as const) {
          const described = await site.request(`/svc/v2/${path}`, { method: 'OPTIONS' })
          const { schema } = (await described.json()) as { schema: { properties: object } }
          assert.is(field in schema.properties, shown, `${path} ${String(shown)}`)
        }
      }
    }
  })

  options('accept the language of the site as the locale of a user in every process without a restart', async () => {
    await using pair = await servers()
    const locales = async (site: (typeof pair.both)[number]) => {
      const described = await site.request('/svc/v2/users', { method: 'OPTIONS' })
      const { endpoints } = (await described.json()) as {
        endpoints: { methods: string[]; args: Record<string, { enum?: string[] }> }[]
      }
      const index = (await site.json('/svc/v2')) as { routes: Record<string, { endpoints: typeof endpoints }> }
      const [own, indexed] = [endpoints, index.routes['/svc/v2/users']!.endpoints].map(
        (list) => list.find(({ methods }) => methods.includes('POST'))!.args['locale']!.enum!,
      )
      assert.equal(indexed, own)
      return own!
    }
    const write = (site: (typeof pair.both)[number], locale: string) =>
      site.request(`/svc/v2/users/${pair.first.users.ann}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json', ...pair.admin },
        body: JSON.stringify({ locale }),
      })
    for (const site of pair.both) {
      assert.not.ok((await locales(site)).includes('eo'))
      assert.is((await write(site, 'eo')).status, 400)
    }
    await pair.set('language', 'eo')
    for (const site of pair.both) {
      assert.ok((await locales(site)).includes('eo'))
      assert.is((await write(site, 'eo')).status, 200)
    }
    await pair.set('language', 'en_US')
    for (const site of pair.both) assert.is((await write(site, 'eo')).status, 400)
  })

  options.run()
}

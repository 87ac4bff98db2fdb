import { randomBytes } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../kernel/index.ts'
import { as, serveOn, type Site } from '../../../helpers/site.ts'
import { places } from '../../../helpers/stores.ts'

const admin = { ...as('administrator'), 'content-type': 'application/json' }

for (const { name, make } of places) {
  const test = suite(`store with long texts on ${name}`)

  test('stores titles of any length, and finds them', async () => {
    await using site = await serveOn(await make())
    const [title, changed] = [random(), random()]
    const created = await write(site, '/svc/v2/posts', { title, status: 'publish' })
    assert.equal([created.status, created.body.title.raw], [201, title])
    assert.is((await write(site, `/svc/v2/posts/${created.body.id}`, { title: changed })).body.title.raw, changed)
    const found = await site.json(`/svc/v2/posts?search=${changed.slice(5000, 5100)}&_fields=id`)
    assert.equal(found, [{ id: created.body.id }])
    assert.is((await write(site, '/svc/v2/pages', { title, status: 'publish' })).body.title.raw, title)
    const saved = await write(site, `/svc/v2/posts/${created.body.id}/autosaves`, { title })
    assert.is(saved.body.title.raw, title)
  })

  test('sorts by the first 200 letters of titles and names, ignoring case', async () => {
    await using site = await serveOn(await make())
    const start = random(199)
    for (const [begin, end] of [
      [`${start}y`, 'b'],
      [`${start.toUpperCase()}z`, 'c'],
      [`${start}x`, 'a'],
    ] as const) {
      const title = `${begin}${random()} ${end}`
      await write(site, '/svc/v2/posts', { title, status: 'publish' })
      await write(site, '/svc/v2/users', { ...newUser(end), name: title })
    }
    for (const order of ['asc', 'desc']) {
      const expected = order === 'asc' ? ['a', 'b', 'c'] : ['c', 'b', 'a']
      const posts = await site.json(`/svc/v2/posts?orderby=title&order=${order}&context=edit`, admin)
      assert.equal(
        posts.map(({ title }: { title: { raw: string } }) => title.raw.at(-1)),
        expected,
      )
      const users = await site.json(`/svc/v2/users?orderby=name&order=${order}`, admin)
      assert.equal(
        users.map((user: { name: string }) => user.name.at(-1)),
        expected,
      )
    }
  })

  test('stores all texts of a user, including parts of the display name', async () => {
    await using site = await serveOn(await make())
    const text = random()
    for (const [field, shown] of [
      ['name', 'name'],
      ['first_name', 'name'],
      ['nickname', 'name'],
      ['description', 'description'],
    ] as const) {
      const { status, body } = await write(site, '/svc/v2/users', { ...newUser(field), [field]: text })
      assert.equal([status, body[shown]], [201, text], field)
    }
  })

  test('truncates slugs', async () => {
    await using site = await serveOn(await make())
    for (const [path, rest, maxLength] of [
      ['/svc/v2/posts', { title: 'a', status: 'publish' }, 200],
      ['/svc/v2/categories', { name: 'a' }, 200],
      ['/svc/v2/tags', { name: 'a' }, 200],
      ['/svc/v2/users', newUser('slug'), 50],
    ] as const) {
      const slug = random()
      const { status, body } = await write(site, path, { ...rest, slug })
      assert.equal([status, body.slug], [201, slug.slice(0, maxLength)], path)
    }
  })

  test('rejects names that are too long', async () => {
    await using site = await serveOn(await make())
    const post = await write(site, '/svc/v2/posts', { title: 'a', status: 'publish' })
    const text = random()
    const comment = { content: 'x', author_email: 'a@example.com' }
    for (const [path, data, code] of [
      ['/svc/v2/categories', { name: text }, 'rest_invalid_param'],
      ['/svc/v2/tags', { name: text }, 'rest_invalid_param'],
      ['/svc/v2/users', { ...newUser('b'), username: text }, 'rest_invalid_param'],
      ['/svc/v2/users', { ...newUser('c'), email: `${text}@example.com` }, 'rest_invalid_param'],
      ['/svc/v2/comments', { ...comment, post: post.body.id, author_name: text }, 'comment_author_column_length'],
    ] as const) {
      const { status, body } = await write(site, path, data)
      assert.equal([status, body.code], [400, code], path)
    }
  })

  test('filters lists by long texts', async () => {
    await using site = await serveOn(await make())
    for (const query of [
      'posts?slug=',
      'posts?search=',
      'users?slug=',
      'tags?slug=',
      'media?mime_type=',
      'search?search=',
    ]) {
      assert.equal(await site.json(`/svc/v2/${query}${random()}`), [], query)
    }
  })

  test('accepts long values of meta, and ignores unregistered keys of any length', async () => {
    const notes = definePlugin({
      name: 'notes',
      needs: ['meta'],
      apply({ services }) {
        services.meta.register('post', 'note', { type: 'string', single: true, show_in_rest: true })
        const schema = { additionalProperties: { type: 'string' as const } }
        services.meta.register('post', 'facts', { type: 'object', single: true, show_in_rest: { schema } })
      },
    })
    await using site = await serveOn(await make(), { add: [notes] })
    const [note, key, value] = [random(), random(), random()]
    const meta = { note, facts: { [key]: value }, [random()]: 'x' }
    const { status, body } = await write(site, '/svc/v2/posts', { title: 'a', meta })
    assert.equal([status, body.meta], [201, { note, facts: { [key]: value }, footnotes: '' }])
  })

  test('stores settings of any length', async () => {
    await using site = await serveOn(await make())
    const title = random()
    assert.is((await write(site, '/svc/v2/settings', { title })).body.title, title)
  })

  test.run()
}

/** Text that compression does not shorten. */
function random(length = 10_000): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz234567'
  return Array.from(randomBytes(length), (byte) => letters[byte % 32]).join('')
}

function newUser(name: string) {
  const login = name.replace('_', '')
  return { username: login, email: `${login}@example.com`, password: 'long enough', roles: ['author'] }
}

// oxlint-disable-next-line typescript/no-explicit-any -- the tests check it
async function write(site: Site, path: string, body: unknown): Promise<{ status: number; body: any }> {
  const response = await site.request(path, { method: 'POST', headers: admin, body: JSON.stringify(body) })
  return { status: response.status, body: await response.json() }
}

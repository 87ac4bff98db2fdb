import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts } from '../../../helpers/content.ts'
import { as, serve, type Site, startOnly } from '../../../helpers/site.ts'
import { databases, serveWithUsers } from '../../../helpers/site-with-users.ts'

startOnly('posts')

const LIST = '/svc/v2/posts'
// oxlint-disable-next-line typescript/no-explicit-any -- assertions check the shape of responses
type Body = any

for (const { name, place } of databases) {
  const concurrentWrites = suite(`concurrent writes of posts on ${name}`)

  concurrentWrites('S38: give fifty posts with the same title fifty slugs', async () => {
    await using site = await serveWithUsers(place)
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => site.send('POST', LIST, { title: 'Same', status: 'publish' }, 'ed')),
    )
    assert.equal([...new Set(answers.map(({ status }) => status))], [201])
    const slugs = await Promise.all(answers.map(async (response) => ((await response.json()) as Body).slug as string))
    const expected = Array.from({ length: 50 }, (_, index) => (index === 0 ? 'same' : `same-${index + 1}`))
    assert.equal(slugs.sort(), expected.sort())
  })

  concurrentWrites('S38: preserve changes to other fields of the same post', async () => {
    await using site = await serveWithUsers(place)
    const [id] = (await addPosts(site.store, { title: 'T' })) as [number]
    const changes = [{ title: 'New' }, { content: 'c' }, { excerpt: 'e' }, { password: 'p' }, { slug: 's' }]
    await Promise.all(changes.map((change) => site.send('PUT', `${LIST}/${id}`, change, 'ed')))
    const post = await site.json(`${LIST}/${id}?context=edit`, site.by('ed'))
    assert.equal(
      [post.title.raw, post.content.raw, post.excerpt.raw, post.password, post.slug],
      ['New', 'c', 'e', 'p', 's'],
    )
  })

  concurrentWrites('S38: save and trash a post in either order', async () => {
    await using site = await serveWithUsers(place)
    for (let round = 0; round < 5; round += 1) {
      const [id] = (await addPosts(site.store, { title: `R${round}`, author_id: site.users.ann })) as [number]
      const answers = await Promise.all([
        site.send('PUT', `${LIST}/${id}`, { title: `Saved ${round}` }, 'ann'),
        site.send('DELETE', `${LIST}/${id}`, undefined, 'ed'),
        site.send('PUT', `${LIST}/${id}`, { content: 'more' }, 'ann'),
      ])
      assert.equal(
        answers.map(({ status }) => status),
        [200, 200, 200],
      )
      const post = await site.json(`${LIST}/${id}?context=edit`, site.by('ed'))
      assert.equal([post.title.raw, post.content.raw, post.status], [`Saved ${round}`, 'more', 'trash'])
      assert.match(post.slug, /__trashed$/)
    }
  })

  concurrentWrites('S38, S40: share the sticky posts between two servers', async () => {
    await using one = await serveWithUsers(place)
    await using other = await serve({ database: one.kernel.config.database })
    const { ann, ed } = one.users
    const send = async (site: Site, headers: Record<string, string>, id: number, change: object) => {
      const path = `${LIST}/${id}`
      const json = { ...headers, 'content-type': 'application/json' }
      const response = await site.request(path, { method: 'PUT', headers: json, body: JSON.stringify(change) })
      const body = (await response.json()) as Body
      return response.ok ? body.sticky : body.code
    }
    const [editor, author] = [as('editor', ed), as('author', ann)]
    const [id, locked, own] = (await addPosts(
      one.store,
      { title: 'One' },
      { title: 'Two' },
      { title: 'Three', author_id: ann },
    )) as [number, number, number]
    for (const sticky of [true, false, true]) {
      // The other server still has the earlier sticky posts.
      await other.json(LIST)
      assert.is(await send(one, editor, id, { sticky }), sticky)
      assert.is(await send(other, editor, id, { sticky }), sticky, 'as it is')
      await one.json(LIST)
      assert.is(await send(other, editor, id, { sticky: !sticky }), !sticky)
      assert.is(await send(one, editor, id, { sticky: !sticky }), !sticky, 'as it is')
    }
    await other.json(LIST)
    assert.is(await send(one, editor, locked, { sticky: true }), true)
    assert.is(await send(other, editor, locked, { password: 'word' }), 'rest_invalid_field')
    assert.is(await send(one, editor, own, { sticky: true }), true)
    await other.json(LIST)
    assert.is(await send(one, editor, own, { sticky: false }), false)
    assert.is(await send(other, author, own, { sticky: true }), 'rest_cannot_assign_sticky')
  })

  concurrentWrites('S38: preserve every post that was made sticky', async () => {
    await using site = await serveWithUsers(place)
    const ids = await addPosts(site.store, {}, {}, {}, {}, {})
    await Promise.all(ids.map((id) => site.send('PUT', `${LIST}/${id}`, { sticky: true }, 'ed')))
    assert.equal(new Set(await site.kernel.services.posts.sticky()), new Set(ids))
  })

  concurrentWrites.run()
}

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts } from '../../content.ts'
import { databases, servePeople } from '../users/people.ts'

const LIST = '/svc/v2/posts'
// oxlint-disable-next-line typescript/no-explicit-any -- tests say what they expect by looking at it
type Body = any

for (const { name, place } of databases) {
  const together = suite(`writing posts at once on ${name}`)

  together('S38: gives fifty posts of one title fifty names', async () => {
    await using site = await servePeople(place)
    const made = await Promise.all(
      Array.from({ length: 50 }, () => site.send('POST', LIST, { title: 'Same', status: 'publish' }, 'ed')),
    )
    assert.equal([...new Set(made.map(({ status }) => status))], [201])
    const slugs = await Promise.all(made.map(async (response) => ((await response.json()) as Body).slug as string))
    const wanted = Array.from({ length: 50 }, (_, index) => (index === 0 ? 'same' : `same-${index + 1}`))
    assert.equal(slugs.sort(), wanted.sort())
  })

  together('S38: leaves what one changes where another changes something else', async () => {
    await using site = await servePeople(place)
    const [id] = (await addPosts(site.store, { title: 'T' })) as [number]
    const changes = [{ title: 'New' }, { content: 'c' }, { excerpt: 'e' }, { password: 'p' }, { slug: 's' }]
    await Promise.all(changes.map((change) => site.send('PUT', `${LIST}/${id}`, change, 'ed')))
    const post = await site.json(`${LIST}/${id}?context=edit`, site.by('ed'))
    assert.equal(
      [post.title.raw, post.content.raw, post.excerpt.raw, post.password, post.slug],
      ['New', 'c', 'e', 'p', 's'],
    )
  })

  together('S38: saves and moves to the trash in one order or the other', async () => {
    await using site = await servePeople(place)
    for (let round = 0; round < 5; round += 1) {
      const [id] = (await addPosts(site.store, { title: `R${round}`, author_id: site.people.ann })) as [number]
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

  together('S38: keeps every post at the top that was put there', async () => {
    await using site = await servePeople(place)
    const ids = await addPosts(site.store, {}, {}, {}, {}, {})
    await Promise.all(ids.map((id) => site.send('PUT', `${LIST}/${id}`, { sticky: true }, 'ed')))
    assert.equal(new Set(await site.kernel.services.posts.sticky()), new Set(ids))
  })

  together.run()
}

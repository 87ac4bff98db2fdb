import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../kernel/index.ts'
import { addPosts } from '../../../helpers/content.ts'
import { as, serveOn, startOnly, type Site } from '../../../helpers/site.ts'
import { places } from '../../../helpers/stores.ts'

startOnly('posts', 'media', 'roles', 'settings', 'content-rendering')

const films = definePlugin({
  name: 'films',
  needs: ['content-types'],
  apply({ services }) {
    services.contentTypes.register('scene', {
      public: true,
      show_in_rest: true,
      rest_base: 'scenes',
      hierarchical: true,
    })
  },
})

/** Creates an item over REST, or changes the one with this ID, and returns its slug. */
async function slugOf(site: Site, route: string, item: object, id?: number): Promise<string> {
  const response = await site.request(`/svc/v2/${route}${id === undefined ? '' : `/${id}`}`, {
    method: 'POST',
    headers: { ...as('administrator'), 'content-type': 'application/json' },
    body: JSON.stringify(item),
  })
  const json = (await response.json()) as { slug: string }
  assert.is(response.status, id === undefined ? 201 : 200, JSON.stringify(json))
  return json.slug
}

for (const { name, make } of places) {
  const slugs = suite(`unique slugs, ${name}`)

  slugs(
    'of pages avoid the slugs of attachments and hierarchical types with the same parent, and no others',
    async () => {
      await using site = await serveOn(await make(), { add: [films] })
      const [parent] = (await addPosts(site.store, { type: 'page', slug: 'parent' })) as [number]
      const file = { type: 'attachment', status: 'inherit' }
      await addPosts(
        site.store,
        { ...file, slug: 'file' },
        { ...file, slug: 'below', parent_id: parent },
        { type: 'scene', slug: 'scene' },
        { type: 'post', slug: 'post' },
      )
      for (const route of ['pages', 'scenes']) {
        assert.is(
          await slugOf(site, route, { title: 'File', status: 'publish' }),
          route === 'pages' ? 'file-2' : 'file-3',
          route,
        )
        assert.is(
          await slugOf(site, route, { title: 'Below', status: 'publish' }),
          route === 'pages' ? 'below' : 'below-2',
          route,
        )
      }
      assert.is(await slugOf(site, 'pages', { title: 'Below', status: 'publish', parent }), 'below-2')
      assert.is(await slugOf(site, 'pages', { title: 'File', status: 'publish', parent }), 'file')
      assert.is(await slugOf(site, 'pages', { title: 'Scene', status: 'publish' }), 'scene-2')
      assert.is(await slugOf(site, 'pages', { title: 'Post', status: 'publish' }), 'post')
    },
  )

  slugs('of posts avoid the slugs of posts only', async () => {
    await using site = await serveOn(await make(), { add: [films] })
    await addPosts(
      site.store,
      { type: 'attachment', status: 'inherit', slug: 'file' },
      { type: 'page', slug: 'page' },
      { type: 'post', slug: 'post' },
    )
    assert.is(await slugOf(site, 'posts', { title: 'File', status: 'publish' }), 'file')
    assert.is(await slugOf(site, 'posts', { title: 'Page', status: 'publish' }), 'page')
    assert.is(await slugOf(site, 'posts', { title: 'Post', status: 'publish' }), 'post-2')
  })

  slugs('of attachments avoid the slugs of all posts, of any parent', async () => {
    await using site = await serveOn(await make(), { add: [films] })
    const [parent] = (await addPosts(
      site.store,
      { type: 'page', slug: 'page' },
      { type: 'post', slug: 'post' },
      { type: 'scene', slug: 'scene' },
      { type: 'attachment', status: 'inherit', slug: 'file' },
    )) as [number]
    const file = { type: 'attachment', status: 'inherit' }
    const [above, below] = (await addPosts(
      site.store,
      { ...file, slug: 'above' },
      { ...file, slug: 'below', parent_id: parent },
    )) as [number, number]
    for (const slug of ['page', 'post', 'scene', 'file']) {
      assert.is(await slugOf(site, 'media', { slug }, above), `${slug}-2`)
      assert.is(await slugOf(site, 'media', { slug }, below), `${slug}-3`)
      assert.is(await slugOf(site, 'media', { slug: 'above' }, above), 'above')
    }
  })

  slugs.run()
}

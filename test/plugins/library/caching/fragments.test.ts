import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { collectDependencies, dependsOn, doNotCache } from '../../../../plugins/library/caching/dependencies.ts'
import { definePlugin, Owner, RestRequest, trustPlugins, type RestResponse } from '../../../../kernel/index.ts'
import { Json, fragmentsOf, type VersionSource } from '../../../../plugins/library/caching/index.ts'
import { Fragments } from '../../../../plugins/library/caching/fragments.ts'
import { PostsController } from '../../../../plugins/content/posts/index.ts'
import { addPosts } from '../../../helpers/content.ts'
import { as, serveOn, statementsOf, type Site } from '../../../helpers/site.ts'
import { databases } from '../../../helpers/site-with-users.ts'

/** A version source that tests control. */
class TestVersions implements VersionSource {
  current: number | null = 1
  readonly #changed = new Map<string, number>()

  state(): number | null {
    return this.current
  }

  unchanged(tags: readonly string[], since: number): boolean {
    return tags.every((tag) => (this.#changed.get(tag) ?? 0) <= since)
  }

  change(...tags: readonly string[]): void {
    this.current = (this.current ?? 0) + 1
    for (const tag of tags) this.#changed.set(tag, this.current)
  }
}

/** IDs of the posts whose field was computed, in order. */
const renderedIds: unknown[] = []

/** A field with a custom tag, and a field that cannot be cached. */
const fields = definePlugin({
  name: 'stock',
  needs: ['extra-fields', 'content-types'],
  apply({ services }) {
    const schema = { type: 'integer', context: ['view', 'embed', 'edit'] } as const
    services.contentTypes.register('cup', { public: true, show_in_rest: true, supports: ['title', 'author'] })
    services.extraFields.register('post', 'stock', {
      schema,
      dependsOn: ({ id }) => [`stock:${String(id)}`],
      get_callback: ({ id }) => {
        renderedIds.push(id)
        return renderedIds.length
      },
    })
    services.extraFields.register('cup', 'chance', {
      schema,
      dependsOn: 'nothing',
      get_callback: ({ id }) => {
        renderedIds.push(id)
        doNotCache('chance')
        return renderedIds.length
      },
    })
    class Special extends PostsController {}
    services.contentTypes.register('plate', {
      public: true,
      show_in_rest: true,
      supports: ['title', 'author'],
      rest_controller_class: Special,
    })
    services.extraFields.register('plate', 'stock', {
      schema,
      dependsOn: 'nothing',
      get_callback: ({ id }) => renderedIds.push(id),
    })
  },
})

// Output of third-party plugins is cached per request; trusted plugins are not.
trustPlugins([fields])

for (const { name, place } of databases) {
  const fragments = suite(`fragments, ${name}`)

  fragments.before.each(() => {
    renderedIds.length = 0
  })

  const start = async (): Promise<{ site: Site; versions: TestVersions }> => {
    const site = await serveOn(await place(), { add: [fields], plugins: { 'response-cache': { enabled: false } } })
    const versions = new TestVersions()
    fragmentsOf(site.kernel.server).keepBy(versions)
    return { site, versions }
  }

  fragments('are created once, and again after their data changes', async () => {
    const { site, versions } = await start()
    await using _ = site
    const [one, two, three] = await addPosts(site.store, {}, {}, {})
    const list = await site.json('/svc/v2/posts')
    assert.equal(renderedIds.splice(0), [one, two, three])
    assert.equal(await site.json('/svc/v2/posts'), list)
    assert.equal(await site.json(`/svc/v2/posts?include=${two},${three}`), [list[1], list[2]])
    assert.equal(renderedIds.splice(0), [])

    versions.change(`stock:${two}`)
    assert.equal(
      (await site.json('/svc/v2/posts')).map(({ stock }: { stock: number }) => stock),
      [1, 1, 3],
    )
    assert.equal(renderedIds.splice(0), [two])

    const { db } = site.store
    await site.store.run(db.updateTable('posts').set({ title: 'Renamed' }).where('id', '=', three!))
    versions.change(`post:${three}`)
    assert.is((await site.json('/svc/v2/posts'))[2].title.rendered, 'Renamed')
    assert.equal(renderedIds.splice(0), [three])
  })

  fragments('of a single post include its headers', async () => {
    const { site, versions } = await start()
    await using _ = site
    const [id] = await addPosts(site.store, {})
    const read = async () => {
      const response = await site.get(`/svc/v2/posts/${id}`)
      return { body: await response.text(), link: response.headers.get('link') }
    }
    const first = await read()
    assert.match(first.link ?? '', 'rel="alternate"')
    assert.equal(await read(), first)
    assert.equal(renderedIds.splice(0), [id])
    versions.change(`post:${id}`)
    await read()
    assert.equal(renderedIds, [id])
  })

  fragments('reduce a list to one statement', async () => {
    const { site } = await start()
    await using _ = site
    // A missing author would be an error, which is not cached.
    await addPosts(site.store, { author_id: 0 }, { author_id: 0 })
    await site.json('/svc/v2/posts?_embed')
    const executed = await statementsOf(site.store, () => site.json('/svc/v2/posts?_embed'))
    assert.is(executed.length, 1, executed.join('\n'))
    assert.not.match(executed[0]!, 'content_filtered')
  })

  fragments('are not used for users who can no longer see the item', async () => {
    const { site, versions } = await start()
    await using _ = site
    const [one, two] = await addPosts(site.store, {}, {})
    assert.is((await site.json('/svc/v2/posts')).length, 2)
    await site.store.run(site.store.db.updateTable('posts').set({ status: 'private' }).where('id', '=', one!))
    versions.change()
    assert.equal(
      (await site.json('/svc/v2/posts')).map(({ id }: { id: number }) => id),
      [two],
    )
    assert.is((await site.get(`/svc/v2/posts/${one}`)).status, 401)
  })

  fragments('are shared by all visitors, and separate for each user', async () => {
    const { site } = await start()
    await using _ = site
    const [id] = await addPosts(site.store, {})
    await site.json('/svc/v2/posts')
    await site.json('/svc/v2/posts?context=view')
    assert.equal(renderedIds.splice(0), [id])
    for (const headers of [as('editor', 7), as('editor', 8), as('author', 7), as('author', 7)])
      await site.json('/svc/v2/posts', headers)
    assert.is(renderedIds.length, 3)
  })

  fragments('do not contain password-protected content', async () => {
    const { site } = await start()
    await using _ = site
    const [id] = await addPosts(site.store, { password: 'secret', content: 'Hidden' })
    const content = async (query: string) => (await site.json(`/svc/v2/posts/${id}${query}`)).content.rendered
    assert.match(await content('?password=secret'), 'Hidden')
    assert.is(await content(''), '')
    assert.match(await content('?password=secret'), 'Hidden')
    assert.is(await content(''), '')
  })

  fragments('are not cached for doNotCache and for controllers without tagsOf', async () => {
    const { site } = await start()
    await using _ = site
    const ids = await addPosts(site.store, { type: 'cup' }, { type: 'plate' })
    for (const type of ['cup', 'plate', 'cup', 'plate']) await site.json(`/svc/v2/${type}`)
    assert.equal(renderedIds, [...ids, ...ids])
  })

  fragments('are not used while the state of the data is unknown', async () => {
    const { site, versions } = await start()
    await using _ = site
    await addPosts(site.store, {})
    await site.json('/svc/v2/posts')
    versions.current = null
    await site.json('/svc/v2/posts')
    assert.is(renderedIds.length, 2)
  })

  fragments('are not used in the response to a write and within it', async () => {
    const { site } = await start()
    await using _ = site
    const [id] = await addPosts(site.store, { title: 'Before' })
    const { server, hooks } = site.kernel
    await site.json(`/svc/v2/posts/${id}`)
    const shown: unknown[] = []
    hooks.rest_insert.for('post').tapPromise('test', async (_post, request) => {
      const { data } = await server.dispatch(RestRequest.fromPath(`/svc/v2/posts/${id}`, request))
      shown.push((data as { title: { rendered: string } }).title.rendered)
    })
    const headers = { ...as('administrator', 1), 'content-type': 'application/json' }
    const body = JSON.stringify({ title: 'After' })
    const written = await site.request(`/svc/v2/posts/${id}`, { method: 'POST', headers, body })
    const { title } = (await written.json()) as { title: { rendered: string } }
    assert.is(title.rendered, 'After')
    assert.equal(shown, ['After'])
  })

  fragments('can be changed by taps for one response', async () => {
    const { site } = await start()
    await using _ = site
    const [id] = await addPosts(site.store, {})
    const { server } = site.kernel
    const before = await site.json(`/svc/v2/posts/${id}`)
    const listed = await site.json('/svc/v2/posts')
    for (let time = 0; time < 2; time += 1) {
      const list = await server.dispatch('/svc/v2/posts')
      assert.equal(list.data, listed)
      Object.assign((list.data as object[])[0]!, { title: 'Changed' })
      assert.match(JSON.stringify(server.responseToData(list)), 'Changed')

      const single = await server.dispatch(`/svc/v2/posts/${id}`)
      assert.ok(single.hasLinks)
      assert.equal(single.links.get('self'), before._links.self)
      assert.is((single.data as { _links?: unknown })._links, undefined)
      single.addLink('more', 'http://more.test')
      single.links.get('self')![0]!.href = 'changed'
      assert.match(JSON.stringify(server.responseToData(single)), 'http://more.test')
    }
    assert.equal(await site.json(`/svc/v2/posts/${id}`), before)

    server.hooks.rest_post_dispatch.tap('test', (response) => {
      if (Array.isArray(response.data)) response.data = response.data.length
      return response
    })
    assert.is(await site.json('/svc/v2/posts'), 1)
  })

  fragments('are removed when a tap is added or removed', async () => {
    const { site } = await start()
    await using _ = site
    await addPosts(site.store, {})
    await site.json('/svc/v2/posts')
    const late = new Owner('late')
    late.run(() =>
      site.kernel.hooks.rest_prepare.for('post').tap('late', (response: RestResponse) => {
        Object.assign(response.data as object, { late: true })
        return response
      }),
    )
    assert.is((await site.json('/svc/v2/posts'))[0].late, true)
    await late.remove()
    assert.is((await site.json('/svc/v2/posts'))[0].late, undefined)
  })

  fragments.run()
}

const cache = suite('fragment cache')

/** A fragment cache of items with a version source. */
const fragmentsBy = (versions = new TestVersions(), bytes?: number) => {
  const fragments = new Fragments(bytes)
  fragments.keepBy(versions)
  fragments.keepItems()
  return fragments
}

const keep = (fragments: Fragments, id: number, text: string) => {
  const request = new RestRequest('GET', '/')
  fragments.begin(request)
  const kind = fragments.kindOf(request, 'test')!
  collectDependencies((part) => fragments.keep(kind, id, part, Json.of(text)))
  return { kind, has: (other: number) => fragments.get(kind, other) !== undefined }
}

cache('is limited in bytes, evicts the oldest first and does not store long ones', () => {
  const fragments = fragmentsBy(new TestVersions(), 20_000)
  const short = 'x'.repeat(1000)
  for (let id = 1; id <= 20; id += 1) keep(fragments, id, short)
  const { kind, has } = keep(fragments, 21, 'y'.repeat(200_000))
  assert.equal([1, 10, 19, 20, 21].map(has), [false, false, true, true, false])
  assert.ok(kind.count.kept > 2 && kind.count.kept < 10, String(kind.count.kept))
  fragments.clear()
  assert.is(kind.count.kept, 0)
})

cache('is not used by a request that read data before the state was recorded', () => {
  const fragments = fragmentsBy()
  const late = new RestRequest('GET', '/')
  late.scope.get('read', () => 1)
  fragments.begin(late)
  assert.is(fragments.kindOf(late, 'test'), null)
  late.scope.clear()
  fragments.begin(late)
  assert.is.not(fragments.kindOf(late, 'test'), null)
})

cache('does not store fragments that were started before it was cleared', () => {
  const fragments = fragmentsBy()
  const { kind, has } = keep(fragments, 1, 'text')
  fragments.clear()
  collectDependencies((part) => fragments.keep(kind, 2, part, Json.of('text')))
  assert.equal([1, 2].map(has), [false, false])
})

cache('returns shared texts until their source or data changes', async () => {
  const versions = new TestVersions()
  const fragments = new Fragments()
  fragments.keepBy(versions)
  let renderCount = 0
  const text = (source: string, depend = () => dependsOn('option:smilies')) => {
    const { scope } = new RestRequest('GET', '/')
    fragments.begin({ method: 'GET', scope })
    return fragments.text(scope, 'content', 1, [source], () => {
      depend()
      renderCount += 1
      return `${source} ${renderCount}`
    })
  }
  const texts: string[] = []
  for (const source of ['a', 'a', 'b', 'b']) texts.push(await text(source))
  assert.equal(texts, ['a 1', 'a 1', 'b 2', 'b 2'])
  versions.change('option:title')
  assert.is(await text('b'), 'b 2')
  versions.change('option:smilies')
  assert.is(await text('b'), 'b 3')
  const failed = () => doNotCache('it failed')
  assert.equal([await text('c', failed), await text('c', failed)], ['c 4', 'c 5'])
})

cache('adds the dependencies of a value that is read once to each item', () => {
  const { scope } = new RestRequest('GET', '/')
  const zone = () => scope.get('zone', () => void dependsOn('option:timezone'))
  zone()
  const [first, second] = [0, 1].map(() =>
    collectDependencies((part) => {
      zone()
      return [...part.tags]
    }),
  )
  assert.equal([first, second], [['option:timezone'], ['option:timezone']])
})

cache.run()

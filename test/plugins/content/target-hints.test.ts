import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../kernel/index.ts'
import { addPosts, addTerm } from '../../helpers/content.ts'
import { as, serve, startOnly, type ServeOptions, type Site } from '../../helpers/site.ts'

startOnly('posts', 'terms', 'comments', 'media', 'options')

const hints = suite('target hints')

const LOGINS: Readonly<Record<string, Record<string, string>>> = {
  visitor: {},
  author: as('author', 7),
  editor: as('editor', 8),
}

const AUTHORS = [0, 7, 8]

/** A site with posts, files, comments and categories of all authors. */
async function filled(options: ServeOptions = {}): Promise<Site> {
  const site = await serve(options)
  const { store } = site
  for (const author_id of AUTHORS) {
    for (const status of ['publish', 'private', 'draft', 'future'] as const) {
      const date = status === 'future' ? '2200-01-01 00:00:00' : '2025-01-01 00:00:00'
      const [post] = await addPosts(store, { title: status, status, author_id, date, date_gmt: date })
      const file = { type: 'attachment', status: 'inherit', mime_type: 'image/png' } as const
      for (const owner of AUTHORS)
        await addPosts(store, { ...file, title: 'A file', author_id: owner, parent_id: post! })
      for (const commenter of AUTHORS) {
        const comment = { post_id: post!, author_id: commenter, content: 'Well said', approved: '1' as const }
        await store.run(store.db.insertInto('comments').values(comment))
      }
    }
    await addTerm(store, { taxonomy: 'category', name: `News ${author_id}` })
  }
  return site
}

const LISTS = [
  '/svc/v2/posts?per_page=100',
  '/svc/v2/media?per_page=100',
  '/svc/v2/comments?per_page=100',
  '/svc/v2/categories?per_page=100',
]

type Item = { id: number; _links: { self: [{ targetHints?: { allow: string[] } }] } }

/** The allowed methods of each item of a list, by ID. */
async function ofList(site: Site, list: string, headers: Record<string, string>): Promise<Map<number, string>> {
  const items = (await site.json(list, headers)) as Item[]
  return new Map(items.map(({ id, _links }) => [id, String(_links.self[0].targetHints?.allow)]))
}

async function compare(site: Site, name: string, headers: Record<string, string>): Promise<void> {
  for (const list of LISTS) {
    const methodsById = await ofList(site, list, headers)
    assert.ok(methodsById.size > 2, list)
    const base = list.replace(/\?.*/, '')
    for (const [id, methods] of methodsById) {
      const response = await site.get(`${base}/${id}`, headers)
      assert.is(methods, (response.headers.get('allow') ?? '').replaceAll(', ', ','), `${name}, ${base}/${id}`)
    }
  }
}

for (const [name, headers] of Object.entries(LOGINS)) {
  hints(`of list items equal the Allow header of each item, for the login ${name}`, async () => {
    await using site = await filled()
    const { options } = site.kernel.services
    await options.set('default_category', 2)
    await compare(site, name, headers)
  })
}

hints('follow a plugin that decides per item', async () => {
  const decides = definePlugin({
    name: 'test-decides',
    needs: ['roles'],
    apply({ hooks }) {
      hooks.map_meta_cap.tap('test-decides', (needed, _capability, _user, object) =>
        object !== undefined && object.id % 3 === 0 ? ['do_not_allow'] : needed,
      )
    },
  })
  await using site = await filled({ add: [decides] })
  await compare(site, 'editor', LOGINS['editor']!)
  const methods = new Set((await ofList(site, LISTS[0]!, LOGINS['editor']!)).values())
  assert.ok(methods.size > 1)
})

hints('follow a plugin that replaces the permission checks of a route', async () => {
  const replaces = definePlugin({
    name: 'test-replaces',
    after: ['posts'],
    apply({ hooks }) {
      hooks.rest_endpoints.tap({ name: 'test-replaces', stage: 500 }, (routes) => {
        const route = routes.get('/svc/v2/posts/(?P<id>[\\d]+)')!
        const endpoints = route.endpoints.map((endpoint) =>
          endpoint.methods.includes('DELETE')
            ? {
                ...endpoint,
                permission_callback: ({ captures }: { captures: object }) =>
                  Number((captures as { id: unknown }).id) % 3 === 0,
              }
            : endpoint,
        )
        return new Map(routes).set(route.pattern, { ...route, endpoints })
      })
    },
  })
  await using site = await filled({ add: [replaces] })
  await compare(site, 'visitor', {})
  const methods = new Set((await ofList(site, LISTS[0]!, {})).values())
  assert.is(methods.size, 2)
})

hints('run the checks once for items with the same key', async () => {
  await using site = await filled()
  const { capabilities } = site.kernel.services
  let checks = 0
  const can = capabilities.can.bind(capabilities)
  capabilities.can = (...args) => {
    checks += 1
    return can(...args)
  }
  const count = async (path: string) => {
    checks = 0
    await site.json(path)
    return checks
  }
  const checksOfSmallPage = await count('/svc/v2/categories?per_page=2')
  for (let n = 0; n < 30; n++) await addTerm(site.store, { taxonomy: 'category', name: `More ${n}` })
  assert.ok((await count('/svc/v2/categories?per_page=30')) <= checksOfSmallPage)
  capabilities.can = can
})

hints.run()

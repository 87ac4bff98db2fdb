import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serve, serveOn, CONTENT_PLUGINS, startOnly, type Site } from '../../../helpers/site.ts'
import { filePlace, places } from '../../../helpers/stores.ts'
import { svc } from '../../../helpers/svc.ts'

startOnly('url-replacement', ...CONTENT_PLUGINS)

const OLD = 'http://old.example'
const NEW = 'https://new.example'

for (const { name, make } of places) {
  const replacement = suite(`URL replacement: ${name}`)

  replacement('replaces URLs in every place, and counts them by column', async () => {
    await using site = await serveOn(await make())
    await fill(site, OLD)
    const before = await texts(site)
    const { urlReplacement } = site.kernel.services
    const counted = await urlReplacement.run({ from: OLD, to: NEW, dryRun: true })
    assert.equal(await texts(site), before)
    const replaced = await urlReplacement.run({ from: OLD, to: NEW })
    assert.equal(replaced, counted)
    assert.equal(
      replaced.map(({ table, column, rows, urls }) => `${table}.${column} ${rows} ${urls}`),
      [
        'posts.title 1 1',
        'posts.content 1 2',
        'posts.excerpt 1 1',
        'posts.guid 1 1',
        'post_meta.value 3 3',
        'terms.description 1 1',
        'term_meta.value 1 1',
        'comments.content 1 1',
        'comments.author_url 1 1',
        'comment_meta.value 1 1',
        'users.url 1 1',
        'user_meta.value 1 1',
        'options.value 1 1',
      ],
    )
    await using other = await serveOn(await make())
    await fill(other, NEW)
    assert.equal(await texts(site), await texts(other))
    assert.equal(await urlReplacement.run({ from: OLD, to: NEW }), [])
  })

  replacement('keeps GUIDs on request', async () => {
    await using site = await serveOn(await make())
    await fill(site, OLD)
    await site.kernel.services.urlReplacement.run({ from: OLD, to: NEW, keepGuids: true })
    const post = await site.store.first(site.store.db.selectFrom('posts').select(['guid', 'excerpt']))
    assert.equal([post?.guid, post?.excerpt], [`${OLD}/?p=1`, `${NEW}/`])
  })

  replacement('is visible at once in cached responses', async () => {
    await using site = await serveOn(await make())
    await fill(site, OLD)
    assert.match((await site.json('/svc/v2/posts/1')).content.rendered, OLD)
    await site.kernel.services.urlReplacement.run({ from: OLD, to: NEW })
    const { content, title } = await site.json('/svc/v2/posts/1')
    assert.not.match(content.rendered + title.rendered, `${OLD}/`)
    assert.match(content.rendered, NEW)
  })

  replacement.run()
}

const moved = suite('moved home')

moved('is logged with the command at each start until the texts have the new URL', async () => {
  await using place = await filePlace()
  const start = async (home: string) => {
    const lines: string[] = []
    await using _site = await serve({ database: place.url, home, log: 'warn', logTo: (line) => lines.push(line) })
    return lines.filter((line) => line.includes('svc urls replace')).length
  }
  assert.equal([await start(OLD), await start(OLD), await start(NEW), await start(NEW)], [0, 0, 1, 1])
  const { code, out } = await svc('urls', 'replace', OLD, NEW, '--database', place.url, '--home', NEW)
  assert.is(code, 0)
  assert.match(out, '0 URLs were replaced.')
  assert.is(await start(NEW), 0)
})

moved('is logged once for another port of the same machine, and never for automatic ports', async () => {
  await using place = await filePlace()
  const start = async (options: object) => {
    const lines: string[] = []
    await using site = await serve({ database: place.url, log: 'warn', logTo: (line) => lines.push(line), ...options })
    return [lines.filter((line) => line.includes('svc urls replace')).length, await movedOf(site)] as const
  }
  assert.equal(await start({}), [0, null])
  assert.equal(await start({ home: 'http://localhost:3000' }), [0, null])
  const local = { from: 'http://localhost:3000', to: 'http://localhost:4000', isLocal: true }
  assert.equal(await start({ home: 'http://localhost:4000' }), [1, local])
  assert.equal(await start({ home: 'http://localhost:4000' }), [0, local])
  assert.equal(await start({}), [0, null])
})

moved('is found in the texts of a site without a record', async () => {
  await using place = await filePlace()
  {
    await using site = await serve({ database: place.url })
    await fill(site, OLD)
  }
  await using site = await serve({ database: place.url, home: NEW })
  assert.equal(await movedOf(site), { from: OLD, to: NEW, isLocal: false })
})

moved.run()

async function movedOf(site: Site): Promise<unknown> {
  return await site.kernel.services.urlReplacement.moved()
}

/** Fills a site with texts that contain a URL in different forms. */
async function fill({ store }: Site, url: string): Promise<void> {
  const { db } = store
  const length = Buffer.byteLength(`${url}/ü`)
  const escaped = url.replaceAll('/', String.raw`\/`)
  const content = `<!-- wp:image {"url":"${escaped}\\/a.png"} --><img src="${url}/a.png"><!-- /wp:image --> http://old.example.au`
  const post = { title: `At ${url}`, content, excerpt: `${url}/`, guid: `${url}/?p=1`, status: 'publish', slug: 'a' }
  await store.run(db.insertInto('posts').values({ id: 1, ...post, date: '2025-01-01 00:00:00' }))
  await store.run(
    db.insertInto('post_meta').values([
      { post_id: 1, key: '_menu_item_url', value: `${url}/a`, json: 0 },
      { post_id: 1, key: 'list', value: JSON.stringify({ links: [`${url}/b`] }), json: 1 },
      { post_id: 1, key: 'php', value: `O:3:"Foo":1:{s:1:"u";s:${length}:"${url}/ü";}`, json: 0 },
    ]),
  )
  await store.run(
    db.insertInto('terms').values({ id: 1, taxonomy: 'category', name: 'A', slug: 'a', description: url }),
  )
  await store.run(db.insertInto('term_meta').values({ term_id: 1, key: 'a', value: url }))
  await store.run(db.insertInto('comments').values({ id: 1, post_id: 1, content: url, author_url: `${url}/me` }))
  await store.run(db.insertInto('comment_meta').values({ comment_id: 1, key: 'a', value: url }))
  await store.run(db.insertInto('users').values({ id: 1, login: 'ann', slug: 'ann', url }))
  await store.run(db.insertInto('user_meta').values({ user_id: 1, key: 'description', value: url }))
  await store.run(db.insertInto('options').values({ name: 'garden', value: JSON.stringify({ url }) }))
}

async function texts({ store }: Site): Promise<unknown> {
  const { db } = store
  return [
    await store.all(db.selectFrom('posts').select(['title', 'content', 'excerpt', 'guid'])),
    await store.all(db.selectFrom('post_meta').select(['key', 'value', 'json']).orderBy('id')),
    await store.all(db.selectFrom('terms').select('description')),
    await store.all(db.selectFrom('term_meta').select('value')),
    await store.all(db.selectFrom('comments').select(['content', 'author_url'])),
    await store.all(db.selectFrom('comment_meta').select('value')),
    await store.all(db.selectFrom('users').select('url')),
    await store.all(db.selectFrom('user_meta').select('value')),
    await store.all(db.selectFrom('options').selectAll().where('name', '=', 'garden')),
  ]
}

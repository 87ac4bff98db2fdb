import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RequestCache } from '../../../kernel/index.ts'
import { addPosts } from '../../helpers/content.ts'
import { startOnly } from '../../helpers/site.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../helpers/site-with-users.ts'

startOnly('revisions', 'autosaves', 'navigation', 'templates', 'global-styles', 'importer')

for (const { name, place } of databases) {
  const limit = suite(`the limit of revisions on ${name}`)

  const writeOf = ({ users }: SiteWithUsers) => ({ user: { id: users.admin }, scope: new RequestCache() })
  /** Returns the contents of the revisions of a post, newest first. */
  const revisionsOf = async ({ store }: SiteWithUsers, post: number): Promise<string[]> => {
    const { db } = store
    const own = db.selectFrom('posts').select('content').where('type', '=', 'revision').where('parent_id', '=', post)
    const revisions = own.where('slug', '=', `${post}-revision-v1`).orderBy('date', 'desc').orderBy('id', 'desc')
    return (await store.all(revisions)).map(({ content }) => content)
  }
  const addRevisions = (site: SiteWithUsers, post: number, count: number) =>
    addPosts(
      site.store,
      ...Array.from({ length: count }, (_, index) => ({
        type: 'revision',
        status: 'inherit',
        parent_id: post,
        slug: `${post}-revision-v1`,
        content: `old ${index}`,
        date: `2024-01-01 00:00:${String(index % 60).padStart(2, '0')}`,
      })),
    )

  limit('is 100, and deletes the oldest with a constant number of statements', async () => {
    await using site = await serveWithUsers(place)
    const { posts } = site.kernel.services
    const [post] = (await addPosts(site.store, { title: 'T', content: 'now' })) as [number]
    await addRevisions(site, post, 40)
    const save = (content: string) => site.statements(() => posts.update(post, { content }, writeOf(site)))
    const firstSave = await save('first')
    assert.is((await revisionsOf(site, post)).length, 41)
    await addRevisions(site, post, 600)
    const secondSave = await save('second')
    const remaining = await revisionsOf(site, post)
    assert.is(remaining.length, 100)
    assert.equal(remaining.slice(0, 2), ['second', 'first'])
    assert.ok(
      secondSave.length <= firstSave.length + 1,
      `${secondSave.length} statements instead of ${firstSave.length}`,
    )
    await save('third')
    assert.equal((await revisionsOf(site, post)).slice(0, 3), ['third', 'second', 'first'])
    assert.is((await revisionsOf(site, post)).length, 100)
  })

  limit('logs the post and the number if a save deletes more than one revision', async () => {
    const lines: { msg: string; post?: number; revisions?: number; keep?: number; level: number }[] = []
    const logTo = (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number])
    await using site = await serveWithUsers(place, { log: 'info', logTo })
    const [post] = (await addPosts(site.store, { title: 'T', content: 'now' })) as [number]
    await addRevisions(site, post, 240)
    for (const content of ['first', 'second'])
      assert.is((await site.send('PUT', `/svc/v2/posts/${post}`, { content }, 'ed')).status, 200)
    const found = lines.filter(({ msg }) => msg === 'deleting revisions above the limit')
    assert.equal(
      found.map(({ level, post, revisions, keep }) => ({ level, post, revisions, keep })),
      [{ level: 30, post, revisions: 141, keep: 100 }],
    )
  })

  limit('applies to every type with revisions, and can be filtered per post', async () => {
    await using site = await serveWithUsers(place, { plugins: { revisions: { keep: 2 } } })
    const { contentTypes, posts } = site.kernel.services
    site.kernel.hooks.revisions_to_keep.tap('test', (keep, { type }) => (type === 'page' ? 1 : keep))
    const types = [...contentTypes.all()].filter((type) => contentTypes.supports(type.name, 'revisions'))
    assert.ok(types.length >= 6, types.map((type) => type.name).join())
    for (const type of types) {
      const [post] = (await addPosts(site.store, { type: type.name, content: '0' })) as [number]
      for (const content of ['1', '2', '3', '4']) await posts.update(post, { content }, writeOf(site))
      assert.equal(await revisionsOf(site, post), type.name === 'page' ? ['4'] : ['4', '3'], type.name)
    }
  })

  for (const [keep, left] of [
    [true, ['3', '2', '1']],
    [-1, ['3', '2', '1']],
    [false, []],
    [0, []],
    [1, ['3']],
  ] as const) {
    limit(`accepts ${keep}, over REST`, async () => {
      await using site = await serveWithUsers(place, { plugins: { revisions: { keep } } })
      const response = await site.send('POST', '/svc/v2/posts', { title: 'T', content: '0', status: 'publish' }, 'ed')
      const { id } = (await response.json()) as { id: number }
      for (const content of ['1', '2', '3']) await site.send('PUT', `/svc/v2/posts/${id}`, { content }, 'ed')
      assert.equal(await revisionsOf(site, id), left)
      const listed = await site.json(`/svc/v2/posts/${id}/revisions?_fields=id`, site.by('ed'))
      assert.is(listed.length, left.length)
    })
  }

  limit('does not count or delete autosaves', async () => {
    await using site = await serveWithUsers(place, { plugins: { revisions: { keep: 1 } } })
    const response = await site.send('POST', '/svc/v2/posts', { title: 'T', content: '0', status: 'publish' }, 'ed')
    const { id } = (await response.json()) as { id: number }
    const autosaves = `/svc/v2/posts/${id}/autosaves`
    for (const login of ['ed', 'admin'] as const)
      assert.is((await site.send('POST', autosaves, { content: `of ${login}` }, login)).status, 200)
    for (const content of ['1', '2', '3']) await site.send('PUT', `/svc/v2/posts/${id}`, { content }, 'ed')
    assert.equal(await revisionsOf(site, id), ['3'])
    assert.is((await site.json(`${autosaves}?_fields=id`, site.by('admin'))).length, 2)
  })

  limit('is rolled back with a failed change', async () => {
    await using site = await serveWithUsers(place, { plugins: { revisions: { keep: 1 } } })
    const { posts } = site.kernel.services
    const [post] = (await addPosts(site.store, { title: 'T', content: '0' })) as [number]
    await posts.update(post, { content: '1' }, writeOf(site))
    site.kernel.hooks.save_post.tap({ name: 'test', stage: 100 }, () => {
      throw new Error('not this one')
    })
    const failed = await posts.update(post, { content: '2' }, writeOf(site)).catch((error: Error) => error)
    assert.instance(failed, Error)
    assert.equal(await revisionsOf(site, post), ['1'])
  })

  limit('applies to the revisions of an import, but not to other posts', async () => {
    await using site = await serveWithUsers(place, { plugins: { revisions: { keep: 2 } } })
    const [other] = (await addPosts(site.store, { title: 'Other' })) as [number]
    await addRevisions(site, other, 4)
    await site.store.syncSequences()
    const garden = await readFile(new URL('../../fixtures/garden.wxr.xml', import.meta.url), 'utf8')
    const item = /<item>(?:(?!<item>)[^])*120-revision-v1[^]*?<\/item>/.exec(garden)![0]
    const more = [1, 2, 3, 4, 5].map((minute) =>
      item
        .replaceAll('?p=140', `?p=90${minute}`)
        .replace('<wp:post_id>140', `<wp:post_id>90${minute}`)
        .replace('Older', `import ${minute}`)
        .replaceAll(/2024-05-01 (\d\d):00/g, `2024-05-02 $1:0${minute}`),
    )
    const source = Readable.from([Buffer.from(garden.replace(item, `${item}${more.join('')}`))])
    const report = await site.kernel.services.importer.run({ source })
    const { imported, skipped } = report.counts['revision items']!
    assert.is(skipped['over the limit of revisions'], 4)
    const stored = site.store.db.selectFrom('posts').select('id').where('type', '=', 'revision')
    assert.is((await site.store.all(stored)).length, imported + 4, 'the report counts those that are stored')
    const [roses] = await site.store.all(
      site.store.db.selectFrom('posts').select('id').where('title', '=', 'Roses in May').where('type', '=', 'post'),
    )
    assert.equal(await revisionsOf(site, roses!.id), ['import 5', 'import 4'])
    assert.is((await revisionsOf(site, other)).length, 4)
    const autosaves = site.store.db.selectFrom('posts').select('id').where('slug', '=', `${roses!.id}-autosave-v1`)
    assert.is((await site.store.all(autosaves)).length, 1)
  })

  limit.run()
}

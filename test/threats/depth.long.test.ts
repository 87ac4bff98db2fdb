import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts } from '../helpers/content.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../helpers/site-with-users.ts'

// The number of statements of a request must not depend on the depth of a hierarchy.

const HOME = '/2024/05/28'

async function chain(site: SiteWithUsers, length: number, row: object, top = 0): Promise<number[]> {
  const ids = [top]
  for (let level = 1; level <= length; level += 1) {
    const title = `level${level}`
    const [id] = await addPosts(site.store, { title, ...row, parent_id: ids.at(-1)!, author_id: site.users.admin })
    ids.push(id!)
  }
  return ids.slice(1)
}

async function comments(site: SiteWithUsers, post: number, length: number): Promise<number[]> {
  const ids: number[] = []
  for (let level = 1; level <= length; level += 1) {
    const row = { post_id: post, parent_id: ids.at(-1) ?? 0, author_name: 'a', content: 'c', approved: '1' }
    const date = { date: '2024-05-28 12:00:00', date_gmt: '2024-05-28 12:00:00' }
    const added = await site.store.first(
      site.store.db
        .insertInto('comments')
        .values({ ...row, ...date })
        .returning('id'),
    )
    ids.push(added!.id)
  }
  return ids
}

for (const { name, place } of databases) {
  const depth = suite(`deep nesting on ${name}`)
  const file = { type: 'attachment', status: 'inherit' }

  /** Returns the response of a request and its number of statements. */
  async function measure(
    site: SiteWithUsers,
    path: string,
    body?: object,
  ): Promise<[number, Record<string, unknown>, number]> {
    let [status, json]: [number, Record<string, unknown>] = [0, {}]
    const headers = { 'content-type': 'application/json', ...site.by('admin') }
    const statements = await site.statements(async () => {
      const response = await site.request(path, body && { method: 'POST', headers, body: JSON.stringify(body) })
      status = response.status
      json = (await response.json()) as Record<string, unknown>
    })
    return [status, json, statements.length]
  }

  depth('adds no statements when an attachment is read, which has the visibility of the topmost post', async () => {
    await using site = await serveWithUsers(place)
    await site.kernel.services.options.set('permalink', '/%year%/%monthnum%/%day%/%postname%/')
    const [post, hidden] = (await addPosts(
      site.store,
      { title: 'Top', date: '2024-05-28 12:00:00' },
      { title: 'Draft', status: 'draft' },
    )) as [number, number]
    const ids = await chain(site, 60, file, post)
    const [, second, baseline] = await measure(site, `/svc/v2/media/${ids[1]!}`)
    assert.is(second['link'], `${site.home}${HOME}/top/level1/level2/`)
    const [status, last, many] = await measure(site, `/svc/v2/media/${ids[59]!}`)
    assert.is(status, 200)
    assert.match(String(last['link']), `${site.home}${HOME}/top/level1/level2/`)
    assert.match(String(last['link']), '/level59/level60/')
    assert.is(many, baseline)
    // Attachments of a draft are hidden at any depth.
    const below = await chain(site, 60, { ...file, author_id: 0 }, hidden)
    assert.is((await measure(site, `/svc/v2/media/${below[59]!}`))[0], 401)
    const tooDeep = await chain(site, 120, file, post)
    assert.is((await measure(site, `/svc/v2/media/${tooDeep[119]!}`))[0], 401)
  })

  depth('adds no statements when a page is moved', async () => {
    await using site = await serveWithUsers(place)
    const ids = await chain(site, 60, { type: 'page' })
    const [page] = (await addPosts(site.store, { type: 'page', title: 'Moved' })) as [number]
    await measure(site, `/svc/v2/pages/${page}`, { title: 'Again' })
    const [, , baseline] = await measure(site, `/svc/v2/pages/${page}`, { parent: ids[1] })
    const [status, moved, many] = await measure(site, `/svc/v2/pages/${page}`, { parent: ids[59] })
    assert.is(status, 200)
    assert.is(moved['parent'], ids[59])
    assert.is(many, baseline)
    const [, circle] = await measure(site, `/svc/v2/pages/${ids[0]!}`, { parent: page })
    assert.is(circle['parent'], 0)
  })

  depth('adds no statements when a comment is moved, which cannot become its own ancestor', async () => {
    await using site = await serveWithUsers(place)
    const [post] = (await addPosts(site.store, { title: 'Top' })) as [number]
    const ids = await comments(site, post, 60)
    const [moved] = (await comments(site, post, 1)) as [number]
    await measure(site, `/svc/v2/comments/${moved}`, { content: 'again' })
    const [, , baseline] = await measure(site, `/svc/v2/comments/${moved}`, { parent: ids[1] })
    const [status, , many] = await measure(site, `/svc/v2/comments/${moved}`, { parent: ids[59] })
    assert.is(status, 200)
    assert.is(many, baseline)
    assert.is((await measure(site, `/svc/v2/comments/${ids[0]!}`, { parent: ids[59] }))[0], 400)
  })

  depth.run()
}

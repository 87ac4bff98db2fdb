import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { databases, servePeople, type PeopleSite } from '../plugins/users/people.ts'
import { add, ask, dump, EVERYBODY, POSTS, stored, V2, type Json, type Who } from './ask.ts'

for (const { name, place } of databases) {
  const all = suite(`threats, authorization and disclosure: ${name}`)

  // S8

  const STATES = ['publish', 'locked', 'private', 'draft', 'pending', 'future', 'auto-draft', 'trash'] as const
  type State = (typeof STATES)[number]
  const OWNERS = ['ed', 'ann', 'con'] as const
  type Owner = (typeof OWNERS)[number]

  /** Who may read a post of somebody in a state, beside editors and administrators. */
  const readers = (state: State, owner: Owner): readonly Who[] => {
    if (state === 'publish' || state === 'locked') return EVERYBODY
    return [owner]
  }
  /** Who may change it, beside those. */
  const writers = (state: State, owner: Owner): readonly Who[] => {
    if (owner !== 'con') return [owner]
    return ['private', 'draft', 'pending', 'auto-draft', 'trash'].includes(state) ? ['con'] : []
  }
  const make = (site: PeopleSite, state: State, owner: Owner) =>
    add(site, {
      title: 'Title',
      content: 'the text',
      author_id: site.people[owner],
      status: state === 'locked' ? 'publish' : state,
      ...(state === 'locked' && { password: 'word' }),
      ...(state === 'future' && { date: '2190-01-01 00:00:00' }),
      ...(state === 'trash' && { meta: { _trash_meta_status: 'draft' } }),
    })

  all('S8, S9: a post is read by those alone who may, for editing by those who may change it', async () => {
    await using site = await servePeople(place)
    for (const state of STATES) {
      for (const owner of OWNERS) {
        const id = await make(site, state, owner)
        const expected = {
          read: new Set<Who>([...readers(state, owner), 'ed', 'admin']),
          write: new Set<Who>([...writers(state, owner), 'ed', 'admin']),
        }
        for (const who of EVERYBODY) {
          const about = `${who} and the ${state} of ${owner}`
          const denied = who === 'visitor' ? 401 : 403
          const seen = await ask(site, who, 'GET', `${POSTS}/${id}`)
          assert.is(seen.status, expected.read.has(who) ? 200 : denied, `GET by ${about}`)
          if (seen.status !== 200) assert.not.match(seen.text, /Title|the text/)
          if (state === 'locked') assert.is(seen.body.content.rendered, '', about)
          const edited = await ask(site, who, 'GET', `${POSTS}/${id}?context=edit`)
          assert.is(edited.status, expected.write.has(who) ? 200 : denied, `edit by ${about}`)
          for (const below of ['revisions', 'autosaves']) {
            const versions = await ask(site, who, 'GET', `${POSTS}/${id}/${below}`)
            assert.is(versions.status, expected.write.has(who) ? 200 : denied, `${below} by ${about}`)
          }
          const status = state === 'locked' ? 'publish' : state
          for (const context of ['view', 'edit']) {
            const list = await ask(site, who, 'GET', `${POSTS}?include=${id}&status=${status}&context=${context}`)
            const may = context === 'edit' ? expected.write.has(who) : expected.read.has(who)
            const ids = list.status === 200 ? list.body.map((item: Json) => item.id) : []
            assert.ok(may || ids.length === 0, `list ${context} by ${about}`)
            for (const item of ids.length === 0 ? [] : list.body) assert.is('raw' in item.title, context === 'edit')
          }
          const found = await ask(site, who, 'GET', `${V2}/search?search=the+text&include=${id}`)
          const findable = state === 'publish' || (state === 'locked' && (expected.write.has(who) || who === owner))
          if (!findable) assert.equal(found.body, [], `search by ${about}`)
          const told = await ask(site, who, 'OPTIONS', `${POSTS}/${id}`)
          const allowed = (told.headers.get('allow') ?? '').split(', ')
          assert.is(allowed.includes('PUT'), expected.write.has(who), `Allow for ${about}`)
        }
      }
    }
  })

  all('S8: a post is changed, saved aside and deleted by those alone who may', async () => {
    await using site = await servePeople(place)
    const acts: [method: string, below: string, body?: object][] = [
      ['PUT', '', { title: 'Other' }],
      ['PATCH', '', { excerpt: 'Other' }],
      ['POST', '', { meta: {} }],
      ['POST', '/autosaves', { title: 'Other', content: 'Other' }],
      ['DELETE', '?force=true'],
    ]
    for (const state of STATES) {
      for (const owner of OWNERS) {
        const may = new Set<Who>([...writers(state, owner), 'ed', 'admin'])
        for (const [method, below, body] of acts) {
          let id = await make(site, state, owner)
          for (const who of EVERYBODY) {
            const about = `${method} ${below} by ${who} of the ${state} of ${owner}`
            const before = await dump(site)
            const { status } = await ask(site, who, method, `${POSTS}/${id}${below}`, body)
            if (may.has(who)) {
              assert.ok(status < 300, `${status} for ${about}`)
              if (method === 'DELETE') id = await make(site, state, owner)
            } else {
              assert.is(status, who === 'visitor' ? 401 : 403, about)
              assert.is(await dump(site), before, about)
            }
          }
        }
      }
    }
  })

  all('S14: nobody reaches what belongs to others, nor by an address that names another', async () => {
    await using site = await servePeople(place)
    const { people } = site
    const mine = await add(site, { author_id: people.con, status: 'draft', title: 'mine', content: 'one' })
    const theirs = await add(site, { author_id: people.ed, status: 'draft', title: 'theirs', content: 'one' })
    await ask(site, 'ed', 'PUT', `${POSTS}/${theirs}`, { content: 'two' })
    await ask(site, 'admin', 'POST', `${POSTS}/${theirs}/autosaves`, { content: 'three' })
    const [revision] = (await ask(site, 'ed', 'GET', `${POSTS}/${theirs}/revisions`)).body
    const [autosave] = (await ask(site, 'ed', 'GET', `${POSTS}/${theirs}/autosaves`)).body
    assert.type(revision.id, 'number')
    assert.type(autosave.id, 'number')
    const before = await dump(site)
    const requests: [method: string, path: string, body?: object][] = [
      ['GET', `${POSTS}/${theirs}/revisions`],
      ['GET', `${POSTS}/${theirs}/revisions/${revision.id}`],
      ['DELETE', `${POSTS}/${theirs}/revisions/${revision.id}?force=true`],
      ['GET', `${POSTS}/${theirs}/autosaves/${autosave.id}`],
      ['POST', `${POSTS}/${theirs}/autosaves`, { content: 'x' }],
      // Of what the person may see they are no versions.
      ['GET', `${POSTS}/${mine}/revisions/${revision.id}`],
      ['DELETE', `${POSTS}/${mine}/revisions/${revision.id}?force=true`],
      ['GET', `${POSTS}/${mine}/autosaves/${autosave.id}`],
      ['GET', `${POSTS}/${revision.id}`],
      ['PUT', `${POSTS}/${revision.id}`, { content: 'x' }],
      ['GET', `${V2}/pages/${theirs}?context=edit`],
      ['GET', `${V2}/media/${theirs}`],
      ['GET', `${V2}/settings`],
      ['PUT', `${V2}/settings`, { title: 'x' }],
      ['GET', `${V2}/users/${people.admin}?context=edit`],
      ['PUT', `${V2}/users/${people.admin}`, { password: 'x' }],
      ['DELETE', `${V2}/users/${people.sub}?force=true&reassign=${people.con}`],
      ['GET', `${V2}/users/${people.admin}/application-passwords`],
      ['POST', `${V2}/users/${people.admin}/application-passwords`, { name: 'x' }],
      ['DELETE', `${V2}/users/${people.admin}/application-passwords`],
      ['GET', `${V2}/themes`],
      ['GET', `${V2}/types?context=edit`],
      ['POST', `${V2}/categories`, { name: 'x' }],
      ['POST', `${V2}/media`, { title: 'x' }],
    ]
    for (const [method, path, body] of requests) {
      for (const who of ['visitor', 'sub', 'con'] as const) {
        const { status, text } = await ask(site, who, method, path, body)
        // The editor's kinds of content are told to who writes.
        if (who === 'con' && path.startsWith(`${V2}/t`)) continue
        assert.ok([401, 403, 404].includes(status), `${status} for ${method} ${path} by ${who}`)
        assert.not.match(text, /theirs|mail\.example/)
      }
    }
    assert.is(await dump(site), before)
    for (const path of [`revisions/${revision.id}`, `autosaves/${autosave.id}`])
      assert.is((await ask(site, 'admin', 'GET', `${POSTS}/${mine}/${path}`)).status, 404, path)
  })

  all('S16: who may not publish does so in no way', async () => {
    await using site = await servePeople(place)
    const { con, ed } = site.people
    const draft = () => add(site, { author_id: con, status: 'draft', title: 'own', content: 'x', slug: '' })
    const asked: [method: string, below: string, body: object, header?: Record<string, string>][] = []
    for (const status of ['publish', 'future', 'private']) {
      asked.push(
        ['PUT', '', { status }],
        ['POST', '', { status: [status] }],
        ['POST', `?status=${status}`, {}],
        ['POST', '?_method=PUT', { status, title: 'y' }],
        ['POST', '/autosaves', { status, title: 'y' }],
        ['POST', `/autosaves?status=${status}`, { title: 'y', id: 1 }],
      )
    }
    asked.push(
      ['PUT', '', { sticky: true }],
      ['PUT', '', { author: ed }],
      ['PUT', '', { author: String(ed) }],
      ['POST', `?author=${ed}`, {}],
      ['PUT', '', { status: 'publish', date: '2190-01-01T00:00:00' }],
      ['PUT', '', { status: 'inherit' }],
      ['PUT', '', { status: 'trash', author: ed }],
    )
    for (const [method, below, body] of asked) {
      const id = await draft()
      await ask(site, 'con', method, `${POSTS}/${id}${below}`, body)
      const { status, author_id } = await stored(site, id)
      assert.ok(
        ['draft', 'pending', 'auto-draft'].includes(status) && author_id === con,
        `${method} ${below}: ${status}`,
      )
      const requests = [{ method, path: `${POSTS}/${id}${below}`, body }]
      await ask(site, 'con', 'POST', '/batch/v1', { requests })
      const again = await stored(site, id)
      assert.ok(['draft', 'pending', 'auto-draft'].includes(again.status) && again.author_id === con, `batch: ${below}`)
    }
    assert.equal(await site.kernel.services.posts.sticky(), [])
    // What was published, and is in the trash, comes back by nobody else's hand.
    const trashed = await add(site, { author_id: con, status: 'trash', meta: { _trash_meta_status: 'publish' } })
    for (const status of ['publish', 'draft', 'pending'])
      assert.is((await ask(site, 'con', 'PUT', `${POSTS}/${trashed}`, { status })).status, 403)
    for (const status of ['publish', 'future', 'private'])
      assert.is((await ask(site, 'con', 'POST', POSTS, { title: 'x', status })).status, 403)
    // Once it is published it is out of the hands of who wrote it.
    const out = await add(site, { author_id: con, status: 'publish', title: 'out' })
    assert.is((await ask(site, 'con', 'PUT', `${POSTS}/${out}`, { status: 'draft' })).status, 403)
    assert.is((await ask(site, 'con', 'POST', `${POSTS}/${out}/autosaves`, { title: 'x' })).status, 403)
    assert.is((await stored(site, out)).title, 'out')
  })

  all.run()
}

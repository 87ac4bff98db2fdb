import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts } from '../helpers/content.ts'
import { databases, serveWithUsers } from '../helpers/site-with-users.ts'
import { add, requestAs, dump, POSTS, stored } from './request-as.ts'

for (const { name, place } of databases) {
  const all = suite(`request parameters on ${name}`)

  all('S1: do not replace the post in the path, which is read, checked and changed', async () => {
    await using site = await serveWithUsers(place)
    const own = await add(site, { author_id: site.users.con, status: 'draft', title: 'own' })
    const other = await add(site, { author_id: site.users.ed, status: 'draft', title: 'other' })
    for (const id of [other, String(other), `${other}x`, [other], { 0: other }]) {
      const { status } = await requestAs(site, 'con', 'POST', `${POSTS}/${own}`, { id, title: 'changed' })
      assert.ok([200, 400].includes(status), JSON.stringify(id))
    }
    for (const query of [`id=${other}`, `id[]=${other}`, `ID=${other}`, `id=${own}&id=${other}`]) {
      const { body } = await requestAs(site, 'con', 'POST', `${POSTS}/${own}?${query}`, { title: 'changed' })
      assert.ok(body.id === undefined || body.id === own, query)
      const read = await requestAs(site, 'con', 'GET', `${POSTS}/${own}?${query}&context=edit`)
      assert.ok(read.status === 400 || read.body.id === own, query)
      assert.is((await requestAs(site, 'con', 'DELETE', `${POSTS}/${other}?id=${own}`)).status, 403)
    }
    assert.equal([(await stored(site, own)).title, (await stored(site, other)).title], ['changed', 'other'])
  })

  const HOSTILE = [
    "'",
    '"',
    "1' or '1'='1",
    '1;drop table posts',
    '%',
    '_',
    '\\',
    '٣',
    '１',
    '1e3',
    '0x10',
    '-0',
    'NaN',
    'a,b',
    '1,2',
    ' ',
    '',
    'x'.repeat(10_000),
    '\u0000',
    '\ud800',
    'publish',
    'title',
    'slug',
    'AND',
    'true',
    '2024-01-01T00:00:00',
  ]

  all('S2, S3, S7: never become part of a statement, in any place and encoding', async () => {
    await using site = await serveWithUsers(place)
    await addPosts(site.store, { title: "It's" }, { title: 'b' })
    const described = await requestAs(site, 'visitor', 'OPTIONS', POSTS)
    const args = Object.keys(described.body.endpoints[0].args)
    assert.ok(args.length > 20)
    const before = await dump(site)
    /** What is between the words of a statement: values have no place there. */
    const texts = new Set<string>()
    let refused = 0
    let answered = 0
    for (const arg of args) {
      for (const value of HOSTILE) {
        const text = encodeURIComponent(value.toWellFormed())
        for (const form of [`${arg}=${text}`, `${arg}[]=${text}`, `${arg}[${text}]=1`, `${arg}[a][b]=${text}`]) {
          const statements = await site.statements(async () => {
            const { status, text: message } = await requestAs(site, 'visitor', 'GET', `${POSTS}?${form}&_fields=id`)
            assert.ok([200, 400, 401].includes(status), `${status} for ${form.slice(0, 60)}: ${message.slice(0, 200)}`)
            if (status === 200) answered += 1
            else refused += 1
          })
          for (const statement of statements) texts.add(statement)
        }
      }
    }
    assert.ok(refused > 1000 && answered > 100, `${refused} and ${answered}`)
    for (const text of texts) assert.not.match(text, /drop table|or '1'|x{9}|٣|１/)
    assert.is(await dump(site), before)
    const paths = HOSTILE.map((value) => `${POSTS}?search=${encodeURIComponent(value.toWellFormed())}`)
    const requests = paths.slice(0, 25).map((path) => ({ method: 'POST', path, body: { status: "'", author: "'" } }))
    const { body } = await requestAs(site, 'ed', 'POST', '/batch/v1', { requests })
    for (const answer of body.responses) assert.is(answer.status, 400)
    assert.is(await dump(site), before)
  })

  all('S15: are ignored for fields of a post that the user is not allowed to set', async () => {
    await using site = await serveWithUsers(place)
    const id = await add(site, { author_id: site.users.con, status: 'draft', title: 'a', guid: 'urn:a' })
    const before = await stored(site, id)
    const fields = {
      id: 9999,
      ID: 9999,
      guid: 'x',
      modified: '2020-01-01T00:00:00',
      modified_gmt: '2020-01-01T00:00:00',
      type: 'page',
      post_type: 'page',
      post_author: 1,
      author_id: 1,
      parent: 1,
      parent_id: 1,
      comment_count: 5,
      mime_type: 'text/html',
      post_status: 'publish',
      post_content: 'x',
      filter: 'raw',
      link: 'x',
      generated_slug: 'x',
      content_filtered: 'x',
      meta: { _private: 'x', _thumbnail_id: 7, _trash_meta_status: 'publish', _attached_file: '../../etc/passwd' },
      _private: 'x',
      meta_input: { _x: 'y' },
      roles: ['administrator'],
      capabilities: { manage_options: true },
    }
    for (const [field, value] of Object.entries(fields)) {
      const { status } = await requestAs(site, 'con', 'PUT', `${POSTS}/${id}`, { [field]: value })
      assert.ok([200, 400, 403].includes(status), `${status} for ${field}`)
    }
    const { modified: _, modified_gmt: __, ...after } = await stored(site, id)
    const { modified: ___, modified_gmt: ____, ...same } = before
    assert.equal(after, same)
    const meta = await site.store.all(site.store.db.selectFrom('post_meta').selectAll().where('post_id', '=', id))
    assert.equal(
      meta.filter(({ key }) => /^_(?:private|thumb|trash|attached|x)/.test(key)),
      [],
    )
  })

  all.run()
}

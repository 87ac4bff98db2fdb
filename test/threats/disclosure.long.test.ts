import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { databases, serveWithUsers } from '../helpers/site-with-users.ts'
import { add, requestAs, LOGINS, POSTS, V2, type Json } from './request-as.ts'

for (const { name, place } of databases) {
  const all = suite(`response data on ${name}`)

  all(
    'S10: embeds each object as its URL returns it to the same user, or an error, and only one level deep',
    async () => {
      await using site = await serveWithUsers(place)
      const { users } = site
      const parent = await add(site, { type: 'page', status: 'draft', title: 'SECRET draft', author_id: users.ed })
      const child = await add(site, { type: 'page', title: 'child', parent_id: parent, author_id: users.shy })
      const hidden = await add(site, {
        type: 'attachment',
        status: 'private',
        title: 'SECRET file',
        author_id: users.ed,
        mime_type: 'image/png',
      })
      const post = await add(site, { title: 'post', author_id: users.ed, meta: { _thumbnail_id: hidden } })
      await requestAs(site, 'admin', 'POST', `${V2}/comments`, { post, content: 'SECRET held', status: 'hold' })
      await requestAs(site, 'admin', 'POST', `${V2}/comments`, { post, content: 'said' })
      for (const login of LOGINS) {
        for (const path of [
          `${POSTS}/${post}?_embed`,
          `${V2}/pages/${child}?_embed`,
          `${V2}/comments?post=${post}&_embed`,
        ]) {
          const { body } = await requestAs(site, login, 'GET', path)
          for (const item of [body].flat()) await checkEmbedded(item, login)
          if (login === 'visitor' || login === 'sub') assert.not.match(JSON.stringify(body), /SECRET|mail\.example/)
        }
      }

      async function checkEmbedded(item: Json, login: (typeof LOGINS)[number]): Promise<void> {
        for (const [relation, embedded] of Object.entries(item._embedded ?? {})) {
          const links = item._links[relation].filter((link: Json) => link.embeddable)
          for (const [index, object] of (embedded as Json[]).entries()) {
            const href = links[index].href as string
            const direct = await requestAs(site, login, 'GET', `${href}${href.includes('?') ? '&' : '?'}context=embed`)
            assert.equal(object, direct.body, `${login}: ${relation} ${href}`)
            for (const one of [object].flat()) assert.is(one._embedded, undefined, relation)
          }
        }
      }
    },
  )

  all('S17: contains no secret of the database, on any route and for any user', async () => {
    await using site = await serveWithUsers(place)
    const { store, kernel, users } = site
    const post = await add(site, { title: 'a', author_id: users.ed, meta: { _private: 'SECRET-meta' } })
    const { password } = await kernel.services.applicationPasswords.create(users.admin, { name: 'program' })
    const hashes = await store.all(store.db.selectFrom('users').select('password_hash'))
    const programs = await store.all(store.db.selectFrom('application_passwords').select('hash'))
    const options = await store.all(store.db.selectFrom('options').select('value').where('name', 'like', '%secret%'))
    const secrets = [
      'SECRET-meta',
      password,
      password.replaceAll(' ', ''),
      ...hashes.map((row) => row.password_hash),
      ...programs.map(({ hash }) => hash),
      ...options.map(({ value }) => value).filter((value) => value.length > 10),
    ]
    assert.ok(secrets.length >= 10)
    const { body: index } = await requestAs(site, 'admin', 'GET', '/')
    const ids: Record<string, number> = { posts: post, users: users.admin, user_id: users.admin }
    let responseCount = 0
    for (const route of Object.keys(index.routes)) {
      const path = route.replace(/\(\?P<(\w+)>(?:\((?:\([^()]*\)|[^()])*\)|[^()])*\)/g, (_, key: string) =>
        String(ids[/\/(\w+)\/\(/.exec(route)?.[1] ?? ''] ?? ids[key] ?? post),
      )
      for (const login of ['visitor', 'admin'] as const) {
        for (const query of ['', '?context=edit&per_page=100', '?_fields=id,meta,password,user_pass,hash']) {
          const { text, headers, status } = await requestAs(site, login, 'GET', `${path}${query}`)
          assert.ok(status < 500, `${status} for ${path}${query}`)
          responseCount += 1
          for (const secret of secrets) {
            const shown = `${text} ${JSON.stringify([...headers])}`
            assert.not.ok(shown.includes(secret), `${path}${query} reveals ${secret} to ${login}`)
          }
        }
      }
    }
    assert.ok(responseCount > 300, `${responseCount}`)
  })

  all.run()
}

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, invalidParam, RequestCache } from '../../kernel/index.ts'
import { MENU_ITEM_KEYS } from '../../plugins/content/menu-items.ts'
import { addPosts } from '../helpers/content.ts'
import { databases, serveWithUsers } from '../helpers/site-with-users.ts'
import { requestAs, V2, type Login } from './request-as.ts'
import { targetsOf } from './targets.ts'

for (const { name, place } of databases) {
  const all = suite(`errors of unknown references on ${name}`)

  all('are refused with the error of their source, after the permission check', async () => {
    await using site = await serveWithUsers(place)
    const { pathOf } = await targetsOf(site)
    const item = pathOf(`${V2}/menu-items/(?P<id>[\\d]+)`)!
    const part = pathOf(`${V2}/template-parts/(?P<id>(?:[\\w.-]+//?)?[\\w%.~-]+)`)!
    const post = pathOf(`${V2}/posts/(?P<id>[\\d]+)`)!
    const page = pathOf(`${V2}/pages/(?P<id>[\\d]+)`)!
    const category = pathOf(`${V2}/categories/(?P<id>[\\d]+)`)!
    const menu = pathOf(`${V2}/menus/(?P<id>[\\d]+)`)!
    const user = pathOf(`${V2}/users/(?P<id>[\\d]+)`)!
    const webhook = pathOf('/svc-webhooks/v1/webhooks/(?P<id>[\\d]+)')!
    const cases: readonly [string, object, string][] = [
      [item, { menus: 987_654 }, 'invalid_menu_id'],
      [item, { type: 'post_type', object: 'no-such-thing', object_id: 1 }, 'rest_invalid_param'],
      [item, { type: 'taxonomy', object: 'post', object_id: 1 }, 'rest_invalid_param'],
      [item, { type: 'post_type_archive', object: 'no-such-thing' }, 'rest_post_invalid_type'],
      [item, { type: 'post_type_archive', object: 'page' }, 'rest_invalid_param'],
      [part, { area: 'no-such-thing' }, 'rest_invalid_param'],
      [part, { theme: 'no-such-thing' }, 'rest_template_insert_error'],
      [part, { author: 987_654 }, 'rest_invalid_author'],
      [post, { author: 987_654 }, 'rest_invalid_author'],
      [page, { parent: 987_654 }, 'rest_post_invalid_id'],
      [page, { template: 'no-such-thing' }, 'rest_invalid_param'],
      [category, { parent: 987_654 }, 'rest_term_invalid'],
      [menu, { locations: ['no-such-thing'] }, 'rest_invalid_param'],
      [`${V2}/settings`, { page_on_front: 987_654 }, 'rest_invalid_param'],
      [user, { roles: ['no-such-thing'] }, 'rest_user_invalid_role'],
      [webhook, { types: ['no-such-thing'] }, 'rest_invalid_param'],
    ]
    for (const [path, body, code] of cases) {
      const answer = await requestAs(site, 'admin', 'POST', path, body)
      assert.equal([answer.status, answer.body.code], [400, code], `${path} ${JSON.stringify(body)}`)
      for (const login of ['visitor', 'sub', 'con'] as const) {
        const { status, body: error } = await requestAs(site, login, 'POST', path, body)
        assert.is(status, login === 'visitor' ? 401 : 403, `${login}: ${JSON.stringify(error)}`)
      }
    }
  })

  all('are looked up after the item that the request changes', async () => {
    await using site = await serveWithUsers(place)
    const cases: readonly [string, object, string][] = [
      ['posts/987654', { author: 987_654 }, 'rest_post_invalid_id'],
      ['pages/987654', { parent: 987_654 }, 'rest_post_invalid_id'],
      ['menu-items/987654', { menus: 987_654 }, 'rest_post_invalid_id'],
      ['comments/987654', { post: 987_654, parent: 987_654 }, 'rest_comment_invalid_id'],
      ['categories/987654', { parent: 987_654 }, 'rest_term_invalid'],
      ['users/987654', { roles: ['no-such-thing'] }, 'rest_user_invalid_id'],
      ['templates/default//no-such-thing', { author: 987_654 }, 'rest_template_not_found'],
      ['templates/default//no-such-thing', { theme: 'no-such-thing' }, 'rest_template_not_found'],
      ['template-parts/default//no-such-thing', { area: 'no-such-thing' }, 'rest_template_not_found'],
    ]
    for (const [path, body, code] of cases) {
      const answer = await requestAs(site, 'admin', 'POST', `${V2}/${path}`, body)
      assert.equal([answer.status, answer.body.code], [404, code], `${path} ${JSON.stringify(body)}`)
    }
  })

  all('are accepted if they are stored already, because clients send back items that they have read', async () => {
    await using site = await serveWithUsers(place)
    const { pathOf } = await targetsOf(site)
    const [id] = await addPosts(site.store, { type: 'page', title: 'Page', author_id: 987_654, parent_id: 987_653 })
    const path = `${V2}/pages/${id}`
    const sent = { author: 987_654, parent: 987_653, title: 'Changed' }
    const changed = await requestAs(site, 'admin', 'POST', path, sent)
    assert.equal([changed.status, changed.body.title.raw], [200, 'Changed'], changed.text)
    const item = pathOf(`${V2}/menu-items/(?P<id>[\\d]+)`)!
    const { meta } = site.kernel.services
    for (const [key, value] of Object.entries({ type: 'post_type', object: 'of-a-removed-plugin', object_id: 5 }))
      await meta.write(
        'post',
        Number(item.split('/').at(-1)),
        MENU_ITEM_KEYS[key as 'type'],
        [value],
        new RequestCache(),
      )
    const read = await requestAs(site, 'admin', 'GET', `${item}?context=edit`)
    assert.is(read.body.object, 'of-a-removed-plugin')
    const { type, object, object_id } = read.body
    const back = await requestAs(site, 'admin', 'POST', item, { type, object, object_id, title: 'Changed' })
    assert.equal([back.status, back.body.object], [200, 'of-a-removed-plugin'], back.text)
  })

  all('of plugins are refused by the source that a plugin registers, also in lists and batches', async () => {
    const stored: unknown[] = []
    const shop = definePlugin({
      name: 'test-shop',
      needs: ['resources'],
      apply({ hooks, services }) {
        services.resources.registerReference('shelf', async (id, _request, argument) =>
          id === 7 ? null : invalidParam(argument, `No shelf has the ID ${id}.`),
        )
        hooks.rest_api_init.tap('test-shop', (server) => {
          const shelves = { type: 'array', items: { type: 'integer' }, references: 'shelf' } as const
          server.registerRoute('shop/v1', '/goods', {
            methods: 'POST',
            allow_batch: { v1: true },
            permission_callback: ({ user }) => user.id > 0,
            args: {
              shelf: { type: 'integer', references: 'shelf' },
              shelves,
            },
            callback: (request) => {
              stored.push(request.get('shelf'), request.get('shelves'))
              return { stored: true }
            },
          })
          server.registerRoute('shop/v1', '/lamps', {
            methods: 'POST',
            permission_callback: () => true,
            args: { lamp: { type: 'string', references: 'lamp' } },
            callback: () => true,
          })
        })
      },
    })
    await using site = await serveWithUsers(place, { add: [shop] })
    const send = (body: object, login: Login = 'admin') => requestAs(site, login, 'POST', '/shop/v1/goods', body)
    for (const body of [{ shelf: 8 }, { shelves: [7, 8] }]) {
      assert.equal([(await send(body)).status, (await send(body)).body.code], [400, 'rest_invalid_param'])
      assert.is((await send(body, 'visitor')).status, 401)
      const requests = [{ path: '/shop/v1/goods', body }]
      const batch = await requestAs(site, 'admin', 'POST', '/batch/v1', { requests })
      assert.is(batch.body.responses[0].status, 400)
    }
    assert.equal(stored, [])
    for (const body of [{ shelf: 7, shelves: [7] }, { shelf: 0, shelves: [] }, {}])
      assert.is((await send(body)).status, 200)
    // No plugin registers the source "lamp", which is a mistake of the plugin.
    assert.is((await requestAs(site, 'admin', 'POST', '/shop/v1/lamps', {})).status, 500)
    const { body } = await requestAs(site, 'admin', 'GET', '/shop/v1')
    assert.not.match(JSON.stringify(body), 'references')
  })

  all.run()
}

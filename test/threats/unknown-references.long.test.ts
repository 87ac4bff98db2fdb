import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, invalidParam, RequestCache } from '../../kernel/index.ts'
import { MENU_ITEM_KEYS } from '../../plugins/content/menu-items.ts'
import { addPosts } from '../helpers/content.ts'
import { databases, serveWithUsers } from '../helpers/site-with-users.ts'
import { dump, requestAs, V2, type Json, type Login } from './request-as.ts'
import { targetsOf } from './targets.ts'

/** Names of arguments that contain the ID or the name of another object. A new one is tested without being listed. */
const NAMES =
  /(?:^|_)(?:id|ids|parent|author|user|post|media|menu|menus|object|theme|area|template|role|roles|category|categories|tags|term|terms|locations|reassign|kinds|logo|icon)$|^page_(?!size)/

/** Unknown values that responses leave out, as in the recorded answers; the others of a request are stored. */
const LEFT_OUT = /^(?:featured_media|categories|tags|svc_pattern_category)$/

/** Unknown values that are stored, as in the recorded answers: the item is shown as invalid, or without its parent. */
const STORED = /menu-items(?:\/\d+)? (?:object_id|parent)$/

/** Names that are not references: the ID of an app is its own. The target of a custom link is its URL. */
const NO_REFERENCES = /application-passwords.* app_id$/

/** Routes that store only the texts and meta of a request. */
const TEXTS_ONLY = /\/autosaves$/

/** What a request needs besides the argument, by path and argument. */
const CONTEXT: readonly [RegExp, object][] = [
  [/menu-items.* object$/, { type: 'post_type', object_id: 1 }],
  [/\/edit post$/, { src: 'https://kept.example/kept.png' }],
]

function unknownFor({ type, items }: Json): unknown {
  const types = [type].flat() as string[]
  const isId = (types.includes('array') ? [items?.type].flat() : types).includes('integer')
  const unknown = isId ? 987_654 : 'no-such-thing'
  return types.includes('array') ? [unknown] : unknown
}

for (const { name, place } of databases) {
  const all = suite(`unknown references on ${name}`)

  all('are refused in every argument that names another object, and store nothing', async () => {
    await using site = await serveWithUsers(place)
    const { pathOf, bodies } = await targetsOf(site)
    const root = await requestAs(site, 'admin', 'GET', '/')
    const problems: string[] = []
    let [count, refused] = [0, 0]
    for (const [pattern, route] of Object.entries(root.body.routes as Record<string, Json>)) {
      const path = pathOf(pattern)
      if (path === null) continue
      for (const { methods, args } of route.endpoints) {
        const method = methods[0] as string
        if (method === 'GET') continue
        for (const [arg, schema] of Object.entries(args as Record<string, Json>)) {
          const sentTo = `${path} ${arg}`
          if (!NAMES.test(arg) || pattern.includes(`<${arg}>`) || NO_REFERENCES.test(sentTo)) continue
          const text = JSON.stringify(bodies.get(path) ?? {}).replace(/kept/gi, `kept-${(count += 1)}`)
          const context = CONTEXT.find(([names]) => names.test(sentTo))?.[1]
          const body = { ...(pattern.endsWith(')') ? {} : (JSON.parse(text) as object)), ...context }
          const unknown = unknownFor(schema)
          const before = await dump(site)
          const sent = { ...body, [arg]: unknown, ...(method === 'DELETE' && { force: true }) }
          const answer = await requestAs(site, 'admin', method, path, sent)
          const isUnchanged = before === (await dump(site))
          const isRefused = answer.status >= 400 && answer.status < 500
          const shownAnswer = `${method} ${sentTo}: ${answer.status} ${answer.text.slice(0, 200)}`
          if (isRefused) refused += 1
          // An autosave without changes deletes the older one.
          if (TEXTS_ONLY.test(path)) continue
          if (isRefused && !isUnchanged) problems.push(`stored: ${shownAnswer}`)
          if (isRefused) continue
          const shown = JSON.stringify(answer.body[arg] ?? null)
          const isShown = shown.includes('987654') || shown.includes('no-such-thing')
          if (LEFT_OUT.test(arg) && answer.status < 300 && !isShown) continue
          if (STORED.test(sentTo) && answer.status < 300) continue
          problems.push(shownAnswer)
        }
      }
    }
    assert.equal(problems, [])
    assert.ok(refused > 60, `${refused} refused`)
  })

  all('are refused with the error of their source, after the permission check', async () => {
    await using site = await serveWithUsers(place)
    const { pathOf } = await targetsOf(site)
    const item = pathOf(`${V2}/menu-items/(?P<id>[\\d]+)`)!
    const part = pathOf(`${V2}/template-parts/(?P<id>(?:[\\w.-]+//?)?[\\w%.~-]+)`)!
    const post = pathOf(`${V2}/posts/(?P<id>[\\d]+)`)!
    const page = pathOf(`${V2}/pages/(?P<id>[\\d]+)`)!
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

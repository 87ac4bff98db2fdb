import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../kernel/index.ts'
import { serve } from '../../helpers/site.ts'

const routes = suite('documented routes')

const STYLESHEET = String.raw`[^\/:<>\*\?"\|]+(?:\/[^\/:<>\*\?"\|]+)?`
const ICON = '[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?'

/**
 * Documented patterns that clients look up, and a path that each of them matches. Patterns with nested groups in the middle
 * are left out: clients that discover routes fail to parse them.
 */
const PATTERNS: Readonly<Record<string, string>> = {
  [`/svc/v2/themes/(?P<stylesheet>${STYLESHEET})`]: '/svc/v2/themes/garden',
  [String.raw`/svc/v2/plugins/(?P<plugin>[^.\/]+(?:\/[^.\/]+)?)`]: '/svc/v2/plugins/garden/beds',
  [String.raw`/svc/v2/font-collections/(?P<slug>[\/\w-]+)`]: '/svc/v2/font-collections/serif',
  [String.raw`/svc/v2/global-styles/(?P<id>[\/\d+]+)`]: '/svc/v2/global-styles/12',
  [`/svc/v2/global-styles/themes/(?P<stylesheet>${STYLESHEET})`]: '/svc/v2/global-styles/themes/garden',
  [`/svc/v2/icons/(?P<collection>${ICON})`]: '/svc/v2/icons/core',
  [`/svc/v2/icon-collections/(?P<slug>${ICON})`]: '/svc/v2/icon-collections/my_icons',
  [String.raw`/svc/v2/widgets/(?P<id>[\w\-]+)`]: '/svc/v2/widgets/text-2',
  [String.raw`/svc-abilities/v1/abilities/(?P<name>[a-zA-Z0-9\-\/]+)`]: '/svc-abilities/v1/abilities/core/site',
  [String.raw`/svc-abilities/v1/abilities/(?P<name>[a-zA-Z0-9\-\/]+?)/run`]:
    '/svc-abilities/v1/abilities/core/site/run',
  ...Object.fromEntries(
    ['', '/introspect', String.raw`/(?P<uuid>[\w\-]+)`].map((end) => [
      String.raw`/svc/v2/users/(?P<user_id>(?:[\d]+|me))/application-passwords${end}`,
      `/svc/v2/users/me/application-passwords${end.startsWith('/(') ? '/a-b' : end}`,
    ]),
  ),
}

routes('appear in the index and in the index of their namespace under the documented patterns', async () => {
  await using site = await serve({ home: 'http://example.com' })
  const all = Object.keys((await site.json('/')).routes)
  for (const [pattern, path] of Object.entries(PATTERNS)) {
    assert.ok(all.includes(pattern), pattern)
    const [, namespace] = /^\/([^/]+\/[^/]+)/.exec(pattern)!
    const shown = Object.keys((await site.json(`/${namespace}`)).routes)
    assert.ok(shown.includes(pattern), pattern)
    assert.ok(new RegExp(`^${pattern.replaceAll('(?P<', '(?<')}$`, 'i').test(path), path)
    const described = (await (await site.request(path, { method: 'OPTIONS' })).json()) as { endpoints?: unknown }
    assert.ok(described.endpoints, path)
  }
  assert.is(new Set(all).size, all.length)
})

routes('of plugins can show another pattern than the one that is matched', async () => {
  const beds = definePlugin({
    name: 'beds',
    apply: ({ hooks }) =>
      hooks.rest_api_init.tap('beds', (server) =>
        server.registerRoute('garden/v1', 'beds/(?P<id>[a-z]{1,20})', {
          0: { callback: ({ captures }) => captures, permission_callback: () => true },
          'x-shown-route': 'beds/(?P<id>[a-z]+)',
        }),
      ),
  })
  await using site = await serve({ home: 'http://example.com', add: [beds] })
  const names = Object.keys((await site.json('/garden/v1')).routes)
  assert.equal(names, ['/garden/v1', '/garden/v1/beds/(?P<id>[a-z]+)'])
  assert.equal(await site.json('/garden/v1/beds/roses'), { id: 'roses' })
  assert.is((await site.get(`/garden/v1/beds/${'a'.repeat(21)}`)).status, 404)
})

routes.run()

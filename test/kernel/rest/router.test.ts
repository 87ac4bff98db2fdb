import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeRoute } from '../../../kernel/index.ts'
import { Router } from '../../../kernel/rest/router.ts'
import { mergeRoutes } from '../../../kernel/rest/routes.ts'
import { growsLinearly } from '../../helpers/growth.ts'
import { failureOf } from '../failure.ts'

const router = suite('router')

const table = (...patterns: string[]) =>
  new Router(
    mergeRoutes(
      patterns.map((pattern) => ({ route: makeRoute('', pattern, { callback: () => null }), override: false })),
    ),
  )

/** Returns the patterns that match a path, with their captures. */
const found = (router: Router, path: string) =>
  router.match(path).map(({ route, captures }) => [route.pattern, { ...captures }])

router('finds fixed paths and captures', () => {
  const routes = table('/v/posts', '/v/posts/(?P<id>[\\d]+)', '/v/posts/(?P<parent>[\\d]+)/revisions/(?P<id>[\\d]+)')
  assert.equal(found(routes, '/v/posts'), [['/v/posts', {}]])
  assert.equal(found(routes, '/v/posts/12'), [['/v/posts/(?P<id>[\\d]+)', { id: '12' }]])
  assert.equal(found(routes, '/v/posts/1/revisions/2')[0]?.[1], { parent: '1', id: '2' })
  assert.equal(found(routes, '/v/posts/abc'), [])
  assert.equal(found(routes, '/v/posts/1/revisions'), [])
})

router('ignores case, and keeps the case of captures', () => {
  assert.equal(found(table('/v/Types/(?P<type>[\\w-]+)'), '/V/types/Book'), [
    ['/v/Types/(?P<type>[\\w-]+)', { type: 'Book' }],
  ])
})

router('matches only whole paths', () => {
  const routes = table('/v/posts')
  for (const path of ['/v/postsx', '/v/posts/', '/v//posts', 'v/posts', '/x/v/posts', '/v']) {
    assert.equal(found(routes, path), [], path)
  }
})

router('returns all matching routes in order of registration', () => {
  const routes = table('/v/users/me', '/v/users/(?P<id>[\\w]+)', '/v/users/(?P<slug>[a-z]+)')
  assert.equal(
    found(routes, '/v/users/me').map(([pattern]) => pattern),
    ['/v/users/me', '/v/users/(?P<id>[\\w]+)', '/v/users/(?P<slug>[a-z]+)'],
  )
})

router('matches captures that contain slashes', () => {
  const themes = '/v/themes/(?P<stylesheet>[^\\/:<>\\*\\?"\\|]+(?:\\/[^\\/:<>\\*\\?"\\|]+)?)'
  const routes = table('/v/themes', themes, '/v/templates/(?P<id>.*)')
  assert.equal(found(routes, '/v/themes/shop'), [[themes, { stylesheet: 'shop' }]])
  assert.equal(found(routes, '/v/themes/shop/child'), [[themes, { stylesheet: 'shop/child' }]])
  assert.equal(found(routes, '/v/themes/a/b/c'), [])
  assert.equal(found(routes, '/v/templates/a//b'), [['/v/templates/(?P<id>.*)', { id: 'a//b' }]])
})

router('treats reserved characters of URLs as literal', () => {
  const routes = table('/v/x/(?P<text>[^/]+)')
  for (const text of ['100%', 'a?b', 'a#b', 'a;b', 'ü', '%2f', ':id', '*']) {
    assert.equal(found(routes, `/v/x/${text}`), [['/v/x/(?P<text>[^/]+)', { text }]], text)
  }
})

router('tries a pattern that spans segments only for paths with its first segments, ignoring case', () => {
  const pages = '/v/Pages/(?P<path>.*)'
  const routes = table('/v/posts/(?P<id>[\\d]+)', '/v/pages/about', pages, '/(?P<space>.+)/deep/page')
  assert.equal(
    found(routes, '/V/pages/About').map(([pattern]) => pattern),
    ['/v/pages/about', pages],
  )
  assert.equal(found(routes, '/v/posts/1').length, 1)
  assert.equal(found(routes, '/v/pages/deep/page').length, 2)
})

router('matches patterns with an optional slash, and with alternatives', () => {
  const optional = '/v/posts/?(?P<id>[\\d]+)?'
  const either = '/v/one|/v/two'
  const routes = table('/v/posts', optional, '/v/one', either)
  assert.equal(found(routes, '/v/posts'), [
    ['/v/posts', {}],
    [optional, {}],
  ])
  assert.equal(found(routes, '/v/posts/7'), [[optional, { id: '7' }]])
  assert.equal(found(routes, '/v/posts7'), [[optional, { id: '7' }]])
  assert.equal(found(routes, '/v/one').length, 2)
  assert.equal(found(routes, '/v/two'), [[either, {}]])
})

router('omits captures that did not match', () => {
  const routes = table('/v/y/(?P<a>\\d+)?(?P<b>[a-z]+)?')
  assert.equal(found(routes, '/v/y/7')[0]?.[1], { a: '7' })
})

router('refuses a pattern that is not a regular expression', async () => {
  assert.is((await failureOf(() => table('/v/(?P<id>[\\d+'))).code, 'ROUTE_INVALID')
})

router('is not slowed down by malicious paths', async () => {
  const routes = table('/v/posts/(?P<id>[\\d]+)', '/v/themes/(?P<s>[^\\/]+(?:\\/[^\\/]+)?)')
  for (const [before, unit, after] of [
    ['/v/posts/', '1', 'x'],
    ['/v/themes/', '/', ''],
    ['', '/', 'x'],
  ] as const) {
    await growsLinearly(`${before}${unit}`, (size) => found(routes, `${before}${unit.repeat(size)}${after}`))
  }
})

router.run()

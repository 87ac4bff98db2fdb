import { request as httpRequest } from 'node:http'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { databases, serveWithUsers } from '../helpers/site-with-users.ts'
import { add, requestAs, dump, POSTS, V2, type Json } from './request-as.ts'

for (const { name, place } of databases) {
  const all = suite(`input parsing on ${name}`)

  all('S24: treats names of built-in properties as ordinary names everywhere', async () => {
    await using site = await serveWithUsers(place)
    const id = await add(site, { title: 'a', author_id: site.users.ed })
    const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__']
    for (const key of names) {
      const json = `{"${key}":{"polluted":1,"prototype":{"polluted":1}},"meta":{"${key}":{"polluted":1}},"title":{"${key}":"x"}}`
      const bodies: [type: string, body: string][] = [
        ['application/json', json],
        [
          'application/json',
          `{"meta":${json},"content":"<!-- svc:paragraph ${json} --><p>x</p><!-- /svc:paragraph -->"}`,
        ],
        ['application/x-www-form-urlencoded', `${key}[polluted]=1&meta[${key}][polluted]=1&a[${key}]=1`],
        [
          'multipart/form-data; boundary=x',
          `--x\r\ncontent-disposition: form-data; name="${key}[polluted]"\r\n\r\n1\r\n--x--\r\n`,
        ],
      ]
      for (const [type, body] of bodies) {
        for (const path of [`${POSTS}/${id}`, `${V2}/users/me`, `${V2}/tags`, '/batch/v1']) {
          const headers = { ...site.by('admin'), 'content-type': type }
          const { status } = await site.request(path, { method: 'POST', headers, body })
          assert.ok(status < 500, `${status} for ${path} with ${body}`)
        }
      }
      for (const query of [
        `${key}[polluted]=1`,
        `_fields=${key}.polluted,title.${key}`,
        `_embed=${key}`,
        `status[${key}]=1`,
        `orderby=${key}`,
        `search_columns[]=${key}`,
        `context=${key}`,
      ]) {
        assert.ok((await requestAs(site, 'ed', 'GET', `${POSTS}?${query}`)).status < 500, query)
      }
      for (const path of ['types', 'taxonomies', 'statuses', 'themes', 'block-types/svc'])
        assert.is((await requestAs(site, 'admin', 'GET', `${V2}/${path}/${key}`)).status, 404, `${path}/${key}`)
      assert.is(({} as Json).polluted, undefined)
      assert.is((Object as Json).polluted, undefined)
    }
  })

  all('S25: converts invalid text to valid text or rejects it', async () => {
    await using site = await serveWithUsers(place)
    const post = await add(site, { title: 'a', author_id: site.users.ed, comment_status: 'open' })
    const texts = [
      'a\u0000b',
      '\u0000',
      'a\ud800b',
      '\udfff\ud800',
      '\ufeffa',
      'a\u202eb',
      '\u0001\u001f\u007f',
      'x'.repeat(70_000),
    ]
    const fields: [path: string, names: readonly string[], more?: object][] = [
      [POSTS, ['title', 'content', 'excerpt', 'slug', 'password'], { title: 'x' }],
      [`${POSTS}/${post}`, ['title', 'content', 'excerpt', 'slug', 'password', 'template', 'format', 'status']],
      [`${POSTS}/${post}/autosaves`, ['title', 'content', 'excerpt']],
      [`${V2}/pages`, ['title', 'content', 'excerpt', 'slug'], { title: 'x' }],
      [`${V2}/categories`, ['name', 'slug', 'description'], { name: 'x' }],
      [`${V2}/tags`, ['name', 'slug', 'description'], { name: 'x' }],
      [
        `${V2}/users/me`,
        ['name', 'first_name', 'last_name', 'nickname', 'description', 'slug', 'url', 'email', 'locale', 'password'],
      ],
      [
        `${V2}/users`,
        ['username', 'email', 'name'],
        { username: 'new', email: 'new@mail.example', password: 'pass phrase' },
      ],
      [`${V2}/users/me/application-passwords`, ['name', 'app_id'], { name: 'x' }],
      [`${V2}/comments`, ['content', 'author_name', 'author_url', 'author_user_agent'], { post, content: 'x' }],
      [`${V2}/settings`, ['title', 'description', 'email', 'timezone', 'date_format', 'language']],
      ['/batch/v1', ['requests', 'validation']],
    ]
    for (const [path, names, more = {}] of fields) {
      for (const field of names) {
        for (const text of texts) {
          for (const value of [text, { raw: text }, [text], { [text]: text }]) {
            const json = JSON.stringify({ ...more, [field]: value })
            const headers = { ...site.by('admin'), 'content-type': 'application/json' }
            const { status } = await site.request(path, { method: 'POST', headers, body: json })
            assert.ok(status < 500, `${status} for ${path} with ${json.slice(0, 100)}`)
          }
        }
      }
    }
    for (const path of [POSTS, `${V2}/pages`, `${V2}/tags`, `${V2}/users`, `${V2}/comments`])
      assert.is((await requestAs(site, 'admin', 'GET', `${path}?context=edit&per_page=100`)).status, 200, path)
    for (const query of [
      'search=%00',
      'slug=%00',
      'slug[]=a%00b',
      'after=%00',
      '_fields=%00',
      '_embed=%00',
      'orderby=%00',
      '%00=a',
      'a%00[b%00]=1',
    ])
      for (const path of [POSTS, `${V2}/tags`, `${V2}/users`, `${V2}/comments`, `${V2}/search`, `${V2}/media`])
        assert.ok((await requestAs(site, 'admin', 'GET', `${path}?${query}`)).status < 500, `${path}?${query}`)
  })

  all('S26: validates or ignores bodies of all types', async () => {
    await using site = await serveWithUsers(place)
    const types = [
      'application/json',
      'APPLICATION/JSON',
      'application/json\t',
      'application/json ; charset=utf-8',
      'application/json;;',
      'application/json; charset=x; charset=y',
      'application/json,text/plain',
      'application/json-patch+json',
      'text/json',
      'application/ld+json',
      'application/jsonx',
      'text/plain',
      'text/plain; application/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'multipart/form-data; boundary=',
      'multipart/form-data; boundary=x',
      'application/',
      '/',
      'json',
      '*/*',
      'application/xml',
      ' application/json',
      '',
    ]
    const bad = { title: 'bad', status: 'nonsense', author: "1' or 1", sticky: 'maybe' }
    const bodies = [JSON.stringify(bad), new URLSearchParams(bad).toString()]
    const before = await dump(site)
    const { port } = new URL(site.listening)
    const send = (path: string, type: string, body: string) =>
      new Promise<number>((resolve, reject) => {
        const headers = { ...site.by('admin'), ...(type !== '' && { 'content-type': type }) }
        const request = httpRequest(
          { port, path: `/svc-json${path}`, method: 'POST', headers, agent: false },
          (answer) => {
            answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
          },
        )
        request.on('error', reject).end(body)
      })
    for (const type of types) {
      for (const body of bodies) {
        assert.is(await send(POSTS, type, body), 400, `posts, ${type}`)
        assert.ok((await send(`${V2}/users`, type, body)) === 400, `users, ${type}`)
      }
    }
    assert.is(await dump(site), before)
  })

  all('S28: interprets a path in the same way for routing and for permission checks', async () => {
    await using site = await serveWithUsers(place)
    const { port } = new URL(site.listening)
    const raw = (path: string) =>
      new Promise<[status: number, text: string]>((resolve, reject) => {
        const request = httpRequest({ port, path, agent: false }, (answer) => {
          let text = ''
          answer.setEncoding('utf8').on('data', (part: string) => (text += part))
          answer.on('end', () => resolve([answer.statusCode ?? 0, text]))
        })
        request.on('error', reject).end()
      })
    const settings = [
      '/svc-json/svc/v2/settings',
      '/svc-json/svc/v2/settings/',
      '/svc-json/SVC/V2/SETTINGS',
      '/svc-json/svc/v2/%73ettings',
      '/svc-json/svc%2fv2%2fsettings',
      '/svc-json/svc/v2/settings%2f',
      '/index.php/svc-json/svc/v2/settings',
      '/?rest_route=/svc/v2/settings',
      '/?rest_route=svc/v2/settings',
      '/?rest_route=/svc/v2/settings/',
      '/index.php?rest_route=%2Fsvc%2Fv2%2Fsettings',
      '/?rest_route=/svc/v2/posts&rest_route=/svc/v2/settings',
      '/?rest_route=//svc/v2/settings',
    ]
    for (const path of settings) assert.is((await raw(path))[0], 401, path)
    const nothing = [
      '/svc-json/svc/v2//settings',
      '/svc-json//svc/v2/settings',
      '/svc-json/svc/v2/./settings',
      '/svc-json/svc/v2/posts/../settings',
      '/svc-json/svc/v2/posts/%2e%2e/settings',
      '/svc-json/svc/v2/posts/..%2fsettings',
      '/svc-json/svc/v2/settings;a',
      '/svc-json/svc/v2/settings%3b',
      '/svc-json/svc/v2/settings%20',
      '/svc-json/svc/v2/settings%0a',
      '/svc-json/svc/v2/settings.',
      '/svc-json/svc/v2/settings%3fa=1',
      '/svc-json/svc/v2/settings%23',
      '/svc-json/svc/v2/settings%5c',
      '/svc-json/svc\\v2\\settings',
      '/svc-json/svc/v2/%2573ettings',
      '/svc-json/svc/v2/posts/%EF%BC%91',
      '/svc-json/svc/v2/posts/%D9%A1',
      '/svc-json/svc/v2/posts/1%0a',
      '/svc-json/svc/v2/posts/1%0d%0a',
      '/svc-json/svc/v2/posts/-1',
      '/svc-json/svc/v2/posts/1e0',
      '/svc-json/svc/v2/posts/0x1',
      '/?rest_route=/svc/v2/posts/..%2fsettings',
    ]
    for (const path of nothing) {
      const [status, text] = await raw(path)
      assert.equal([status, JSON.parse(text).code], [404, 'rest_no_route'], path)
    }
    for (const path of ['%00', '%c0%af', '%ff', '%u002e', '%', '%e0%80%af'])
      assert.is((await raw(`/svc-json/svc/v2/settings${path}`))[0], 400, path)
  })

  all.run()
}

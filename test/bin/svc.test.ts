import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import packageJson from '../../package.json' with { type: 'json' }
import { svc as run } from '../helpers/svc.ts'

const svc = suite('svc')

svc('lists hooks with their taps in the order they run', async () => {
  const { code, out } = await run('hooks', 'rest_post_dispatch')
  assert.is(code, 0)
  assert.match(out, /^rest_post_dispatch\(response, server, request\) {2}filter of kernel\n/)
  const taps = ['allow-header', 'fields-parameter', 'embed', 'envelope']
  const places = taps.map((tap) => out.indexOf(`  ${tap} `))
  assert.ok(
    places.every((place) => place > 0),
    out,
  )
  assert.equal(
    places,
    [...places].sort((a, b) => a - b),
  )
  assert.match(out, /1000 {2}envelope/)
})

svc('prints its version', async () => {
  for (const flag of ['--version', '-v'])
    assert.equal(await run(flag), { code: 0, out: packageJson.version, err: '', output: packageJson.version })
})

svc('lists routes with their methods and their plugin', async () => {
  const { out } = await run('routes', '/types')
  assert.match(out, /^GET {2}\/svc\/v2\/types +content-types$/m)
})

svc('suggests the nearest name if no name matches', async () => {
  const failed = async (...args: string[]) => {
    const { code, out, err } = await run(...args)
    assert.equal([code, out], [1, ''])
    return err
  }
  assert.is(
    await failed('hooks', 'rest_post_dispach'),
    'No hook has "rest_post_dispach" in its name: did you mean rest_post_dispatch?',
  )
  assert.is(
    await failed('routes', '/svc/v2/pots'),
    'No route has "/svc/v2/pots" in its name: did you mean /svc/v2/posts?',
  )
  assert.is(
    await failed('plugins', 'taxonomie-s', '--json'),
    'No plugin has "taxonomie-s" in its name: did you mean taxonomies?',
  )
  assert.is(await failed('hooks', 'qqqqqqq'), 'No hook has "qqqqqqq" in its name.')
  assert.is(await failed('hooks', 'posts', 'terms'), 'Give one TEXT, not 2: posts, terms.')
})

svc('lists plugins with what they need', async () => {
  const { out } = await run('plugins', 'index-documents')
  assert.match(out, /^index-documents +needs settings/)
})

svc('prints the registrations of a plugin as a tree', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-'))
  const shop = `import { Controller } from 'svc-rest'
export default {
  name: 'shop',
  needs: ['content-types', 'taxonomies', 'meta', 'settings', 'roles', 'shortcodes', 'blocks', 'extra-fields', 'store'],
  hooks: { shop_price: { kind: 'filter', args: ['price'] } },
  apply({ hooks, services, onRemove }) {
    hooks.the_content.tap({ name: 'shop', dependsOn: 'nothing' }, (html) => html)
    hooks.the_title.tap({ name: 'short', dependsOn: 'nothing' }, (title) => title)
    class Goods extends Controller { register(server) { server.registerRoute('shop/v1', '/goods', { methods: 'GET,POST', callback: () => 1, permission_callback: () => true }) } }
    services.contentTypes.register('goods', { show_in_rest: true, rest_controller_class: Goods })
    services.taxonomies.register('brand', 'goods')
    services.meta.register('post', 'price', { subtype: 'goods', type: 'number' })
    services.settings.register('currency', { type: 'string' })
    services.roles.register('seller', 'Seller', [])
    services.roles.grant('editor', 'sell')
    services.shortcodes.register('price', () => '')
    services.blocks.register('shop/price', {})
    services.extraFields.register('post', 'stock', { get_callback: () => 1, schema: { type: 'integer' } })
    services.store.changes.onCommit(() => {})
    const timer = setInterval(() => {}, 1e6)
    onRemove(() => clearInterval(timer), 'timer of prices')
  },
}`
  try {
    await writeFile(path.join(folder, 'shop.mjs'), shop)
    await writeFile(path.join(folder, 'site.json'), JSON.stringify({ plugins: { './shop.mjs': true } }))
    const { out } = await run('plugins', 'shop', '--owned', '--config', path.join(folder, 'site.json'))
    assert.equal(out.trimEnd().split('\n'), [
      'shop',
      '├─ hook              shop_price',
      '├─ tap               the_content',
      '├─ tap               the_title (short)',
      '├─ content type      goods',
      '├─ taxonomy          brand',
      '├─ meta key          price of post goods',
      '├─ setting           currency',
      '├─ role              seller',
      '├─ capability        sell for editor',
      '├─ shortcode         price',
      '├─ block type        shop/price',
      '├─ field             stock of post',
      '├─ tap               rest_post_item_schema (extra-fields)',
      '├─ changes listener',
      '└─ undo              timer of prices',
    ])
    const posts = await run('plugins', 'posts', '--owned', '--config', path.join(folder, 'site.json'))
    assert.match(posts.out, /^[├└]─ class +Goods\n[│ ] {2}└─ route {2}GET,POST \/shop\/v1\/goods$/m)
    const json = await run('plugins', 'shop', '--owned', '--json', '--config', path.join(folder, 'site.json'))
    const [{ name, owned }] = JSON.parse(json.out) as [{ name: string; owned: object[] }]
    assert.equal([name, owned.at(-1)], ['shop', { kind: 'undo', name: 'timer of prices' }])
  } finally {
    await rm(folder, { recursive: true })
  }
})

svc('hides secrets in options', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-'))
  const plugin = `export default {
  name: 'shop',
  options: {
    key: { default: '', type: 'string', secret: true },
    token: { default: '', type: 'string' },
    api: { default: '', type: 'string' },
    level: { default: 1, type: 'integer' },
  },
  apply: ({ config }) => { throw new Error(config.fail ?? 'no shop at S3CRET-key') },
}`
  const options = { key: 'S3CRET-key', token: 'S3CRET-token', api: 'https://me:S3CRET-pw@shop.example/' }
  try {
    await writeFile(path.join(folder, 'shop.mjs'), plugin)
    await writeFile(path.join(folder, 'open.mjs'), plugin.replace(/apply:.*/, 'apply() {},'))
    const config = (file: string) => JSON.stringify({ plugins: { [file]: options } })
    await writeFile(path.join(folder, 'a.json'), config('./open.mjs'))
    await writeFile(path.join(folder, 'b.json'), config('./shop.mjs'))
    for (const flag of ['', '--json']) {
      const { out } = await run('plugins', 'shop', '--config', path.join(folder, 'a.json'), ...(flag ? [flag] : []))
      assert.match(out, 'https://me:[hidden]@shop.example/')
      assert.match(out, /"level": ?1/)
      assert.not.match(out, 'S3CRET')
    }
    const failed = await run('plugins', 'shop', '--config', path.join(folder, 'b.json'))
    assert.is(failed.code, 1)
    assert.match(failed.err, /^The plugin shop could not start: no shop at \[hidden\] \(\S+shop\.mjs:\d+:\d+\)$/)
  } finally {
    await rm(folder, { recursive: true })
  }
})

svc('prints JSON with --json', async () => {
  const rows = JSON.parse((await run('routes', '--json')).out) as { route: string; methods: string[]; plugin: string }[]
  assert.equal(
    rows.find(({ route }) => route === '/'),
    {
      route: '/',
      methods: ['GET'],
      plugin: 'index-documents',
      owners: [{ plugin: 'index-documents', methods: ['GET'], asked: true }],
    },
  )
})

svc('inspects the site of the config without its database', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-'))
  try {
    const file = path.join(folder, 'site.json')
    await writeFile(file, '{ "word": "wp", "database": "sqlite:./site.db", "plugins": { "cors": false } }')
    assert.match((await run('routes', '--config', file)).out, '/wp/v2/types')
    const off = await run('plugins', 'cors', '--config', file)
    assert.equal([off.code, off.out, off.err], [1, '', 'The plugin cors is switched off in this config.'])
    const { existsSync } = await import('node:fs')
    assert.is(existsSync(path.join(folder, 'site.db')), false)
  } finally {
    await rm(folder, { recursive: true })
  }
})

svc('preloads the first requests of a client, as a visitor or as a user', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-'))
  try {
    const file = path.join(folder, 'site.json')
    await writeFile(
      file,
      '{ "database": "sqlite:./site.db", "home": "http://site.test", "plugins": { "first-run": false } }',
    )
    const flags = ['--config', file]
    assert.is(
      (await run('user', 'add', 'ada', '--email', 'ada@mail.example', '--role', 'administrator', ...flags)).code,
      0,
    )
    const types = '/svc/v2/types/post?_fields=slug'
    const paths = [types, 'OPTIONS:/svc/v2/posts', '["/svc/v2/users", "OPTIONS"]', '/svc/v2/users/me', '/nope']
    const { code, out } = await run('preload', ...paths, ...flags)
    assert.is(code, 0)
    const map = JSON.parse(out)
    assert.equal(Object.keys(map), [types, 'OPTIONS'])
    assert.equal(map[types].body, { slug: 'post' })
    assert.equal(Object.keys(map.OPTIONS), ['/svc/v2/posts', '/svc/v2/users'])
    assert.is(map.OPTIONS['/svc/v2/posts'].headers.Allow, 'GET')
    const asAda = JSON.parse((await run('preload', ...paths, '--user', '1', ...flags)).out)
    assert.is(asAda['/svc/v2/users/me'].body.id, 1)
    assert.match(asAda.OPTIONS['/svc/v2/posts'].headers.Allow, 'POST')
    assert.match((await run('preload', types, '--user', '9', ...flags)).err, 'There is no user 9')
    assert.match((await run('preload', '["/a"]', ...flags)).err, 'is not a list of a path and a method')
    assert.is((await run('preload', ...flags)).code, 1)
    assert.match((await run('preload', '--help')).out, 'Usage: svc preload')
  } finally {
    await rm(folder, { recursive: true })
  }
})

svc('prints its help, and errors for unknown commands and flags', async () => {
  assert.match((await run('--help')).out, 'Usage: svc COMMAND')
  assert.match((await run()).out, /^ {2}hooks/m)
  const unknown = await run('hook')
  assert.is(unknown.code, 1)
  assert.match(unknown.err, 'There is no command hook')
  const wrong = await run('routes', '--prot', '1')
  assert.equal([wrong.code, wrong.out], [1, ''])
  assert.match(wrong.err, '--prot')
})

svc.run()

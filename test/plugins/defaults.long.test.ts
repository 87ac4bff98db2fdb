import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definitionMistake } from '../../bin/config/check-definition.ts'
import { RestError } from '../../kernel/index.ts'
import { schemaMistake, schemasMistake, schemaMistakes } from '../../plugins/requests/arguments/index.ts'
import { defaults } from '../../plugins/index.ts'
import { growsLinearly } from '../helpers/growth.ts'
import { serve } from '../kit/index.ts'

const all = suite('defaults')

/** Switches on all optional plugins, so that each is among the plugins that need another one. */
const OPTIONAL_ON = Object.fromEntries(
  defaults.filter((one) => one.startsIf !== undefined).map(({ name }) => [name, true]),
)

for (const { name } of defaults) {
  all(`start without ${name}, or name the plugin that needs it`, async () => {
    const needing = defaults.filter((plugin) => plugin.needs?.includes(name))
    try {
      await using site = await serve({ plugins: { ...OPTIONAL_ON, [name]: false } })
      assert.is(needing.length, 0, `${needing.map((plugin) => plugin.name).join(', ')} started without ${name}`)
      const index = await site.get('/')
      assert.ok(index.status === 200 || (name === 'index-documents' && index.status === 404), `index: ${index.status}`)
      const missing = await site.get('/nobody/v1/here')
      assert.is(missing.status, 404)
    } catch (error) {
      if (!(error instanceof RestError)) throw error
      assert.is(error.code, 'PLUGIN_NEED_MISSING', error.message)
      const [, named = ''] =
        new RegExp(`^(.*) needs? the plugin ${name}, which is switched off: `).exec(error.message) ?? []
      // Sites under test have no sample content.
      const expected = needing.map((plugin) => plugin.name).filter((one) => one !== 'first-run')
      assert.equal(named.split(/, | and /).sort(), expected.sort(), error.message)
    }
  })
}

all('have unique names, and need only each other', () => {
  const names = defaults.map((plugin) => plugin.name)
  assert.is(new Set(names).size, names.length)
  const related = defaults.flatMap(({ needs = [], after = [], uses = [] }) => [...needs, ...after, ...uses])
  assert.equal(new Set(related).difference(new Set(names)), new Set())
})

all('have valid schemas, which the start does not check', async () => {
  await using site = await serve()
  const { server, services, plugins } = site.kernel
  const mistakes: string[] = []
  const report = (location: string, mistake: string | null) =>
    void (mistake !== null && mistakes.push(`${location}: ${mistake}`))
  let looked = 0
  for (const { pattern, endpoints, schema } of server.routes.values()) {
    for (const { args } of endpoints) for (const mistake of schemaMistakes(args, 'argument')) report(pattern, mistake)
    const { properties } = (schema?.() ?? {}) as { properties?: object }
    for (const mistake of schemaMistakes(properties ?? {}, 'property')) report(pattern, mistake)
    looked += Object.keys(properties ?? {}).length
  }
  for (const { definition } of plugins) report(definition.name, definitionMistake(definition))
  for (const { name, schema } of services.settings.shown()) report(name, schemaMistake(schema))
  for (const { name, attributes } of services.blocks.all()) {
    report(name, schemasMistake(attributes, 'attribute', 'block'))
  }
  assert.ok(looked > 300, String(looked))
  // Clients know these as they are.
  const intended = [
    '"has_published_posts" (at items) has enum: {"post":"post"',
    '"context" has an invalid default: "view"; it is not one of edit.',
    'has the type "bool": did you mean boolean?',
    'core/image: the attribute "lightbox" has the unknown keyword "enabled"',
    'has the unknown keyword "__unstablePreserveWhiteSpace"',
  ]
  assert.equal(
    mistakes.filter((mistake) => !intended.some((one) => mistake.includes(one))),
    [],
  )
})

all('are replaced by a plugin of the config', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-test-'))
  try {
    const file = join(folder, 'own-fields.ts')
    // It answers to the services and taps of the default that it replaces, under a name of its own.
    await writeFile(
      file,
      `import { definePlugin } from 'svc-rest'
      export default definePlugin({
        name: 'own-fields',
        options: { greeting: { default: 'hello', type: 'string' } },
        apply({ hooks, provide }, { greeting }) {
          provide('extraFields', { register() {}, update: async () => null })
          hooks.rest_additional_fields.tap('own-fields', (data) => ({ ...data, greeting }))
        },
      })`,
    )
    await using site = await serve({ plugins: { 'extra-fields': { use: file, greeting: 'hi' } } })
    await site.store.run(
      site.store.db.insertInto('terms').values({ id: 1, taxonomy: 'category', name: 'A', slug: 'a' }),
    )
    assert.is((await site.json('/svc/v2/categories/1')).greeting, 'hi')
    const running = site.kernel.plugins.find((plugin) => plugin.slot === 'extra-fields')
    assert.is(running?.definition.name, 'own-fields')
  } finally {
    await rm(folder, { recursive: true })
  }
})

all('name the replacement that cannot be loaded', async () => {
  try {
    await serve({ plugins: { 'extra-fields': { use: './nowhere.ts' } } })
    assert.unreachable()
  } catch (error) {
    assert.ok(error instanceof RestError)
    assert.is(error.code, 'PLUGIN_UNLOADABLE')
    assert.match(error.message, './nowhere.ts')
  }
})

all('S43: register routes with a permission check, within rest_api_init, under a namespace', async () => {
  const lines: string[] = []
  await using site = await serve({ log: 'warn', logTo: (line: string) => void lines.push(line) })
  assert.ok(site.kernel.server.routes.size > 50)
  assert.equal(
    lines.filter((line) => /route|namespace/.test(line)),
    [],
  )
})

all('match any path in linear time (S29)', async () => {
  await using site = await serve()
  const { server } = site.kernel
  const units = ['a', '1', '-', '/', '.', '%', 'a/', '1/', 'a-', '(', '\\', 'ü', ' ']
  const starts = [...server.routes.keys()].map((pattern) => pattern.replace(/\(.*$/s, ''))
  for (const start of new Set(['/', ...starts])) {
    for (const unit of units) {
      await growsLinearly(`${start} and ${unit}`, (size) => server.match(`${start}${unit.repeat(size / unit.length)}!`))
    }
  }
})

all('respond the same for any header that is not part of the cache key (S35)', async () => {
  await using site = await serve()
  await site.store.run(
    site.store.db.insertInto('posts').values({
      status: 'publish',
      title: 'A',
      slug: 'a',
      date: '2025-01-01 00:00:00',
      date_gmt: '2025-01-01 00:00:00',
    }),
  )
  const { port } = new URL(site.home)
  const send = (path: string, headers: Record<string, string>) =>
    new Promise<string>((resolve, reject) => {
      get({ host: '127.0.0.1', port, path: `/svc-json${path}`, headers, agent: false }, (incoming) => {
        let text = ''
        incoming.setEncoding('utf8')
        incoming.on('data', (part: string) => (text += part))
        incoming.on('end', () => {
          // Whether it was kept, from which second on it says so, and the order of headers make no other response.
          const { date: _, 'x-request-id': __, 'x-svc-cache': ___, 'last-modified': ____, ...rest } = incoming.headers
          resolve(
            JSON.stringify([
              incoming.statusCode,
              Object.keys(rest)
                .toSorted()
                .map((name) => [name, rest[name]]),
              text,
            ]),
          )
        })
      }).on('error', reject)
    })
  for (const path of ['/', '/svc/v2/posts?_embed', '/svc/v2/types?_fields=post', '/nope']) {
    const plain = await send(path, {})
    for (const headers of [
      { host: 'evil.example' },
      {
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
        'x-forwarded-for': '1.2.3.4',
        forwarded: 'host=evil',
      },
      { 'x-http-method-override': 'DELETE', 'x-original-url': '/other', 'x-rewrite-url': '/other' },
      { 'accept-language': 'de', accept: 'text/html', _locale: 'de', _fields: 'id' },
    ] as Record<string, string>[]) {
      assert.is(await send(path, headers), plain, `${path} ${JSON.stringify(headers)}`)
    }
  }
})

all.run()

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  completeConfig,
  createLog,
  hideSecretsIn,
  loadConfig,
  startKernel,
  withoutSecrets,
} from '../../../bin/config/index.ts'
import { definePlugin, type PluginDefinition } from '../../../kernel/index.ts'
import { bare } from '../../kernel/bare.ts'
import { failureOf } from '../../kernel/failure.ts'

const secrets = suite('secrets of the config')

interface MailOptions {
  key: string
  servers: { host: string; login: string; key: string }[]
  password: string
}

/** A plugin with secret options that stores the values it receives. */
function mailer(input: Partial<MailOptions> & Record<string, unknown>) {
  let options: MailOptions | undefined
  const definition: PluginDefinition<MailOptions> = definePlugin<MailOptions>({
    name: 'mailer',
    options: {
      key: { default: '', type: 'string', secret: true, pattern: '^(?!bad)' },
      servers: {
        default: [],
        type: 'array',
        items: { type: 'object', properties: { key: { type: 'string', secret: true } } },
      },
      // Not declared, but its name shows that it is a secret.
      password: { default: '', type: 'string' },
    },
    apply: (_, all) => void (options = all),
  })
  const start = async (folder = tmpdir()) => {
    const config = completeConfig({ log: 'silent', plugins: { mailer: input } }, folder)
    const kernel = await startKernel({ config, defaults: [definition] })
    return { kernel, options: options! }
  }
  return { definition, start }
}

secrets('come from the config, a variable or a file, at any depth of a schema', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'secrets-'))
  await writeFile(join(folder, 'key.txt'), 'from a file\n')
  process.env['TEST_MAIL_KEY'] = 'from a variable'
  const one = { host: 'a', login: 'b' }
  try {
    const { options } = await mailer({
      key: { env: 'TEST_MAIL_KEY' } as never,
      servers: [
        { ...one, key: { file: 'key.txt' } as never },
        { ...one, key: 'in the config' },
      ],
    }).start(folder)
    assert.is(options.key, 'from a variable')
    assert.equal(
      options.servers.map(({ key }) => key),
      ['from a file', 'in the config'],
    )
    for (const [source, reason] of [
      [{ env: 'TEST_NOT_SET' }, 'the variable TEST_NOT_SET is not set'],
      [{ file: 'lost.txt' }, `the file ${join(folder, 'lost.txt')} cannot be read (ENOENT)`],
    ] as const) {
      const failure = await failureOf(() => mailer({ key: source as never }).start(folder))
      assert.is(failure.code, 'SECRET_MISSING')
      assert.match(failure.message, `the option "key" of mailer: ${reason}`)
    }
  } finally {
    delete process.env['TEST_MAIL_KEY']
    await rm(folder, { recursive: true })
  }
})

secrets('are hidden in lists, errors and log lines', async () => {
  const values = {
    key: 'S3CRET-one',
    servers: [{ host: 'a', login: 'b', key: 'S3CRET"two' }],
    password: 'S3CRET three',
  }
  const { kernel, options } = await mailer(values).start()
  const shown = withoutSecrets({ properties: kernel.plugins[0]!.definition.options }, kernel.plugins[0]!.options)
  assert.equal(shown, {
    key: '[hidden]',
    servers: [{ host: 'a', login: 'b', key: '[hidden]' }],
    password: '[hidden]',
  })
  assert.is(options.key, 'S3CRET-one')
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  log.error({ err: new Error(`no answer from ${options.key}`), changed: [options.servers[0]!.key] }, options.key)
  log.info({ url: `/x?q=${encodeURIComponent(options.servers[0]!.key)}` })
  assert.not.match(lines.join(''), 'S3CRET')
  for (const line of lines) assert.type(JSON.parse(line), 'object')
  assert.is(hideSecretsIn(`mail: ${options.key} was refused`), 'mail: [hidden] was refused')
  for (const bad of [5, 'bad S3CRET', ['S3CRET'], { env: 'A', S3CRET: 1 }, { env: 5 }, { S3CRET: 'x' }]) {
    const failure = await failureOf(() => mailer({ key: bad as never }).start())
    assert.is(failure.code, 'PLUGIN_OPTIONS_INVALID')
    assert.not.match(failure.message, 'S3CRET')
  }
})

secrets('of a database are hidden from plugins, errors and the log', async () => {
  const database = 'postgres://me:S3CRETpw%21@db.example/site?sslpassword=S3CRETtls'
  const config = await loadConfig({ folder: tmpdir(), flags: { database } })
  assert.is(config.database, database)
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  log.error({ err: new Error('password S3CRETpw! is wrong') }, `no way to ${database}; S3CRETpw%21 S3CRETtls`)
  log.info('redis://user:S3CRETother@cache.example/1 and https://S3CRETnobody:S3CRET@x')
  assert.not.match(lines.join('').replaceAll('S3CRETnobody', ''), 'S3CRET')
  assert.match(lines[0]!, 'postgres://me:[hidden]@db.example/site')
})

secrets('of a database can be in a variable or a file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'secrets-'))
  await writeFile(join(folder, 'svc.config.json'), '{ "database": { "env": "DB" } }')
  await writeFile(join(folder, 'other.json'), '{ "database": { "file": "db.txt" } }')
  await writeFile(join(folder, 'db.txt'), 'postgres://me:S3CRET@db.example/site\n')
  try {
    const env = { DB: 'sqlite:here.db' }
    assert.is((await loadConfig({ folder, env })).database, `sqlite:${join(folder, 'here.db')}`)
    const other = await loadConfig({ folder, file: 'other.json', env })
    assert.is(other.database, 'postgres://me:S3CRET@db.example/site')
    const failure = await failureOf(() => loadConfig({ folder, env: {} }))
    assert.is(failure.message, 'There is no value for the config key database: the variable DB is not set.')
    for (const bad of [
      '{ "database": "mysql://S3CRET" }',
      '{ "database": ["S3CRET"] }',
      '{ "database": { "env": 1 } }',
    ]) {
      await writeFile(join(folder, 'bad.json'), bad)
      assert.not.match((await failureOf(() => loadConfig({ folder, file: 'bad.json' }))).message, 'S3CRET')
    }
  } finally {
    await rm(folder, { recursive: true })
  }
})

secrets('are not in the error about an unreadable config', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'secrets-'))
  const file = join(folder, 'svc.config.json')
  try {
    for (const [text, line, column] of [
      ['{\n  "port": 1,\n  "database": "S3CRET"x\n}', 3, 23],
      ['{\n  S3CRET\n}', 2, 3],
      ['{ "database": "S3CRET', 1, 22],
      ["{ 'S3CRET': 1 }", 1, 3],
      ['', 1, 1],
    ] as const) {
      await writeFile(file, text)
      const failure = await failureOf(() => loadConfig({ folder }))
      assert.is(failure.message, `${file} cannot be read: it is not valid JSON at line ${line}, column ${column}.`)
      assert.not.match(String(failure.stack), 'S3CRET')
    }
  } finally {
    await rm(folder, { recursive: true })
  }
})

secrets('S44: of the site and of a plugin are hidden from other plugins', async () => {
  const seen: unknown[] = []
  const guest = definePlugin({
    name: 'guest',
    apply(plugin) {
      seen.push(plugin.config)
      plugin.hooks.rest_api_init.tap('guest', (server) => void seen.push(server.config))
    },
  })
  let receivedDatabase: unknown
  const keeper = definePlugin({
    name: 'keeper',
    secrets: ['database'],
    options: { key: { default: 'S3CRETkey', type: 'string', secret: true } },
    apply: ({ config }) => void (receivedDatabase = config.database),
  })
  const database = 'postgres://me:S3CRETpw@db.example/site'
  const plugins = { keeper: { key: 'S3CRETset' } }
  const config = completeConfig({ log: 'silent', database, plugins }, tmpdir())
  await using _ = await startKernel({ config, defaults: [keeper, guest] })
  assert.is(receivedDatabase, database)
  assert.is(seen.length, 2)
  for (const shown of seen as (typeof config)[]) {
    assert.not.match(JSON.stringify(shown), 'S3CRET')
    assert.is(shown.database, 'postgres://me:[hidden]@db.example/site')
    assert.is(shown.plugins['keeper'], true)
    assert.throws(() => Object.assign(shown, { debug: true }), /read only/)
  }
})

secrets('S44: are protected because a plugin has only the services of plugins that it needs', async () => {
  const owner = definePlugin({
    name: 'owner',
    apply: ({ provide }) => provide('secretThing' as never, { word: 'S3CRET' } as never),
  })
  const tried: unknown[] = []
  const guest = definePlugin({
    name: 'guest',
    after: [],
    apply({ services }) {
      for (const name of ['secretThing', 'store', 'nothing']) {
        try {
          tried.push((services as unknown as Record<string, unknown>)[name])
        } catch (error) {
          tried.push((error as { code: string }).code)
        }
      }
    },
  })
  await using _ = await bare([owner, guest])
  assert.equal(tried, ['SERVICE_NOT_NEEDED', 'SERVICE_MISSING', 'SERVICE_MISSING'])
})

secrets.run()

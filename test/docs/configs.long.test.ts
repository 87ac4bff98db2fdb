import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { configKeys } from '../../bin/config/config-keys.ts'
import { run } from '../helpers/svc-serve.ts'
import { type Block, blocksOf, GUIDES } from './blocks.ts'

const configs = suite('config examples of the docs')

/** A plugin that accepts any of the options that the examples set. */
const pluginNamed = (name: string) => `
  const option = { default: null }
  export default { name: '${name}', options: { key: option, greeting: option, limit: option }, apply() {} }
`

/** Files, environment variables and packages that the examples refer to. */
const FILES: Readonly<Record<string, string>> = {
  'secrets/database': 'sqlite:./data/site.db',
  'mail.ts': pluginNamed('mail'),
  'plugins/garden.ts': pluginNamed('garden'),
  'plugins/hello.ts': pluginNamed('hello'),
  'plugins/my-fields.ts': pluginNamed('fields-parameter'),
  'node_modules/svc-rest-rain/package.json': '{ "name": "svc-rest-rain", "type": "module", "exports": "./index.js" }',
  'node_modules/svc-rest-rain/index.js': pluginNamed('rain'),
}
const VARIABLES = {
  MAIL_KEY: 'a key',
  WEBHOOK_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  JWT_SECRET: 'a'.repeat(32),
}

const blocks = (await Promise.all(GUIDES.map(blocksOf))).flat()
const examples = blocks.filter(({ language, code }) => language === 'json' && isConfig(code))

configs('are found', () => {
  assert.ok(examples.length > 20, `${examples.length} examples`)
})

for (const { page, line, code } of examples) {
  configs(`start a server: ${page}:${line}`, async () => {
    const config = code.replaceAll('/run/secrets', './secrets').replaceAll('/var/lib', './var')
    const { database } = JSON.parse(config) as { database?: unknown }
    // This test has no such server; test/plugins/storage covers PostgreSQL.
    const flags =
      typeof database === 'string' && database.startsWith('postgres') ? ['--database', 'sqlite::memory:'] : []
    const files = { ...FILES, 'svc.config.json': config }
    await using server = await run(['--port', '0', ...flags], files, VARIABLES)
    await server.home()
    server.kill('SIGTERM')
    const { code: exitCode, err } = await server.end()
    const warnings = err.split('\n').filter((entry) => entry !== '' && !entry.startsWith('{"level":30,'))
    assert.equal([exitCode, warnings], [0, []])
  })
}

/** Whether a block is a config: JSON whose keys are config keys. */
function isConfig(code: string): boolean {
  try {
    const value = JSON.parse(code) as unknown
    return (
      typeof value === 'object' && value !== null && Object.keys(value).every((key) => Object.hasOwn(configKeys, key))
    )
  } catch {
    return false
  }
}

configs('and all other JSON blocks are valid JSON', () => {
  const invalid = blocks.filter(({ language, code }) => language === 'json' && !isJson(code)).map(placeOf)
  assert.equal(invalid, [])
})

/** JSON values on lines of their own are log lines; an ellipsis stands for left out text. */
function isJson(code: string): boolean {
  const values = code.startsWith('{"level"') ? code.trim().split('\n') : [code.replaceAll(/, …(?= [}\]])/g, '')]
  return values.every((value) => {
    try {
      JSON.parse(value)
      return true
    } catch {
      return false
    }
  })
}

function placeOf({ page, line }: Block): string {
  return `${page}:${line}`
}

configs.run()

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { completeConfig, configKeys, loadConfig } from '../../../bin/config/index.ts'
import { failureOf } from '../../kernel/failure.ts'

const config = suite('config')

/** Creates a folder with one file. */
async function folderWith(name: string, text: string) {
  const folder = await mkdtemp(join(tmpdir(), 'config-'))
  await writeFile(join(folder, name), text)
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}

config('has the default values without a file', async () => {
  await using place = await folderWith('nothing', '')
  const { port, word, limits, folder } = await loadConfig({ folder: place.folder })
  assert.equal(
    { port, word, depth: limits.depth, folder },
    { port: 8080, word: 'svc', depth: 100, folder: place.folder },
  )
})

for (const [name, text] of [
  ['svc.config.json', '{ "port": 1234, "word": "wp" }'],
  ['svc.config.js', 'module.exports = { port: 1234, word: "wp" }'],
  ['svc.config.ts', 'export default { port: 1234 as number, word: "wp" }'],
] as const) {
  config(`is found in ${name}`, async () => {
    await using place = await folderWith(name, text)
    const { port, word } = await loadConfig({ folder: place.folder })
    assert.equal({ port, word }, { port: 1234, word: 'wp' })
  })
}

config('prefers flags to variables, and variables to the file', async () => {
  await using place = await folderWith('svc.config.json', '{ "port": 1, "word": "a", "host": "file" }')
  const env = { SVC_PORT: '2', SVC_WORD: 'b', SVC_DEBUG: 'true', SVC_HOME: '', SVC_WORKERS: '3' }
  const { port, word, host, debug, home, workers } = await loadConfig({
    folder: place.folder,
    env,
    flags: { port: '3', word: undefined },
  })
  const expected = { port: 3, word: 'b', host: 'file', debug: true, home: null, workers: 3 }
  assert.equal({ port, word, host, debug, home, workers }, expected)
})

config('prefers `SVC_*` variables to `PORT` and `DATABASE_URL` of a platform, and these to the file', async () => {
  await using place = await folderWith('svc.config.json', '{ "port": 1, "database": "sqlite:./file.db" }')
  const load = async (env: Record<string, string>, flags = {}) => {
    const { port, database } = await loadConfig({ folder: place.folder, env, flags })
    return [port, database]
  }
  const [inFile, ofPlatform, ours] = [
    `sqlite:${join(place.folder, 'file.db')}`,
    'postgresql://a@b/c',
    'postgres://d@e/f',
  ]
  const platform = { PORT: '2', DATABASE_URL: ofPlatform }
  assert.equal(await load({ PORT: '', DATABASE_URL: '' }), [1, inFile])
  assert.equal(await load(platform), [2, ofPlatform])
  assert.equal(await load({ ...platform, SVC_PORT: '3', SVC_DATABASE: ours }), [3, ours])
  assert.equal(await load(platform, { port: '4', database: ours }), [4, ours])
})

config('is required in a subfolder of a site, but not in a separate project', async () => {
  await using place = await folderWith('svc.config.json', '{ "port": 1234 }')
  const below = join(place.folder, 'plugins', 'garden')
  await mkdir(below, { recursive: true })
  const { code, message } = await failureOf(() => loadConfig({ folder: below }))
  assert.is(code, 'CONFIG_ABOVE')
  assert.match(message, `${below} is a subfolder of the site of ${join(place.folder, 'svc.config.json')}. Change to`)
  assert.is((await loadConfig({ folder: below, file: '../../svc.config.json' })).port, 1234)
  await writeFile(join(below, 'package.json'), '{}')
  assert.is((await loadConfig({ folder: below })).port, 8080)
})

config('resolves relative paths against the folder of its file', async () => {
  await using place = await folderWith('site.json', '{ "database": "sqlite:./a/site.db", "uploads": "media" }')
  const { database, uploads, folder } = await loadConfig({ file: 'site.json', folder: place.folder })
  assert.is(folder, place.folder)
  assert.is(database, `sqlite:${join(place.folder, 'a/site.db')}`)
  assert.is(uploads, join(place.folder, 'media'))
})

config('does not change the URLs of databases in memory or on a server', () => {
  assert.is(completeConfig({ database: 'sqlite::memory:' }, '/x').database, 'sqlite::memory:')
  assert.is(completeConfig({ database: 'postgres://me@host/name' }, '/x').database, 'postgres://me@host/name')
})

config('rejects an unknown key and suggests the nearest one', async () => {
  const error = await failureOf(() => completeConfig({ databse: 'x' }, '/'))
  assert.is(error.code, 'CONFIG_UNKNOWN_KEY')
  assert.match(error.message, 'did you mean database?')
})

for (const [key, value, message] of [
  ['port', 'abc', 'must be integer'],
  ['port', 65536, 'must be <= 65535'],
  ['home', 'example.com', 'such as https://example.com'],
  ['log', 'loud', 'must be one of'],
  ['limits', { rooms: 1 }, 'has no entry rooms'],
  ['limits', { bodyLimit: 'much' }, 'invalid value at bodyLimit'],
  ['plugins', { cors: 5 }, 'cors'],
] as const) {
  config(`rejects ${JSON.stringify(value)} for ${key} and explains why`, async () => {
    const error = await failureOf(() => completeConfig({ [key]: value }, '/'))
    assert.is(error.code, 'CONFIG_INVALID')
    assert.match(error.message, key)
    assert.match(error.message, message)
  })
}

config('shows an invalid value and its file, variable or flag in the error', async () => {
  await using place = await folderWith('svc.config.json', '{ "log": "loud", "limits": { "bodyLimit": "much" } }')
  const { folder } = place
  const messageFor = async (env: Record<string, string>, flags: Record<string, unknown> = {}) =>
    (await failureOf(() => loadConfig({ folder, env, flags: { log: 'info', ...flags } }))).message
  assert.match(await messageFor({ PORT: 'abc' }), 'The config value port must be integer: PORT is "abc".')
  assert.match(await messageFor({ PORT: '1', SVC_PORT: '70000' }), 'port must be <= 65535: SVC_PORT is 70000.')
  assert.match(
    await messageFor({ PORT: '1' }, { port: 'tcp://10.0.0.1' }),
    'must be integer: --port is "tcp://10.0.0.1".',
  )
  assert.match(
    await messageFor({ SVC_HOME: 'a.test' }),
    'The config value home is not valid: SVC_HOME is "a.test". Home',
  )
  assert.match(await messageFor({ SVC_TRUST_PROXY: 'yes' }), 'trust_proxy must be boolean: SVC_TRUST_PROXY is "yes".')
  assert.match(await messageFor({}, { trust_proxy: 'x' }), '--trust-proxy is "x".')
  const file = join(folder, 'svc.config.json')
  assert.match(await messageFor({}, { log: undefined }), `info, debug, trace, silent: ${file} has "loud".`)
  assert.match(await messageFor({}), `invalid value at bodyLimit: it must be integer (${file}).`)
  // The value can contain a password.
  const secret = await messageFor({ DATABASE_URL: 'mysql://me:S3CRET@host/name' })
  assert.match(secret, 'The config value database is not valid (DATABASE_URL).')
  assert.not.match(secret, 'S3CRET')
})

config('removes the brackets of an IPv6 host, and rejects an invalid host', async () => {
  for (const [host, expected] of [
    ['[::1]', '::1'],
    ['::', '::'],
    ['0.0.0.0', '0.0.0.0'],
    ['localhost', 'localhost'],
    ['site.test', 'site.test'],
  ] as const)
    assert.is(completeConfig({ host }, '/').host, expected)
  await using place = await folderWith('svc.config.json', '{ "host": "http://site.test" }')
  const { folder } = place
  const messageFor = async (env: Record<string, string>, flags: Record<string, unknown> = {}) =>
    (await failureOf(() => loadConfig({ folder, env, flags }))).message
  const start = 'The config value host is not a host name or IP address: '
  assert.match(await messageFor({}), `${start}${join(folder, 'svc.config.json')} has "http://site.test". Set one`)
  assert.match(await messageFor({ SVC_HOST: '::g' }), `${start}SVC_HOST is "::g".`)
  assert.match(await messageFor({ SVC_HOST: '::g' }, { host: '' }), `${start}--host is "".`)
  assert.match(await messageFor({ SVC_HOME: 'http://[::1' }), 'home is not a URL: SVC_HOME is "http://[::1".')
})

config('names a file that does not exist or cannot be read', async () => {
  await using place = await folderWith('broken.json', '{ "port": ')
  const code = async (file: string) => (await failureOf(() => loadConfig({ file, folder: place.folder }))).code
  assert.is(await code('missing.json'), 'CONFIG_NOT_FOUND')
  assert.is(await code('broken.json'), 'CONFIG_UNREADABLE')
  await writeFile(join(place.folder, 'list.json'), '[]')
  assert.is(await code('list.json'), 'CONFIG_UNREADABLE')
})

config('has a description and a default for every key', () => {
  for (const [key, { description, default: preset }] of Object.entries(configKeys)) {
    assert.match(description, /\.$/, key)
    assert.is.not(preset, undefined, key)
  }
})

config.run()

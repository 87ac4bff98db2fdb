import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { AllowList } from '../../../../plugins/foundation/outgoing/allow-list.ts'
import { Guard } from '../../../../plugins/foundation/outgoing/guard.ts'
import { addresses, codeOf, makeClient, receive } from './asking.ts'

const REFUSED = 'OUTGOING_ADDRESS_REFUSED'

const guard = suite('outgoing: the guard')

guard('S36: refuses private addresses in any spelling unless they are allowed', async () => {
  await using inside = await receive((_, response) => response.end('inside'))
  await using client = makeClient({ ports: [inside.port] })
  const { port } = inside
  const hosts =
    '127.0.0.1 127.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 0177.1 127.0.0.1. [::ffff:127.0.0.1] [::ffff:7f00:1] [64:ff9b::7f00:1] [::1] [::] 0.0.0.0 0 %31%32%37.0.0.1 １２７.0.0.1 127。0。0。1'.split(
      ' ',
    )
  for (const host of hosts) assert.is(await codeOf(client.request(`http://${host}:${port}/`)), REFUSED, host)
  assert.is(inside.connections(), 0)
  const allowed = await client.request(`http://2130706433:${port}/`, { allow: [`127.0.0.1:${port}`] })
  assert.is(allowed.text(), 'inside')
})

guard('S36: connects to the checked address, even if DNS returns another one later', async () => {
  await using good = await receive((_, response) => response.setHeader('connection', 'close').end('good'), '127.0.0.1')
  await using bad = await receive((_, response) => response.end('bad'), '127.0.0.2', good.port)
  let lookups = 0
  const lookup = async () => addresses(lookups++ === 0 ? '127.0.0.1' : '127.0.0.2')
  await using client = makeClient({ allow: [`127.0.0.1:${good.port}`], lookup })
  const url = `http://rebinding.test:${good.port}/`
  assert.is((await client.request(url)).text(), 'good')
  assert.is(lookups, 1)
  assert.is(await codeOf(client.request(url)), REFUSED)
  assert.is(lookups, 2)
  assert.is(bad.connections(), 0)
})

guard('S36: connects only to the permitted addresses of a host with several', async () => {
  await using good = await receive((_, response) => response.end('good'), '127.0.0.1')
  await using bad = await receive((_, response) => response.end('bad'), '127.0.0.2', good.port)
  const lookup = async () => addresses('127.0.0.2', '::1', '10.0.0.1', '127.0.0.1')
  await using client = makeClient({ allow: [`127.0.0.1:${good.port}`], lookup })
  assert.is((await client.request(`http://several.test:${good.port}/`)).text(), 'good')
  assert.is(bad.connections(), 0)
})

guard('S36: does not reuse a connection for callers without permission', async () => {
  await using inside = await receive((_, response) => response.end('inside'))
  await using client = makeClient({ lookup: async () => addresses('127.0.0.1') })
  const url = `http://inside.test:${inside.port}/`
  const allow = ['127.0.0.1:*']
  for (let count = 0; count < 10; count += 1) assert.is((await client.request(url, { allow })).text(), 'inside')
  const connections = inside.connections()
  assert.ok(connections < 5, 'kept open')
  assert.is(await codeOf(client.request(url)), REFUSED)
  assert.is(await codeOf(client.request(url, { allow: ['10.0.0.0/8'] })), REFUSED)
  assert.is(inside.connections(), connections)
})

guard('S36: refuses the site itself, by name and by address, unless it is allowed', async () => {
  await using own = await receive((_, response) => response.end('own'))
  const lookup = async () => addresses('127.0.0.1')
  const home = `http://Own.test:${own.port}`
  await using client = makeClient({ ports: [own.port], home, lookup })
  for (const host of ['own.test', 'OWN.test.', 'other.test']) {
    assert.is(await codeOf(client.request(`http://${host}:${own.port}/`)), REFUSED, host)
  }
  assert.is((await client.request(`${home}/`, { allow: ['own.test'] })).text(), 'own')
  assert.is(own.connections(), 1)
})

guard('S36: refuses the site itself if its name or this machine has a public address', () => {
  const publicly = new Guard(
    new AllowList([], [80, 443]),
    () => 'https://own.test',
    () => Promise.reject(new Error('none')),
  )
  assert.is(publicly.admits('own.test', '8.8.8.8', 443), false)
  assert.is(publicly.admits('other.test', '8.8.8.8', 443), true)
  const { networkInterfaces } = os
  const own = (address: string) => ({ address, netmask: '', mac: '', internal: false, cidr: null })
  os.networkInterfaces = () => ({
    eth0: [
      { ...own('8.8.8.8'), family: 'IPv4' },
      { ...own('2606:4700::1'), family: 'IPv6', scopeid: 0 },
    ],
  })
  syncBuiltinESMExports()
  try {
    for (const address of ['8.8.8.8', '::ffff:8.8.8.8', '2606:4700::1']) {
      assert.is(publicly.admits('other.test', address, 443), false, address)
    }
    assert.is(publicly.admits('other.test', '8.8.4.4', 443), true)
    const allowing = new Guard(
      new AllowList(['8.8.8.8'], [443]),
      () => 'https://own.test',
      () => Promise.reject(new Error('none')),
    )
    assert.is(allowing.admits('other.test', '8.8.8.8', 443), true)
  } finally {
    os.networkInterfaces = networkInterfaces
    syncBuiltinESMExports()
  }
})

guard('allows by host, suffix, address and network, at the default ports or at listed ports', async () => {
  await using inside = await receive((_, response) => response.end('inside'))
  await using strict = makeClient({ lookup: async () => addresses('127.0.0.1') })
  await using usual = makeClient({ ports: [inside.port], lookup: async () => addresses('127.0.0.1') })
  const { port } = inside
  const cases: [host: string, allow: string, strict: boolean, usual: boolean][] = [
    ['a.test', `a.test:${port}`, true, true],
    ['a.test', 'A.test', false, true],
    ['a.test', `a.test:${port + 1}`, false, false],
    ['a.test', 'a.test:*', true, true],
    ['b.test', `a.test:${port}`, false, false],
    ['x.a.test', `*.a.test:${port}`, true, true],
    ['a.test', `*.a.test:${port}`, false, false],
    ['xa.test', `*.a.test:${port}`, false, false],
    ['a.test', `127.0.0.0/8:${port}`, true, true],
    ['127.0.0.1', `127.0.0.0/8:${port}`, true, true],
    ['127.0.0.1', '127.0.0.0/8', false, true],
    ['127.0.0.1', `127.0.0.2/32:${port}`, false, false],
    ['127.0.0.1', `[::ffff:127.0.0.1]:${port}`, true, true],
    ['[::ffff:127.0.0.1]', `127.0.0.1:${port}`, true, true],
    ['127.0.0.1', '::/0', false, false],
    ['xn--bcher-kva.test', `bücher.test:${port}`, true, true],
  ]
  for (const [host, allow, ...expected] of cases) {
    for (const [index, client] of [strict, usual].entries()) {
      const code = await codeOf(client.request(`http://${host}:${port}/`, { allow: [allow] }).then(() => 'asked'))
      assert.is(code, expected[index] === true ? 'resolved: "asked"' : REFUSED, `${host} by ${allow}`)
    }
  }
})

guard('reports entries that cannot be allowed', async () => {
  await using client = makeClient()
  const wrong = [
    '',
    '*',
    'a b',
    'http://a.test',
    'a.test/x',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/',
    '300.0.0.0/8',
    'a:0',
    'a:65536',
    'a:b',
    'user@a',
    'fe80::1%eth0',
    '*.*.a',
    'a.*',
    '[::1',
    '1.2.3.4.5/8',
    '*.10.0.0.1',
  ]
  for (const entry of wrong) {
    assert.is(await codeOf(client.request('http://a.test/', { allow: [entry] })), 'OUTGOING_ALLOW_INVALID', entry)
  }
})

guard('S36: requests only http and https URLs without credentials', async () => {
  await using client = makeClient()
  const wrong = [
    'ftp://a.test/',
    'file:///etc/passwd',
    'gopher://a.test/',
    'data:,a',
    'javascript:1',
    '//a.test/',
    '/a',
    '',
    'http://',
    'http://u@a.test/',
    'http://u:p@a.test/',
    'http://:p@a.test/',
    'http://a.test:0/',
    'http://a b/',
    `http://a.test/${'a'.repeat(9000)}`,
    'http://[::1%25eth0]/',
  ]
  for (const url of wrong) assert.is(await codeOf(client.request(url)), 'OUTGOING_URL_INVALID', url)
})

guard('refuses other ports', async () => {
  await using client = makeClient({ lookup: async () => addresses('93.184.216.34') })
  for (const port of [22, 25, 6379, 8080]) {
    assert.is(await codeOf(client.request(`http://public.test:${port}/`)), REFUSED)
  }
})

guard('errors contain no addresses, paths or queries', async () => {
  await using client = makeClient({
    lookup: async () => addresses('10.1.2.3', 'fd00::1234'),
    time: 5000,
  })
  const getErrorMessage = async (url: string, allow: string[] = []) =>
    await client.request(url, { allow }).then(
      () => '',
      (error: Error) => error.message,
    )
  await using closingServer = await receive((_, response) => response.destroy())
  const messages = [
    await getErrorMessage('http://name.test/secret?token=abc'),
    await getErrorMessage(`${closingServer.url}/secret?token=abc`, [`127.0.0.1:${closingServer.port}`]),
    await getErrorMessage('http://user:abc@name.test/'),
  ]
  for (const message of messages) {
    assert.ok(message !== '')
    assert.not.match(message, /secret|abc|10\.1|fd00/)
  }
})

guard.run()

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { receive, status, verify, type ReceivedMessage } from '../../../helpers/receiver.ts'
import { databases } from '../../../helpers/site-with-users.ts'
import type { Place } from '../../../helpers/stores.ts'
import { sql } from '../../../../plugins/storage/store/index.ts'
import { openStore } from '../../../../plugins/storage/store/open.ts'
import { svc } from '../../../helpers/svc.ts'

const CONFIG_SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`

for (const { name, place } of databases) {
  const commands = suite(`svc webhooks on ${name}`)

  commands(
    'adds, lists, tests, rotates, disables, enables and removes webhooks, and prints each secret once',
    async () => {
      await using receiver = await receive()
      await using site = await workplace(await place())
      const { run } = site
      assert.is((await run()).out, 'None.')
      const added = await run('add', receiver.url, '--kinds', 'post', '--kinds', 'term', '--types', 'page')
      assert.equal([added.code, added.err], [0, ''])
      const [, secret = ''] = /^Webhook 1 receives all changes from now on\.\n(whsec_\S{44})$/.exec(added.out) ?? []
      const asJson = JSON.parse((await run('add', 'https://b.example/x', '--name', 'B', '--unpublished', '--json')).out)
      assert.is(asJson.id, 2)
      const [first, second] = JSON.parse((await run('--json')).out) as Record<string, unknown>[]
      assert.equal(first, {
        id: 1,
        name: receiver.host,
        url: receiver.url,
        kinds: 'post term',
        types: 'page',
        unpublished: false,
        source: 'site',
        state: 'enabled',
      })
      assert.equal([second!['name'], second!['unpublished'], second!['kinds']], ['B', true, ''])

      const tested = await run('test', '1')
      assert.equal([tested.code, tested.err], [0, ''])
      assert.match(tested.out, /^The receiver responded 204 after \d+ ms\.$/)
      verify(receiver.messages[0]!, secret)
      receiver.answer(status(404, {}, 'no hook here'))
      const refused = await run('test', '1')
      assert.equal([refused.code, refused.output], [1, 'The test failed: The receiver responded 404: no hook here'])
      const data = JSON.parse((await run('test', '1', '--json')).out) as Record<string, unknown>
      assert.equal([data['delivered'], data['status']], [false, 404])

      receiver.answer(status(204))
      const rotated = (await run('rotate', '1', '--hours', '1')).out
      assert.match(rotated, /^whsec_\S{44}$/)
      await run('test', '1')
      for (const one of [secret, rotated]) verify(receiver.messages.at(-1)!, one)
      const replacement = JSON.parse((await run('rotate', '1', '--hours', '0', '--json')).out) as { secret: string }
      await run('test', '1')
      verify(receiver.messages.at(-1)!, replacement.secret)
      assert.throws(() => verify(receiver.messages.at(-1)!, rotated))

      assert.is((await run('disable', '1')).out, 'Webhook 1 is disabled.')
      assert.match((await run()).out, /disabled: It was disabled manually\./)
      assert.is((await run('enable', '1')).out, 'Webhook 1 is enabled.')
      const [waiting] = JSON.parse((await run('deliveries', '1', '--json')).out) as Record<string, unknown>[]
      assert.equal([waiting!['type'], waiting!['state'], waiting!['attempts']], ['all.updated', 'waiting', 0])
      const results = []
      for (const args of [[], ['--json'], ['deliveries', '1'], ['--help'], ['test', '1']])
        results.push(await run(...args))
      for (const one of [secret, rotated, replacement.secret, asJson.secret as string, CONFIG_SECRET]) {
        assert.not.ok(results.some(({ output }) => output.includes(one.slice(6))))
      }
      assert.is((await run('remove', '1')).out, 'Webhook 1 was removed.')
      assert.equal(
        (JSON.parse((await run('--json')).out) as { id: number }[]).map(({ id }) => id),
        [2],
      )
    },
  )

  commands('replays one delivery or all dead ones', async () => {
    await using site = await workplace(await place())
    const { run } = site
    await run('add', 'https://a.example/')
    await run('disable', '1')
    await run('enable', '1')
    const list = async (...flags: string[]) =>
      JSON.parse((await run('deliveries', '1', '--json', ...flags)).out) as { id: number; state: string }[]
    const { id } = (await list())[0]!
    const open = await run('replay', '1', String(id))
    assert.equal([open.code, open.err], [1, `The delivery ${id} is still waiting to be sent and cannot be replayed.`])
    assert.is((await run('replay', '1')).out, '0 deliveries will be sent again as soon as a server runs.')
    const die = () => site.sql(`update webhook_deliveries set state = 'dead', finished = 1, attempts = 10`)
    await die()
    assert.equal((await list('--state', 'dead')).length, 1)
    assert.equal(await list('--state', 'done'), [])
    assert.is((await run('replay', '1', String(id))).out, `Delivery ${id} will be sent again as soon as a server runs.`)
    assert.is((await list())[0]!.state, 'waiting')
    await die()
    const later = await run('replay', '1', '--since', '2126-01-01T00:00:00Z')
    assert.match(later.out, /^0 deliveries/)
    assert.match((await run('replay', '1', '--since', '2026-01-01T00:00:00Z')).out, /^1 deliveries/)
    assert.is((await list('--count', '1')).length, 1)
  })

  commands('lists webhooks of the config, and can only enable and disable them', async () => {
    await using receiver = await receive()
    await using site = await workplace(await place(), {
      endpoints: { front: { url: receiver.url, secret: CONFIG_SECRET } },
    })
    const { run } = site
    const tested = await run('test', '1')
    assert.is(tested.code, 0, tested.err)
    verify(receiver.messages[0] as ReceivedMessage, CONFIG_SECRET)
    const [shown] = JSON.parse((await run('--json')).out) as Record<string, unknown>[]
    assert.equal([shown!['name'], shown!['source']], ['front', 'config'])
    for (const args of [
      ['remove', '1'],
      ['rotate', '1'],
    ]) {
      const refused = await run(...args)
      assert.is(refused.code, 1)
      assert.match(refused.err, /^The webhook "front" is defined in the config\. Change it there/m)
    }
    assert.is((await run('disable', '1')).code, 0)
    assert.is((await run('enable', '1')).code, 0)
  })

  commands('reports invalid arguments', async () => {
    await using site = await workplace(await place())
    const { run } = site
    await run('add', 'https://a.example/')
    const wrong: [args: string[], why: RegExp][] = [
      [['add'], /url/i],
      [['add', 'nonsense'], /is not a URL/],
      [['add', 'ftp://a.example'], /must begin with http/],
      [['add', 'https://user:word@a.example'], /must not contain a user name or a password/],
      [['add', 'https://a.example', '--kinds', 'session'], /kinds/],
      [['add', `https://a.example/${'x'.repeat(2000)}`], /2000/],
      ...['remove', 'enable', 'disable', 'rotate', 'test', 'deliveries', 'replay'].flatMap(
        (word): [string[], RegExp][] => [
          [[word], /id/i],
          [[word, '99'], /^There is no webhook with the ID 99\.$/],
          [[word, 'x'], /id/i],
          [[word, '1; drop table webhooks'], /id/i],
        ],
      ),
      [['rotate', '1', '--hours', '-1'], /hours/],
      [['rotate', '1', '--hours', 'x'], /hours/],
      [['deliveries', '1', '--state', 'odd'], /state/],
      [['deliveries', '1', '--count', '0'], /count/],
      [['replay', '1', '99'], /^This webhook has no delivery with the ID 99\.$/],
      [['replay', '1', '--since', 'yesterday'], /since/],
      [['tell', '1'], /./],
    ]
    for (const [args, pattern] of wrong) {
      const { code, out, err } = await run(...args)
      assert.equal([code, out], [1, ''], args.join(' '))
      assert.match(err, pattern)
      assert.not.match(err, /word@|\n {4}at /)
    }
    assert.is(JSON.parse((await run('--json')).out).length, 1)
  })

  commands.run()
}

/** A folder with the config of a site, with which commands run as an administrator's would. */
async function workplace(place: Place, webhooks: object = {}) {
  const folder = await mkdtemp(path.join(tmpdir(), 'webhooks-'))
  const config = path.join(folder, 'svc.config.json')
  const plugins = { webhooks: { allow: ['127.0.0.1:*'], ...webhooks } }
  await writeFile(config, JSON.stringify({ database: place.url, plugins, log: 'fatal' }))
  return {
    run: (...args: string[]) => svc('webhooks', ...args, '--config', config),
    sql: async (text: string) => {
      const store = await openStore(place.url)
      await store.run(sql.raw(text))
      await store.close()
    },
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true })
      await place[Symbol.asyncDispose]()
    },
  }
}

import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as turn } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { OwnedMap, runAction, syncFilter, type AnyPlugin, type Family, type SyncFilter } from '../../kernel/index.ts'
import { bare, IT, open, plugin, start } from './bare.ts'
import { until } from '../helpers/until.ts'
import { failureOf } from './failure.ts'
import { inventory, says, version, wordsOf } from './versions.ts'

const reload = suite('reload')

reload('has the new code answer, and undoes the old', async () => {
  const undone: string[] = []
  const one = version('one', {}, ({ onRemove }) => {
    onRemove(() => void undone.push('first'))
    onRemove(() => turn().then(() => void undone.push('second')))
  })
  await using site = await bare([one])
  const { owner } = site.kernel.plugins[0]!
  const { size } = owner
  assert.equal((await site.raw(IT)).json, says('one'))
  const { started, gone } = await site.kernel.reload('words', version('two'))
  assert.equal(started, ['words'])
  const { json, headers } = await site.raw(IT)
  assert.equal([json, headers['x-words']], [says('two'), 'two'])
  await gone
  assert.equal(undone, ['second', 'first'])
  assert.is(owner.size, 0)
  assert.is(site.kernel.plugins[0]!.owner.size, size - 2)
})

reload('does not wait for the requests of another site', async () => {
  const begun = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const slow = version('other', {}, ({ hooks }) => {
    hooks.rest_pre_dispatch.tapPromise('words', async (result) => {
      begun.resolve()
      await gate.promise
      return result
    })
  })
  await using other = await bare([slow])
  const answer = other.raw(IT)
  await begun.promise
  await using site = await bare([version('one')], { limits: { time: 600_000 } })
  const { gone } = await site.kernel.reload('words', version('two'))
  let isGone = false
  void gone.then(() => (isGone = true))
  await until(() => isGone)
  assert.equal((await site.raw(IT)).json, says('two'))
  gate.resolve()
  assert.equal((await answer).json, says('other'))
})

reload('lets requests end with the code that they began with', async () => {
  const begun = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const undone: string[] = []
  const slow = version('one', {}, (context) => {
    const { hooks, onRemove } = context
    onRemove(() => void undone.push('one'))
    hooks.test_reload_text.tap('words', (text) => `${text} as of one`)
    hooks.rest_api_init.tap('words', (server) => {
      const callback = async () => {
        begun.resolve()
        await gate.promise
        const inner = await server.dispatch('/test/v1/it')
        return { inner: inner.data, service: wordsOf(context).text }
      }
      server.registerRoute('test/v1', 'slow', { callback, ...open })
    })
  })
  await using site = await bare([slow])
  const answer = site.raw(IT.replace('it', 'slow'))
  await begun.promise
  const { gone } = await site.kernel.reload('words', version('two'))
  assert.equal((await site.raw(IT)).json, says('two'))
  assert.is((await site.raw(IT.replace('it', 'slow'))).status, 404)
  assert.equal(undone, [])
  gate.resolve()
  const { json, headers } = await answer
  assert.equal(json, { inner: { ...says('one'), filter: 'one as of one' }, service: 'one' })
  assert.is(headers['x-words'], 'one')
  await gone
  assert.equal(undone, ['one'])
})

reload('shows no request anything between two versions', async () => {
  const slowly = () => turn()
  const other = plugin('other', ({ hooks }) => {
    // What others do takes its time, too, while the routes are made.
    hooks.rest_api_init.tapPromise('other', slowly)
    hooks.rest_pre_dispatch.tapPromise('other', async (result) => {
      for (let turns = Math.random() * 4; turns > 1; turns -= 1) await turn()
      return result
    })
  })
  const user = plugin('user', (context) => {
    const { text } = wordsOf(context)
    context.hooks.rest_post_dispatch.tap('user', (response) => {
      response.headers.append('x-user', text)
      return response
    })
  }, { needs: ['words'] }) // prettier-ignore
  await using site = await bare([other, version('0', {}, slowly), user])
  let isOver = false
  const seen = new Set<string>()
  const ask = async () => {
    while (!isOver) {
      const { status, json, headers } = await site.raw(IT)
      const text = String(headers['x-words'])
      assert.equal([status, json, headers['x-user']], [200, says(text), text])
      seen.add(text)
    }
  }
  const clients = Promise.allSettled(Array.from({ length: 8 }, ask))
  const broken = version('broken', {}, async () => {
    await turn()
    throw new Error('no')
  })
  for (let round = 1; round <= 12; round += 1) {
    await site.kernel.reload('words', version(String(round), {}, slowly))
    assert.is((await failureOf(() => site.kernel.reload('words', broken))).code, 'PLUGIN_FAILED')
    await until(() => seen.has(String(round)))
  }
  isOver = true
  for (const client of await clients) if (client.status === 'rejected') throw client.reason
  assert.is(seen.has('broken'), false)
})

reload('leaves everything in the order of a start', async () => {
  const tapping = (name: string, more: Partial<AnyPlugin> = {}) =>
    plugin(name, ({ hooks }) => {
      hooks.rest_post_dispatch.tap({ name: `${name} late`, stage: 10 }, (response) => response)
      hooks.rest_post_dispatch.tap(name, (response) => response)
      hooks.rest_api_init.tap(name, (server) => server.registerRoute(`${name}/v1`, 'x', { callback: () => 1, ...open }) && undefined) // prettier-ignore
    }, more) // prettier-ignore
  await using kernel = await start([
    tapping('one'),
    version('two'),
    tapping('three'),
    tapping('four', { needs: ['words'] }),
  ])
  const before = inventory(kernel)
  await (
    await kernel.reload('words')
  ).gone
  assert.equal(inventory(kernel), before)
  await (
    await kernel.reload('one')
  ).gone
  assert.equal(inventory(kernel), before)
})

reload('starts those anew that depend on the plugin, in order', async () => {
  const seen: string[] = []
  const needing = (name: string, need: Partial<AnyPlugin>) =>
    plugin(name, (context) => void seen.push(`${name} ${wordsOf(context).text}`), need)
  await using kernel = await start([
    version('one'),
    needing('first', { needs: ['words'] }),
    plugin('apart'),
    plugin('second', () => void seen.push('second'), { needs: ['first'] }),
    needing('third', { after: ['words'] }),
  ])
  seen.length = 0
  const { started } = await kernel.reload('words', version('two'))
  assert.equal(started, ['words', 'first', 'second', 'third'])
  assert.equal(seen, ['first two', 'second', 'third two'])
  assert.equal(kernel.plugins.map(({ slot }) => slot), ['words', 'first', 'apart', 'second', 'third']) // prettier-ignore
})

reload('keeps the taps that others have on the hooks of the plugin', async () => {
  const guest = plugin('guest', ({ hooks }) => hooks.test_reload_text.tap('guest', (text) => `${text}!`))
  await using site = await bare([version('one'), guest])
  await (
    await site.kernel.reload('words', version('two'))
  ).gone
  assert.is((await site.raw(IT)).json.filter, 'two!')
  await (
    await site.kernel.reload('words', version('three'))
  ).gone
  assert.is((await site.raw(IT)).json.filter, 'three!')
  await site.kernel.remove('guest')
  assert.is((await site.raw(IT)).json.filter, 'three')
})

reload('exchanges the members of a family of hooks, as one shows them and by its name', async () => {
  const family = (text: string) =>
    plugin(
      'texts',
      ({ hooks }) => {
        const { texts_short_text: short, texts_text: texts } = hooks as never as TextHooks
        short.tap('texts', (value) => `${value} ${text}`)
        texts.for('long').tap('texts', (value) => `${value} long ${text}`)
      },
      { hooks: { 'texts_*_text': syncFilter('text') } },
    )
  await using kernel = await start([family('one')])
  const texts = () => {
    const hooks = kernel.hooks as never as TextHooks
    return (['short', 'long'] as const).map((name) => [
      hooks.texts_text.for(name).call(''),
      hooks[`texts_${name}_text`].call(''),
    ])
  }
  for (const text of ['one', 'two', 'three']) {
    if (text !== 'one') await (await kernel.reload('texts', family(text))).gone
    assert.equal(texts(), [[` ${text}`, ` ${text}`], [` long ${text}`, ` long ${text}`]]) // prettier-ignore
  }
})

interface TextHooks {
  texts_short_text: SyncFilter<string>
  texts_long_text: SyncFilter<string>
  texts_text: Family<SyncFilter<string>>
}

reload('tells who keeps a registry as the new entries are there', async () => {
  const seen: string[][] = []
  let entries: OwnedMap<string> | undefined
  const host = plugin('host', () => {
    const outside = AsyncLocalStorage.snapshot()
    entries = new OwnedMap('entry', () => outside(() => void seen.push([...entries!.keys()])))
  })
  const guest = (...names: string[]) => plugin('guest', () => names.forEach((name) => void entries!.set(name, name)))
  await using kernel = await start([host, guest()])
  await (
    await kernel.reload('guest', guest('one'))
  ).gone
  assert.equal(seen, [[], ['one']])
})

reload('takes the new version through the start, and the old one through the end', async () => {
  const told: string[] = []
  const telling = (text: string) =>
    version(text, {}, ({ hooks, onRemove }) => {
      hooks.server_starting.tapPromise('words', async (home) => void told.push(`${text} starts ${home}`))
      hooks.server_listening.tap('words', () => void told.push(`${text} listens`))
      hooks.server_stopping.tap('words', () => void told.push(`${text} stops`))
      onRemove(() => void told.push(`${text} undone`))
    })
  await using site = await bare([telling('one')])
  told.length = 0
  await (
    await site.kernel.reload('words', telling('two'))
  ).gone
  assert.equal(told, [`two starts ${site.home}`, 'two listens', 'one stops', 'one undone'])
})

reload('undoes what others did for the routes of before', async () => {
  let timers = 0
  const host = plugin('host', ({ hooks, onRemove }) =>
    hooks.rest_api_init.tap('host', () => {
      timers += 1
      onRemove(() => void (timers -= 1), 'timer')
    }),
  )
  await using kernel = await start([host, version('one')])
  const { owner } = kernel.plugins[0]!
  const { size } = owner
  for (const text of ['two', 'three', 'four']) await (await kernel.reload('words', version(text))).gone
  assert.equal([timers, owner.size], [1, size])
})

reload('follows a config: what is the same goes on', async () => {
  const sized = (name: string) =>
    plugin(name, (_, { size }: { size?: number }) => void sizes.push(`${name} ${size}`), {
      options: { size: { type: 'integer', default: 1 } },
    })
  const sizes: string[] = []
  await using kernel = await start([sized('one'), sized('two'), sized('three')])
  sizes.length = 0
  const { started } = await kernel.follow({ one: { size: 2 }, three: false })
  assert.equal([started, sizes], [['one'], ['one 2']])
  assert.equal(kernel.plugins.map(({ slot }) => slot), ['one', 'two']) // prettier-ignore
  await kernel.follow({})
  assert.equal(sizes, ['one 2', 'one 1', 'three 1'])
})

reload('runs one after the other, whoever asks', async () => {
  await using site = await bare([version('0')])
  const texts = Array.from({ length: 10 }, (_, index) => String(index + 1))
  await Promise.all(
    texts.map((text) =>
      site.kernel.reload(
        'words',
        version(text, {}, () => turn()),
      ),
    ),
  )
  assert.equal((await site.raw(IT)).json, says('10'))
  await Promise.all([site.kernel.reload('words', version('last')), site.kernel.close()]).catch(() => {})
})

reload('tells listeners of one version at a time', async () => {
  const told: string[] = []
  const [begun, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const telling = (text: string, ready?: Promise<void>) =>
    plugin('telling', async ({ hooks }) => {
      hooks.rest_api_init.tap('telling', () => {})
      hooks.server_stopping.tap('telling', () => void told.push(text))
      if (ready !== undefined) begun.resolve()
      await ready
    })
  await using kernel = await start([telling('one')])
  const under = kernel.reload('telling', telling('two', going.promise))
  await begun.promise
  await runAction(kernel.hooks.server_stopping)
  going.resolve()
  await (
    await under
  ).gone
  await runAction(kernel.hooks.server_stopping)
  assert.equal(told, ['one', 'two'])
})

reload.run()

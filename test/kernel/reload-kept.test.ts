import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { derivedOfAll, registrations } from '../../kernel/index.ts'
import { bare, open, plugin, start } from './bare.ts'
import { failureOf } from './failure.ts'
import { version, wordsOf } from './versions.ts'

// What is made of registrations and kept: each version of a plugin has its own, however long both are there.

const reload = suite('reload and what is kept')

/** A plugin that says which version it is in the prefix of URLs and in those of relations, and in its route. */
const signed = (text: string, also: { waits?: Promise<void>; begun?: () => void; fails?: boolean } = {}) =>
  plugin('signed', ({ hooks, urls }) => {
    hooks.rest_url_prefix.tap('signed', () => `${text}-json`)
    hooks.rest_response_link_curies.tap('signed', (curies) => [
      ...curies,
      { name: text, href: 'https://rel.example/{rel}', templated: true },
    ])
    hooks.rest_api_init.tap('signed', (server) => {
      const own = () => [
        text,
        urls.prefix,
        urls.rest('/x'),
        ...Object.keys(server.compactLinks({ 'https://rel.example/next': [] })),
      ]
      const slow = async () => {
        also.begun?.()
        await also.waits
        return own()
      }
      server.registerRoute('test/v1', 'it', { callback: own, ...open })
      server.registerRoute('test/v1', 'slow', { callback: slow, ...open })
    })
    if (also.fails !== true) return
    // What it makes of its own taps is nobody else's.
    assert.is(urls.prefix, `${text}-json`)
    throw new Error('as asked')
  })

reload('has requests of before and of now see their own URLs and links, whoever asks first', async () => {
  const gate = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  await using site = await bare([signed('one', { waits: gate.promise, begun: begun.resolve })])
  const it = async (text: string) => (await site.raw(`/${text}-json/test/v1/it`)).json
  const says = (text: string) => [text, `${text}-json`, `${site.home}/${text}-json/x`, `${text}:next`, 'curies']
  assert.equal(await it('one'), says('one'))
  const slow = site.raw('/one-json/test/v1/slow')
  await begun.promise
  const { gone } = await site.kernel.reload('signed', signed('two'))
  assert.equal(await it('two'), says('two'))
  gate.resolve()
  assert.equal((await slow).json, says('one'))
  assert.equal(await it('two'), says('two'))
  await gone
  assert.equal(await it('two'), says('two'))
})

reload('leaves nothing of a version that fails in what is kept', async () => {
  await using site = await bare([signed('one')])
  const path = '/one-json/test/v1/it'
  assert.is((await site.raw(path)).status, 200)
  await failureOf(() => site.kernel.reload('signed', signed('two', { fails: true })))
  assert.equal([(await site.raw(path)).status, (await site.raw('/two-json/test/v1/it')).status], [200, 404])
})

reload('makes what is derived of registrations anew for each who sees others', async () => {
  const seen: (readonly [string, number, number])[] = []
  let made = 0
  const count = derivedOfAll(() => (made += 1))
  const watching = (text: string, fails = false) =>
    plugin('watching', ({ hooks }) => {
      seen.push([text, count(), registrations()])
      hooks.rest_post_dispatch.tap('watching', (response) => response)
      seen.push([text, count(), registrations()])
      if (fails) throw new Error('as asked')
    })
  await using kernel = await start([watching('one')])
  const outside = [count(), registrations()] as const
  seen.length = 0
  await failureOf(() => kernel.reload('watching', watching('two', true)))
  // What only the new version sees is told from what all others see, which has not changed.
  assert.is(registrations(), outside[1])
  assert.is(new Set([...seen.slice(0, 2).map(([, derived]) => derived), outside[0]]).size, 3)
  await (
    await kernel.reload('watching', watching('three'))
  ).gone
  assert.is.not(registrations(), outside[1])
  assert.is.not(count(), outside[0])
})

reload('has what goes see its own to its end', async () => {
  const seen: string[] = []
  const ending = (text: string) =>
    version(text, {}, (context) =>
      context.hooks.server_stopping.tap('words', () => void seen.push(wordsOf(context).text)),
    )
  await using site = await bare([ending('one')])
  await (
    await site.kernel.reload('words', ending('two'))
  ).gone
  assert.equal(seen, ['one'])
})

reload.run()

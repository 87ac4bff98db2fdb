import { setImmediate as turn } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { syncAction, syncFilter, type AnyPlugin } from '../../kernel/index.ts'
import { bare, IT, plugin, start } from './bare.ts'
import { failureOf } from './failure.ts'
import { inventory, says, version, wordsOf } from './versions.ts'

const reload = suite('reload that fails')

const mistakes: Record<string, [code: string, message: RegExp, AnyPlugin]> = {
  'that throws': ['PLUGIN_FAILED', /words could not start: flooded/, version('new', {}, () => { throw new Error('flooded') })], // prettier-ignore
  'that does not come to an end': ['PLUGIN_LATE', /words did not come to an end in apply/, version('new', { deadline: 0.01 }, () => new Promise(() => {}))], // prettier-ignore
  'whose route is none': ['ROUTE_INVALID', /test\/v1\/broken/, version('new', {}, ({ hooks }) => hooks.rest_api_init.tap('words', (server) => void server.registerRoute('test/v1', 'broken', { callback: 5 as never })))], // prettier-ignore
  'whose tap of rest_endpoints fails': ['TAP_FAILED', /words failed in hook rest_endpoints/, version('new', {}, ({ hooks }) => hooks.rest_endpoints.tap('words', () => { throw new Error('no') }))], // prettier-ignore
  'that is not ready to be served': ['TAP_FAILED', /server_starting/, version('new', {}, ({ hooks }) => hooks.server_starting.tap('words', () => { throw new Error('no') }))], // prettier-ignore
  'with a wrong option': ['PLUGIN_OPTIONS_INVALID', /"size" of words/, version('new', { options: { size: { type: 'integer', default: 1 } } })], // prettier-ignore
  'that needs what is not there': ['PLUGIN_NEED_MISSING', /words needs the plugin nobody/, version('new', { needs: ['nobody'] })], // prettier-ignore
  'without a service that others use': ['PLUGIN_LACKS', /lack the service words, which guest used/, plugin('words', () => {}, { hooks: { test_reload_text: syncFilter('text') } })], // prettier-ignore
  'without a hook that others tap': ['PLUGIN_LACKS', /lack the hook test_reload_text, which guest used/, version('new', { hooks: {} })], // prettier-ignore
  'with a hook of another kind': ['HOOK_KIND_CHANGED', /test_reload_text was a sync filter and is a sync action now, but guest/, version('new', { hooks: { test_reload_text: syncAction('text') } as never })], // prettier-ignore
}
for (const [name, [code, message, broken]] of Object.entries(mistakes)) {
  reload(`leaves the old version running where the new one is one ${name}`, async () => {
    const guest = plugin('guest', (context) => {
      context.hooks.test_reload_text.tap('guest', (text) => text)
      context.hooks.rest_pre_dispatch.tap('guest', (result) => (wordsOf(context).text === '' ? null : result))
    }, { uses: ['words'] }) // prettier-ignore
    const options: Partial<AnyPlugin> = { options: { size: { type: 'integer', default: 1 } } }
    await using site = await bare([version('one', options), guest], { plugins: { words: { size: 2 } } })
    await site.raw(IT)
    const before = inventory(site.kernel)
    const given = code === 'PLUGIN_OPTIONS_INVALID' ? { size: 'huge' } : {}
    const error = await failureOf(() => site.kernel.reload('words', broken, given))
    assert.equal([error.code, message.test(error.message)], [code, true], error.message)
    assert.equal(inventory(site.kernel), before)
    assert.equal((await site.raw(IT)).json, says('one'))
    await site.kernel.reload('words', version('two', options))
    assert.equal((await site.raw(IT)).json, says('two'))
  })
}

reload('undoes the first half of a version that fails, newest first', async () => {
  const undone: string[] = []
  await using kernel = await start([version('one')])
  const half = version('two', {}, ({ onRemove }) => {
    onRemove(() => turn().then(() => void undone.push('first')))
    onRemove(() => void undone.push('second'))
    throw new Error('no')
  })
  await failureOf(() => kernel.reload('words', half))
  assert.equal(undone, ['second', 'first'])
})

reload('takes back what a version registers after it was given up', async () => {
  const [failed, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await using kernel = await start([version('one')])
  const before = inventory(kernel)
  const undone: string[] = []
  const slow = version('two', { deadline: 0.01 }, async ({ hooks, onRemove, provide }) => {
    await failed.promise
    hooks.rest_post_dispatch.tap('late', (response) => response)
    provide('late' as never, {} as never)
    onRemove(() => void undone.push('timer'))
    late.resolve()
  })
  assert.is((await failureOf(() => kernel.reload('words', slow))).code, 'PLUGIN_LATE')
  failed.resolve()
  await late.promise
  await turn()
  assert.equal([inventory(kernel), undone], [before, ['timer']])
})

reload('says which undo of the old version failed, and undoes the rest', async () => {
  const undone: string[] = []
  const stubborn = version('one', {}, ({ onRemove }) => {
    onRemove(() => void undone.push('first'))
    onRemove(() => {
      throw new Error('stuck')
    })
  })
  await using site = await bare([stubborn])
  const { gone } = await site.kernel.reload('words', version('two'))
  assert.is(await gone.catch((error: Error) => error.message), 'stuck')
  assert.equal(undone, ['first'])
  assert.equal((await site.raw(IT)).json, says('two'))
  assert.ok(site.lines.some(({ msg }) => msg === 'a plugin could not be undone'))
})

reload.run()

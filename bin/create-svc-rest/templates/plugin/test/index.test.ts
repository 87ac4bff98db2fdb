import assert from 'node:assert/strict'
import { test } from 'node:test'
import { definePlugin } from 'svc-rest'
import { serve } from 'svc-rest/testing'
import plugin from '../src/index.ts'

test('greets with the greeting from its options', async () => {
  await using site = await serve({ add: [plugin], plugins: { 'my-plugin': { greeting: 'Good morning' } } })
  assert.deepEqual(await site.json('/my-plugin/v1/greet/Ada'), { text: 'Good morning, Ada!' })
})

test('rejects names that are too long', async () => {
  await using site = await serve({ add: [plugin] })
  assert.equal((await site.get(`/my-plugin/v1/greet/${'a'.repeat(41)}`)).status, 400)
})

test('lets other plugins change a greeting', async () => {
  const loud = definePlugin({
    name: 'loud',
    needs: ['my-plugin'],
    apply: ({ hooks }) => hooks.my_plugin_greeting.tap('loud', (greeting) => greeting.toUpperCase()),
  })
  await using site = await serve({ add: [plugin, loud] })
  assert.deepEqual(await site.json('/my-plugin/v1/greet/Ada'), { text: 'HELLO, ADA!' })
})

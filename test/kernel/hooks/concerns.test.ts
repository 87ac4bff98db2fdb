import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createLog, HookRegistry } from '../../../bin/config/index.ts'
import { Advisor } from '../../../plugins/library/advice/advisor.ts'
import {
  action,
  applyFilter,
  filter,
  isThenable,
  isUsed,
  Owner,
  RestRequest,
  RestResponse,
  runAction,
  tracing,
  type Action,
  type Filter,
  type TapSpan,
} from '../../../kernel/index.ts'
import { FieldSet } from '../../../plugins/resources/index.ts'
import { kernelHooks } from '../../../kernel/hooks.ts'
import { resourceHooks } from '../../../plugins/resources/hooks.ts'
import { failureOf } from '../failure.ts'

const concerns = suite('filters of taps')

/** Creates a registry with a filter and an action whose runs have a type. */
function registry() {
  const all = new HookRegistry('svc', { ...kernelHooks, ...resourceHooks })
  const about = { type: (_value: string, type: string) => type }
  all.declare('test_text', { ...filter('text', 'type'), about })
  all.declare('test_happened', { ...action('what', 'type'), about })
  all.declare('test_plain', filter('text'))
  return {
    all,
    text: all.find('test_text') as Filter<string, [type: string], 'type'>,
    happened: all.find('test_happened') as Action<[what: string, type: string], 'type'>,
    prepare: all.hooks.rest_prepare.for('plant'),
  }
}

/** Creates a GET request with checked arguments. */
function createRequest(params: Record<string, string> = {}, fields?: string[], method = 'GET') {
  const request = new RestRequest(method, '/', { query: params })
  if (fields !== undefined) request.fields = new FieldSet(fields)
  return request
}

concerns('`types` limits a tap to objects of these types', async () => {
  const { text, happened } = registry()
  text.tap({ name: 'one', types: 'post' }, (value) => `${value}1`)
  text.tapPromise({ name: 'two', types: ['post', 'page'] }, async (value) => `${value}2`)
  text.tapAsync({ name: 'three', types: ['plant'] }, (value, _type, done) => done(null, `${value}3`))
  text.tap('all', (value) => `${value}.`)
  assert.is(await applyFilter(text, '', 'post'), '12.')
  assert.is(await applyFilter(text, '', 'page'), '2.')
  assert.is(await applyFilter(text, '', 'plant'), '3.')
  assert.is(applyFilter(text, '', 'stone'), '.')
  const seen: string[] = []
  happened.tap({ name: 'told', types: 'post' }, (value) => void seen.push(value))
  happened.tapPromise({ name: 'waits', types: 'page' }, async () => {})
  assert.not(isThenable(runAction(happened, 'a', 'post')))
  assert.ok(isThenable(runAction(happened, 'b', 'page')))
  assert.equal(seen, ['a'])
})

concerns('`fields` limits a tap to requests that ask for one of these fields', () => {
  const { prepare } = registry()
  let calls = 0
  prepare.tap({ name: 'price', fields: ['price', 'shop.stock'] }, (response) => ((calls += 1), response))
  const run = (fields?: string[]) => {
    calls = 0
    void applyFilter(prepare, new RestResponse({}), {}, createRequest({}, fields))
    return calls
  }
  assert.is(run(), 1)
  assert.is(run(['id', 'price']), 1)
  assert.is(run(['shop']), 1)
  assert.is(run(['shop.stock.here']), 1)
  assert.is(run(['id', 'title']), 0)
})

concerns('`context` limits a tap to these contexts, and a request without a context has `view`', () => {
  const { prepare } = registry()
  const seen: string[] = []
  prepare.tap({ name: 'reads', context: ['view', 'embed'] }, (response) => (seen.push('reads'), response))
  prepare.tap({ name: 'edits', context: 'edit' }, (response) => (seen.push('edits'), response))
  for (const params of [{}, { context: 'embed' }, { context: 'edit' }])
    void applyFilter(prepare, new RestResponse({}), {}, createRequest(params))
  assert.equal(seen, ['reads', 'reads', 'edits'])
})

concerns('`methods` limits a tap to these methods, and GET includes HEAD', () => {
  const { all } = registry()
  const seen: string[] = []
  const { rest_pre_dispatch: hook } = all.hooks
  hook.tap({ name: 'reads', methods: 'GET' }, (early, _server, { method }) => (seen.push(method), early))
  for (const method of ['GET', 'HEAD', 'POST']) applyFilter(hook, null, {} as never, createRequest({}, [], method))
  assert.equal(seen, ['GET', 'HEAD'])
})

concerns('a tap with several filters runs only if all of them match', () => {
  const { prepare } = registry()
  let calls = 0
  prepare.tap(
    { name: 'both', context: 'edit', fields: 'price', methods: 'GET' },
    (response) => ((calls += 1), response),
  )
  void applyFilter(prepare, new RestResponse({}), {}, createRequest({ context: 'edit' }, ['id']))
  void applyFilter(prepare, new RestResponse({}), {}, createRequest({}, ['price']))
  void applyFilter(prepare, new RestResponse({}), {}, createRequest({ context: 'edit' }, ['price'], 'POST'))
  assert.is(calls, 0)
  void applyFilter(prepare, new RestResponse({}), {}, createRequest({ context: 'edit' }, ['price']))
  assert.is(calls, 1)
})

const advice = new Advisor(createLog('silent'), [], [])

concerns('a filter that the hook does not support is an error with plugin, hook and supported filters', async () => {
  const { all, text } = registry()
  const wrong = (hook: Filter<string>, options: object) =>
    failureOf(() =>
      new Owner('shop', undefined, false, advice).run(() => hook.tap({ name: 'shop', ...options }, (value) => value)),
    )
  const fields = await wrong(text as never, { fields: ['price'] })
  assert.is(fields.code, 'HOOK_FILTER_UNKNOWN')
  assert.match(fields.message, 'shop taps test_text with the filter "fields"')
  assert.match(fields.message, 'it supports types.')
  const none = await wrong(all.find('test_plain') as never, { types: 'post' })
  assert.match(none.message, 'it supports none.')
  const early = await wrong(all.hooks.rest_pre_dispatch as never, { context: 'edit' })
  assert.match(early.message, 'it supports methods.')
  assert.match(
    (await wrong(all.hooks.rest_prepare.for('post') as never, { types: 'a' })).message,
    'methods, fields, context',
  )
  assert.is(text.taps.length, 0)
})

concerns('isUsed counts only taps that match the given facts', () => {
  const { all, text, prepare } = registry()
  assert.not(isUsed(text))
  text.tap({ name: 'posts', types: 'post' }, (value) => value)
  assert.ok(isUsed(text) && isUsed(text, { type: 'post' }))
  assert.not(isUsed(text, { type: 'page' }))
  prepare.tap({ name: 'price', fields: 'price' }, (response) => response)
  assert.ok(isUsed(prepare, { request: createRequest({}, ['price']) }))
  assert.not(isUsed(prepare, { request: createRequest({}, ['id']) }))
  all.untap('rest_prepare_plant', 'price')
  assert.not(isUsed(prepare))
  prepare.intercept({ call: () => {} })
  assert.ok(isUsed(prepare, { request: createRequest({}, ['id']) }))
})

concerns('the tracing channel reports no taps that are not called', () => {
  const { text } = registry()
  text.tap({ name: 'posts', types: 'post' }, (value) => value)
  const seen: string[] = []
  const listener = (span: unknown) => void seen.push((span as TapSpan).tap)
  tracing.tap.start.subscribe(listener)
  void applyFilter(text, '', 'page')
  void applyFilter(text, '', 'post')
  tracing.tap.start.unsubscribe(listener)
  assert.equal(seen, ['posts'])
})

concerns('taps that do not match are also skipped if the hook has an interceptor', async () => {
  const { text } = registry()
  text.tap({ name: 'posts', types: 'post' }, (value) => `${value}!`)
  text.intercept({ call: () => {} })
  assert.is(await applyFilter(text, 'a', 'page'), 'a')
  assert.is(await applyFilter(text, 'a', 'post'), 'a!')
})

concerns('the facts of a run are computed once, regardless of the number of taps', async () => {
  const all = new HookRegistry('svc', { ...kernelHooks, ...resourceHooks })
  let typeCalls = 0
  const type = (_value: string, of: string) => {
    typeCalls += 1
    return of
  }
  const method = (_value: string, _type: string, by: string) => by
  all.declare('test_text', { ...filter('text', 'type', 'method'), about: { type, method } })
  const text = all.find('test_text') as Filter<string, [type: string, method: string], 'type' | 'method'>
  for (let tap = 0; tap < 20; tap += 1) text.tap({ name: `page ${tap}`, types: 'page' }, (value) => `${value}.`)
  text.tap({ name: 'writes', methods: ['POST'] }, (value) => `${value}!`)
  text.tap({ name: 'posts read', types: ['post'], methods: ['GET'] }, (value) => `${value}?`)
  text.tap('all', (value) => value.toUpperCase())
  const run = (of: string, by: string) => applyFilter(text, 'a', of, by)
  assert.is(await run('post', 'GET'), 'A?')
  assert.is(await run('post', 'HEAD'), 'A?')
  assert.is(await run('post', 'POST'), 'A!')
  assert.is(await run('page', 'POST'), `A${'.'.repeat(20)}!`)
  assert.is(await run('tree', 'GET'), 'A')
  assert.is(typeCalls, 5)
  // More types than the hook caches.
  for (let index = 0; index < 2000; index += 1) assert.is(await run(`type ${index}`, 'GET'), 'A')
  text.tap({ name: 'later', types: 'post' }, (value) => `${value}~`)
  assert.is(await run('post', 'GET'), 'A?~')
})

concerns.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { profileOf } from '../../../../plugins/operations/trace/profile.ts'
import type { Step, TracedRequest } from '../../../../plugins/operations/trace/record.ts'
import { RequestLog } from '../../../../plugins/operations/trace/request-log.ts'

const log = suite('request log of the trace')

function step(start: number, ms: number, facts: Partial<Step> = {}): Step {
  return { kind: 'tap', name: 'a', plugin: 'a', parent: -1, start, ms, ...facts }
}

function request(number: number, steps: Step[], ms = 100): TracedRequest {
  const text = steps.reduce((sum, { changed = [] }) => sum + changed.reduce((all, { path }) => all + path.length, 0), 0)
  return {
    number,
    id: '',
    at: 0,
    method: 'GET',
    url: '/',
    fromCache: false,
    route: '/r',
    path: null,
    status: 200,
    user: null,
    ms,
    error: null,
    steps,
    unlisted: 0,
    text,
  }
}

const numbers = (requestLog: RequestLog) => requestLog.all.map(({ number }) => number)

log('keeps the latest requests within the limits of requests and steps', () => {
  const requestLog = new RequestLog({ requests: 3, steps: 10, text: 1000 })
  for (let number = 1; number <= 5; number += 1) requestLog.add(request(number, [step(0, 1)]))
  assert.equal(numbers(requestLog), [3, 4, 5])
  requestLog.add(
    request(
      6,
      Array.from({ length: 9 }, () => step(0, 1)),
    ),
  )
  assert.equal(numbers(requestLog), [5, 6])
  assert.equal(requestLog.size, { requests: 2, steps: 10, text: 0 })
  assert.is(requestLog.find(6)?.number, 6)
  assert.is(requestLog.find(1), undefined)
})

log('drops the changes of the oldest requests first and counts them as unlisted', () => {
  const requestLog = new RequestLog({ requests: 10, steps: 100, text: 25 })
  const changing = () => step(0, 1, { changed: [{ path: '0123456789', before: null, after: null }] })
  for (let number = 1; number <= 4; number += 1) requestLog.add(request(number, [changing()]))
  assert.equal(
    requestLog.all.map(({ steps: [only] }) => [only!.changed?.length, only!.unlisted]),
    [
      [undefined, 1],
      [undefined, 1],
      [1, undefined],
      [1, undefined],
    ],
  )
  assert.is(requestLog.size.text, 20)
  requestLog.clear()
  requestLog.add(request(5, [changing()]))
  assert.equal(requestLog.size, { requests: 1, steps: 1, text: 10 })
})

log('drops changes of the remaining requests after the oldest requests are gone', () => {
  const requestLog = new RequestLog({ requests: 3, steps: 100, text: 25 })
  for (let number = 1; number <= 8; number += 1) {
    requestLog.add(request(number, [step(0, 1, { changed: [{ path: '0123456789', before: null, after: null }] })]))
    const texts = requestLog.all.map(({ text }) => text)
    assert.is(requestLog.size.text, Math.min(number, 2) * 10)
    assert.equal(texts.slice(-2), number === 1 ? [10] : [10, 10])
    assert.equal(texts.slice(0, -2), number < 3 ? [] : [0])
  }
})

log('omits nodes with a tiny share from the chart but counts them in their parent and plugin', () => {
  const steps = [step(0, 90, { name: 'long' }), step(90, 0.01, { name: 'short', plugin: 'b' }), step(95, 0)]
  const { all, plugins } = profileOf([request(1, steps)])
  assert.equal(
    all.parts.map(({ name }) => name),
    ['long'],
  )
  assert.equal(
    plugins.map(({ plugin, count }) => [plugin, count]),
    [
      ['a', 2],
      ['b', 1],
    ],
  )
})

log('computes the self time of a step with concurrent child steps', () => {
  const steps = [
    step(0, 80, { kind: 'hook', name: 'h', plugin: null }),
    step(0, 70, { parent: 0, name: 'one', plugin: 'one' }),
    // Concurrent, from 10 to 50.
    step(10, 30, { kind: 'sql', name: 'select', plugin: null, parent: 1 }),
    step(20, 30, { kind: 'sql', name: 'select', plugin: null, parent: 1 }),
    step(72, 8, { parent: 0, name: 'two', plugin: 'two' }),
  ]
  const { requests, all, plugins } = profileOf([request(1, steps), request(2, steps)])
  assert.equal([requests, all.count, all.total, all.self], [2, 2, 200, 40])
  const [hook] = all.parts
  assert.equal([hook!.name, hook!.count, hook!.total, hook!.self], ['h', 2, 160, 4])
  const [one, two] = hook!.parts
  assert.equal([one!.total, one!.self, two!.total, two!.self], [140, 60, 16, 16])
  assert.equal([one!.parts.length, one!.parts[0]!.count, one!.parts[0]!.total], [1, 4, 120])
  assert.equal(plugins, [
    { plugin: 'one', count: 2, total: 140, self: 60, statements: 4, sql: 120 },
    { plugin: 'two', count: 2, total: 16, self: 16, statements: 0, sql: 0 },
  ])
})

log('counts the time of a tap within a tap of the same plugin once', () => {
  const steps = [step(0, 50), step(10, 20, { parent: 0 })]
  const [time] = profileOf([request(1, steps)]).plugins
  assert.equal([time!.count, time!.total, time!.self], [2, 50, 50])
})

log.run()

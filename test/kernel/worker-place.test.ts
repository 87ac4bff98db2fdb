import { tmpdir } from 'node:os'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { completeConfig, createLog, startKernel } from '../../bin/config/index.ts'
import { partOfLimits } from '../../bin/config/worker-limits.ts'
import { definePlugin } from '../../kernel/index.ts'
import { shareOf } from '../../kernel/worker-place.ts'

const place = suite('worker place')

const { limits } = completeConfig({}, tmpdir())

place('divides limits of all requests, but no limits of a single request', () => {
  const { connections, atOnce, bodies, visitorBodies, responses, ...others } = partOfLimits(limits, {
    number: 1,
    count: 4,
  })
  assert.equal(
    { connections, atOnce, bodies, visitorBodies, responses },
    { connections: 2500, atOnce: 16, bodies: 134_217_728, visitorBodies: 16_777_216, responses: 67_108_864 },
  )
  for (const [key, value] of Object.entries(others)) assert.is(value, limits[key as keyof typeof limits], key)
  assert.is(partOfLimits(limits, { number: 1, count: 1 }), limits)
})

place('leaves room for the largest request, within the limits of the config', () => {
  const many = partOfLimits(limits, { number: 1, count: 64 })
  assert.equal([many.bodies, many.visitorBodies, many.responses], [limits.bodyLimit, 1_048_576, limits.response])
  const small = partOfLimits({ ...limits, bodies: 5000, connections: 2, atOnce: 1 }, { number: 1, count: 4 })
  assert.equal([small.bodies, small.connections, small.atOnce], [5000, 2, 1])
})

place('divides a limit exactly, except limits smaller than the number of workers', () => {
  const parts = (limit: number, count: number) =>
    Array.from({ length: count }, (_, index) => shareOf(limit, { number: index + 1, count }))
  assert.equal(parts(100, 3), [34, 33, 33])
  assert.equal(parts(7, 4), [2, 2, 2, 1])
  assert.equal(parts(4, 4), [1, 1, 1, 1])
  assert.equal(parts(2, 4), [1, 1, 1, 1])
  assert.equal(parts(0, 4), [0, 0, 0, 0])
  assert.equal(parts(5, 1), [5])
})

place('is passed to plugins with their share of the limits, and is one worker by default', async () => {
  const values: unknown[] = []
  const curious = definePlugin({
    name: 'curious',
    apply: ({ worker, config }) => void values.push(worker, config.limits.atOnce),
  })
  const config = completeConfig({}, tmpdir())
  const options = { config, defaults: [curious], log: createLog('silent') }
  for (const more of [{}, { worker: { number: 2, count: 4 } }]) {
    await using _kernel = await startKernel({ ...options, ...more })
  }
  assert.equal(values, [{ number: 1, count: 1 }, 64, { number: 2, count: 4 }, 16])
})

place('is part of each log line', () => {
  const lines: string[] = []
  createLog('info', { write: (line) => void lines.push(line) }, 3).info('here')
  const { worker, pid, msg } = JSON.parse(lines[0]!) as Record<string, unknown>
  assert.equal([worker, pid, msg], [3, process.pid, 'here'])
})

place.run()

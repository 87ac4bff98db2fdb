import { tmpdir } from 'node:os'
import { pino } from 'pino'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { completeConfig, startKernel } from '../../../bin/config/index.ts'
import { definePlugin, type Limits } from '../../../kernel/index.ts'
import { failureOf } from '../../kernel/failure.ts'

const former = suite('former names of limits')

const FORMER = { body: 2048, visitor_bodies: 30_000, at_once: 8, time: 5000, idle: 4000 }
const CURRENT = { bodyLimit: 2048, visitorBodies: 30_000, atOnce: 8, requestTimeout: 5000, connectionTimeout: 4000 }

/** Starts a kernel. Returns the limits that a plugin reads, and the logged warnings. */
async function started(limits: object, worker = { number: 1, count: 1 }) {
  const lines: { msg: string }[] = []
  let read: Limits | undefined
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line) as { msg: string }) })
  const reader = definePlugin({ name: 'reader', apply: ({ config }) => void (read = config.limits) })
  await using _kernel = await startKernel({
    config: completeConfig({ limits }, tmpdir()),
    defaults: [reader],
    log,
    worker,
  })
  return { limits: read!, warnings: lines.map(({ msg }) => msg) }
}

const valuesOf = (limits: Limits, names: object) =>
  Object.fromEntries(Object.keys(names).map((name) => [name, (limits as unknown as Record<string, unknown>)[name]]))

former('set the limits, and log one warning with the current name each', async () => {
  const { limits, warnings } = await started(FORMER)
  assert.equal(valuesOf(limits, CURRENT), CURRENT)
  const names = [
    'body bodyLimit',
    'visitor_bodies visitorBodies',
    'at_once atOnce',
    'time requestTimeout',
    'idle connectionTimeout',
  ]
  const expected = names.map((pair) => {
    const [old, current] = pair.split(' ')
    return `the config uses the key limits.${old}, which is now named limits.${current}. Rename it.`
  })
  assert.equal(warnings, expected)
})

former('are logged only by the first worker', async () => {
  const { limits, warnings } = await started(FORMER, { number: 2, count: 4 })
  assert.is(limits.bodyLimit, 2048)
  assert.equal(warnings, [])
})

former('can be read by plugins, but are not enumerable', async () => {
  const { limits, warnings } = await started(CURRENT)
  assert.equal(valuesOf(limits, FORMER), FORMER)
  assert.not.ok(Object.keys(FORMER).some((name) => Object.keys(limits).includes(name)))
  assert.equal(warnings, [])
  const part = await started(CURRENT, { number: 2, count: 4 })
  assert.equal(valuesOf(part.limits, FORMER), {
    ...FORMER,
    at_once: 2,
  })
})

const messageFor = async (limits: object, sources: Record<string, string> = {}) => {
  const error = await failureOf(() => completeConfig({ limits }, '/', {}, sources))
  assert.is(error.code, 'CONFIG_INVALID')
  return error.message
}

former('cannot be set together with current names', async () => {
  assert.is(
    await messageFor({ body: 2048, bodyLimit: 2048 }, { limits: '/site/svc.config.json' }),
    'The config value limits has both bodyLimit and its former name body (/site/svc.config.json). Remove body.',
  )
})

former('appear in errors about their values; errors about unknown names suggest a current name', async () => {
  assert.match(await messageFor({ time: 'long' }), 'has an invalid value at time: it must be integer')
  assert.match(
    await messageFor({ requestTimeout: 'long' }),
    'has an invalid value at requestTimeout: it must be integer',
  )
  assert.match(await messageFor({ bodylimit: 2048 }), 'has no entry bodylimit (did you mean bodyLimit?)')
  assert.match(await messageFor({ rooms: 1 }), 'has no entry rooms.')
})

former.run()

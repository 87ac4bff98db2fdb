import { connect, type Socket } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { currentWork, RestError, runDetached, runWork, Work, type RestRequest } from '../../kernel/index.ts'
import { stopClock } from '../helpers/clock.ts'
import { until } from '../helpers/until.ts'
import { bare, plugin, type Bare } from './bare.ts'

const work = suite('work of a request')

const LATE = new RestError('late', 'Too late.', { status: 503 })

work('stops at throwIfAborted, unless it has committed', () => {
  const idle = new Work()
  assert.is(idle.abort(LATE), true)
  assert.throws(
    () => idle.beginCommit(),
    (error: unknown) => error === LATE,
  )
  assert.equal([idle.committed, idle.signal.aborted], [false, true])
  const writing = new Work()
  const { signal } = writing
  writing.beginCommit()
  assert.is(writing.abort(LATE), false)
  writing.throwIfAborted()
  writing.beginCommit()
  assert.equal([writing.aborted, signal.aborted], [false, false])
})

work('continues while other requests wait for its result', () => {
  const shared = new Work()
  const [one, other] = [shared.share(), shared.share()]
  assert.is(shared.abort(LATE), true)
  one()
  one()
  assert.equal([shared.aborted, shared.isLeft], [false, true])
  other()
  assert.equal([shared.aborted, shared.signal.aborted], [true, true])
})

work('counts as uncommitted if its only commit has failed', () => {
  const whole = new Work()
  const [part, other] = [whole.part(), whole.part()]
  const takeBack = part.beginCommit()
  const { signal } = part
  assert.is(whole.abort(LATE), false)
  takeBack()
  takeBack()
  assert.equal([whole.committed, part.committed, signal.aborted, whole.aborted], [false, false, true, true])
  const done = new Work()
  done.beginCommit()
  done.beginCommit()()
  assert.equal([done.committed, other.committed], [true, false])
})

work('stops its parts without a commit, and no others', () => {
  const whole = new Work()
  const [done, open] = [whole.part(), whole.part()]
  done.beginCommit()
  assert.is(whole.abort(LATE), false)
  assert.equal([whole.committed, done.aborted, open.aborted, whole.part().aborted], [true, false, true, true])
})

work('is the current work in all code of the request, except detached code', async () => {
  const mine = new Work()
  await runWork(mine, async () => {
    await new Promise((resolve) => setImmediate(resolve))
    assert.is(currentWork(), mine)
    assert.is(runDetached(currentWork), undefined)
  })
  assert.is(currentWork(), undefined)
})

const TIME = 1000

/** A plugin whose handler runs `act`, which waits for `release` and logs its steps. */
function stepper(act: (request: RestRequest, steps: Steps) => Promise<unknown>) {
  const steps: Steps = { started: Promise.withResolvers(), release: Promise.withResolvers(), log: [], pages: 0 }
  const added = plugin('stepper', ({ hooks }) => {
    hooks.rest_api_init.tap('stepper', (server) => {
      const callback = (request: RestRequest) => act(request, steps)
      server.registerRoute('test/v1', 'step', { methods: 'GET, POST', callback, permission_callback: () => true })
    })
    hooks.site_request.tapPromise('stepper', async (page, request) => {
      if (request.path !== '/step') return page
      request.signal.addEventListener('abort', () => steps.log.push('aborted'))
      steps.started.resolve()
      steps.pages += 1
      await steps.release.promise
      return page
    })
  })
  return Object.assign(steps, { plugin: added })
}

interface Steps {
  started: PromiseWithResolvers<void>
  release: PromiseWithResolvers<void>
  log: string[]
  /** Number of page requests that have reached the plugin. */
  pages: number
}

const STEP = '/svc-json/test/v1/step'

/** A plugin whose handler commits before or after it waits. */
const writes = (when: 'before' | 'after') =>
  stepper(async (request, { started, release, log }) => {
    assert.is(currentWork(), request.work)
    request.signal.addEventListener('abort', () => log.push('aborted'))
    if (when === 'before') request.work.beginCommit()
    started.resolve()
    await release.promise
    if (when === 'after') {
      try {
        request.work.beginCommit()
        log.push('stored')
      } catch {
        log.push('refused')
      }
    }
    return 'done'
  })

/** Sends a request without waiting for the response. */
function sendRequest(site: Bare, target: string): Socket {
  const socket = connect(Number(new URL(site.home).port), '127.0.0.1')
  socket.on('error', () => {})
  socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`)
  return socket
}

work('ends with 503 only if nothing changes afterwards', async () => {
  using clock = stopClock('kernel/http', 'plugins/requests/limits')
  const slow = writes('after')
  await using site = await bare([slow.plugin], { limits: { requestTimeout: TIME } })
  const answer = site.raw(STEP)
  await slow.started.promise
  clock.advance(TIME)
  const { status, json, headers } = await answer
  assert.equal([status, json.code, headers['retry-after']], [503, 'rest_handler_timeout', '5'])
  slow.release.resolve()
  await until(() => slow.log.length === 2)
  assert.equal(slow.log, ['aborted', 'refused'])
})

work('ends with its real response after a commit, however late', async () => {
  using clock = stopClock('kernel/http', 'plugins/requests/limits')
  const slow = writes('before')
  await using site = await bare([slow.plugin], { limits: { requestTimeout: TIME } })
  const answer = site.raw(STEP)
  await slow.started.promise
  clock.advance(TIME)
  slow.release.resolve()
  assert.equal([(await answer).status, (await answer).json, slow.log], [200, 'done', []])
})

work('cuts the connection if it has committed and never ends', async () => {
  using clock = stopClock('kernel/http', 'plugins/requests/limits')
  const slow = writes('before')
  await using site = await bare([slow.plugin], { limits: { requestTimeout: TIME } })
  const answer = site.raw(STEP).then(
    () => 'answered',
    () => 'cut',
  )
  await slow.started.promise
  clock.advance(TIME)
  clock.advance(TIME)
  assert.is(await answer, 'cut')
  assert.ok(site.lines.some(({ msg }) => /after it had committed changes/.test(msg)))
  slow.release.resolve()
})

work('stops when its client has left', async () => {
  const slow = writes('after')
  await using site = await bare([slow.plugin])
  const socket = sendRequest(site, STEP)
  await slow.started.promise
  socket.destroy()
  await until(() => slow.log.includes('aborted'))
  slow.release.resolve()
  await until(() => slow.log.length === 2)
  assert.equal(slow.log, ['aborted', 'refused'])
  assert.not.ok(site.lines.some(({ level }) => level > 30))
})

work('applies the same time limit to pages, and aborts them when their client has left', async () => {
  using clock = stopClock('kernel/http', 'plugins/requests/limits')
  const slow = writes('after')
  await using site = await bare([slow.plugin], { limits: { requestTimeout: TIME } })
  const page = site.raw('/step')
  await slow.started.promise
  clock.advance(TIME)
  assert.equal([(await page).status, (await page).headers['retry-after']], [503, '5'])
  const leaving = sendRequest(site, '/step')
  await until(() => slow.pages === 2)
  leaving.destroy()
  await until(() => slow.log.length === 2)
  assert.equal(slow.log, ['aborted', 'aborted'])
  slow.release.resolve()
})

work.run()

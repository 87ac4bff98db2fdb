import { connect, type Socket } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isThenable } from '../../../../kernel/awaitable.ts'
import { RequestQueue } from '../../../../plugins/requests/limits/request-queue.ts'
import { until } from '../../../helpers/until.ts'
import { bare, plugin } from '../../../kernel/bare.ts'

const queue = suite('request queue')

/** Blocks the process. */
function work(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

/** A queue whose requests each take longer than a time slice, with the order in which they started. */
function createQueue() {
  const started: string[] = []
  const dropped: string[] = []
  const all = new RequestQueue(100)
  const enter = (network: string) => {
    const request = { isAborted: false }
    const turn = all.turn({ network, isGone: () => request.isAborted })
    const begin = (now: number | null) => {
      if (now === null) return void dropped.push(network)
      started.push(network)
      work(11)
    }
    if (isThenable(turn)) void turn.then(begin)
    else begin(turn)
    return request
  }
  return { started, dropped, enter, noteConnection: () => all.noteConnection() }
}

queue('lets networks take turns, however many requests one of them sends', async () => {
  const { started, enter } = createQueue()
  for (const network of ['greedy', 'greedy', 'greedy', 'greedy', 'modest', 'other']) enter(network)
  await until(() => started.length === 6)
  assert.equal(started, ['greedy', 'greedy', 'modest', 'other', 'greedy', 'greedy'])
})

queue('starts the newest of many waiting requests every second time', async () => {
  const started: number[] = []
  const all = new RequestQueue(1)
  const begin = (number: number) => {
    started.push(number)
    setImmediate(() => all.release('crowd'))
  }
  for (let number = 0; number < 100; number += 1) {
    const turn = all.turn({ network: 'crowd', isGone: () => false })
    if (isThenable(turn)) void turn.then(() => begin(number))
    else begin(number)
  }
  await until(() => started.length === 100)
  assert.equal(started.slice(0, 7), [0, 99, 1, 98, 2, 97, 3])
  assert.equal(
    started.slice(-40),
    Array.from({ length: 40 }, (_, index) => started.at(-40)! + index),
  )
})

queue('drops requests whose clients have left', async () => {
  const { started, dropped, enter } = createQueue()
  for (const request of Array.from({ length: 1000 }, () => enter('leaving'))) request.isAborted = true
  enter('staying')
  await until(() => started.includes('staying'))
  assert.equal([started.length, dropped.length], [2, 999])
})

queue('starts no request while connections arrive, so that immediate disconnects are noticed', async () => {
  const { started, enter, noteConnection } = createQueue()
  for (let count = 0; count < 5; count += 1) {
    noteConnection()
    const leaving = enter('leaving')
    await new Promise(setImmediate)
    leaving.isAborted = true
  }
  noteConnection()
  enter('staying')
  await until(() => started.length > 0)
  assert.equal(started, ['staying'])
})

queue('S41: does not run the requests of clients that disconnect immediately', async () => {
  const CLIENTS = 300
  let started = 0
  const costly = plugin('costly', ({ hooks }) => {
    hooks.rest_api_init.tap('costly', (server) => {
      const callback = async () => {
        started += 1
        work(20)
        return 'done'
      }
      server.registerRoute('test/v1', 'costly', { callback, permission_callback: () => true })
    })
  })
  await using site = await bare([costly])
  const port = Number(new URL(site.home).port)
  const line = (path: string) => `GET /svc-json/${path} HTTP/1.1\r\nHost: x\r\n\r\n`
  const sockets = await Promise.all(
    Array.from({ length: CLIENTS }, () => {
      return new Promise<Socket>((resolve) => {
        const socket = connect(port, '127.0.0.1').on('error', () => {})
        socket.once('data', () => resolve(socket))
        socket.write(line('nothing'))
      })
    }),
  )
  for (const socket of sockets) {
    socket.write(line('test/v1/costly'))
    socket.destroy()
  }
  assert.is((await site.raw('/svc-json/test/v1/costly')).status, 200)
  assert.ok(started < CLIENTS / 2, `${started} of ${CLIENTS} requests were started for disconnected clients`)
})

queue('closes a connection with too many pipelined requests', async () => {
  const hanging = plugin('hanging', ({ hooks }) => {
    hooks.rest_api_init.tap('hanging', (server) => {
      const callback = () => new Promise(() => {})
      server.registerRoute('test/v1', 'hang', { callback, permission_callback: () => true })
    })
  })
  await using site = await bare([hanging], { limits: { requestTimeout: 500 } })
  const socket = connect(Number(new URL(site.home).port), '127.0.0.1').on('error', () => {})
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.resume().write('GET /svc-json/test/v1/hang HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(5000))
  await closed
  assert.is((await site.raw('/svc-json')).status, 404)
})

queue.run()

import { connect, type Socket } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isThenable } from '../../../../kernel/awaitable.ts'
import { RequestQueue } from '../../../../plugins/requests/limits/request-queue.ts'
import { until } from '../../../helpers/until.ts'
import { bare, plugin } from '../../../kernel/bare.ts'

const queue = suite('request queue')

/** Keeps the process busy. */
function work(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

/** Requests that each take longer than a turn, and in which order they began. */
function made() {
  const begun: string[] = []
  const dropped: string[] = []
  const all = new RequestQueue(100)
  const enter = (network: string) => {
    const asked = { isGone: false }
    const turn = all.turn({ network, isGone: () => asked.isGone })
    const begin = (now: number | null) => {
      if (now === null) return void dropped.push(network)
      begun.push(network)
      work(11)
    }
    if (isThenable(turn)) void turn.then(begin)
    else begin(turn)
    return asked
  }
  return { begun, dropped, enter, hear: () => all.noteConnection() }
}

queue('let networks begin one after the other, however much one of them asks', async () => {
  const { begun, enter } = made()
  for (const network of ['greedy', 'greedy', 'greedy', 'greedy', 'modest', 'other']) enter(network)
  await until(() => begun.length === 6)
  assert.equal(begun, ['greedy', 'greedy', 'modest', 'other', 'greedy', 'greedy'])
})

queue('let every second one of a crowd be the newest', async () => {
  const begun: number[] = []
  const all = new RequestQueue(1)
  const begin = (number: number) => {
    begun.push(number)
    setImmediate(() => all.release('crowd'))
  }
  for (let number = 0; number < 100; number += 1) {
    const turn = all.turn({ network: 'crowd', isGone: () => false })
    if (isThenable(turn)) void turn.then(() => begin(number))
    else begin(number)
  }
  await until(() => begun.length === 100)
  assert.equal(begun.slice(0, 7), [0, 99, 1, 98, 2, 97, 3])
  assert.equal(
    begun.slice(-40),
    Array.from({ length: 40 }, (_, index) => begun.at(-40)! + index),
  )
})

queue('never begin what nobody waits for any more, and end it', async () => {
  const { begun, dropped, enter } = made()
  for (const asked of Array.from({ length: 1000 }, () => enter('leaving'))) asked.isGone = true
  enter('staying')
  await until(() => begun.includes('staying'))
  assert.equal([begun.length, dropped.length], [2, 999])
})

queue('let nothing begin while connections come in, so that who leaves at once is heard', async () => {
  const { begun, enter, hear } = made()
  for (let count = 0; count < 5; count += 1) {
    hear()
    const leaving = enter('leaving')
    await new Promise(setImmediate)
    leaving.isGone = true
  }
  hear()
  enter('staying')
  await until(() => begun.length > 0)
  assert.equal(begun, ['staying'])
})

queue('S41: clients that leave at once do not keep the next one waiting', async () => {
  const CLIENTS = 300
  let begun = 0
  const costly = plugin('costly', ({ hooks }) => {
    hooks.rest_api_init.tap('costly', (server) => {
      const callback = async () => {
        begun += 1
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
  assert.ok(begun < CLIENTS / 2, `${begun} of ${CLIENTS} requests were begun for clients that had left`)
})

queue('one connection does not make the server work on any number of requests', async () => {
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

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { receive } from '../../../helpers/receiver.ts'
import { databases } from '../../../helpers/site-with-users.ts'
import { until } from '../../../helpers/until.ts'
import { connectToEach, runWorkers } from '../../../helpers/workers.ts'
import { BASE, QUICK } from './hooks.ts'
import { runKilled } from '../../../webhooks-killed/run.ts'

for (const { name, place: make } of databases) {
  const processes = suite(`webhooks of several processes on ${name}`)

  processes('send each change once if no process dies, no matter which process committed it', async () => {
    await using place = await make()
    await using receiver = await receive()
    await using running = await runWorkers(place.url, { plugins: { webhooks: QUICK } })
    using clients = await connectToEach(running.home)
    const [first, second] = clients
    await first!.send('POST', BASE, { url: receiver.url, kinds: ['post'] })
    const ids: number[] = []
    for (let round = 0; round < 6; round += 1) {
      for (const client of [second, first]) {
        const { body } = await client!.send('POST', '/svc/v2/posts', { title: `Post ${round}`, status: 'publish' })
        ids.push(body.id as number)
      }
    }
    await until(() => ids.every((id) => receiver.messages.some(({ data }) => data.object === id)))
    await until(async () => {
      const { body } = await first!.send('GET', `${BASE}/1/deliveries?state=done&per_page=100`)
      return body.length === receiver.messages.length
    })
    assert.is(new Set(receiver.messages.map(({ id }) => id)).size, receiver.messages.length)
    assert.is(receiver.messages.length, ids.length)
  })

  processes(
    'that are killed at random send each committed change in order, and no change that was rolled back',
    async () => {
      await using place = await make()
      const { faults, kills, changes } = await runKilled(place.url, {
        changes: 200,
        changesPerTransaction: 10,
        kills: 2,
        between: 300,
      })
      assert.equal(faults, [])
      assert.ok(kills >= 2 && changes >= 200)
    },
  )

  processes.run()
}

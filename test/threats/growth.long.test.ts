import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { growthFailures } from '../helpers/growth-shapes.ts'

const growth = suite('growth')

growth('S29: all work on texts of others takes time in proportion to their length', async () => {
  assert.equal((await growthFailures({ seed: 8, rounds: 20 })).failures, [])
})

growth('sees work that takes more', async () => {
  const works = {
    trim: (text: string) => text.replace(/[ .]+$/, ''),
    marks: (text: string) => text.normalize('NFC'),
  }
  const { failures } = await growthFailures({ seed: 8, rounds: 0, size: 1024, unseen: 0.2, works })
  for (const name of Object.keys(works))
    assert.ok(
      failures.some((failure) => failure.startsWith(`${name},`)),
      name,
    )
})

growth.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { growthFailures } from './growth-shapes.ts'

const growth = suite('growth')

growth('all work on texts of others takes time in proportion to their length', async () => {
  assert.equal((await growthFailures({ seed: 8, rounds: 40 })).failures, [])
})

growth('sees work that takes more', async () => {
  const works = {
    trim: (text: string) => text.replace(/[ .]+$/, ''),
    pairs: (text: string) => {
      const open: string[] = []
      for (const [tag] of text.matchAll(/<\/?\w+>/g)) {
        if (!tag.startsWith('</')) open.push(tag.slice(1))
        else if (open.lastIndexOf(tag.slice(2)) >= 0) open.length = open.lastIndexOf(tag.slice(2))
      }
    },
    marks: (text: string) => text.normalize('NFC'),
  }
  const { failures } = await growthFailures({ seed: 8, rounds: 400, works })
  for (const name of Object.keys(works)) assert.ok(failures.some((failure) => failure.startsWith(`${name},`)), name)
})

growth.run()

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LineIndex } from '../../../../../plugins/operations/importer/live/line-index.ts'
import { SpooledCollection } from '../../../../../plugins/operations/importer/live/spool.ts'

const index = suite('index of spooled objects')

index('reads the objects of a group in their order, from small pages and from pages that are not kept', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'spool-'))
  try {
    const spooled = await SpooledCollection.open(folder)
    const large = 'ü'.repeat(5 * 1024 * 1024)
    const pages = [
      [comment(1, 7, 'Grüße'), comment(2, 9, 'second')],
      [comment(3, 7, large), comment(4, 0, 'of no post'), comment(5, 9, 'after it')],
      [],
      [comment(6, 7, 'last\nline')],
    ]
    for (const [at, page] of pages.entries()) await spooled.add(page, { offset: at, lastId: at, count: at })
    const found = await LineIndex.build(spooled, 'post')
    assert.equal([...found.groups()], [7, 9])
    for (const _again of [1, 2]) {
      assert.equal(await found.read(7), [pages[0]![0], pages[1]![0], pages[3]![0]])
      assert.equal(await found.read(9), [pages[0]![1], pages[1]![2]])
      assert.equal(await found.read(8), [])
    }
  } finally {
    await rm(folder, { recursive: true })
  }
})

function comment(id: number, post: number, content: string) {
  return { id, post, content }
}

index.run()

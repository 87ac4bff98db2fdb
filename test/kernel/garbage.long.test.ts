import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const garbage = suite('memory of a request')

garbage('is freed by minor garbage collections', async () => {
  const script = join(import.meta.dirname, '../fixtures/young-objects.ts')
  const flags = ['--expose-gc', '--handle-weak-ref-weakly-in-minor-gc']
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, script])
  const kinds = JSON.parse(stdout) as { kind: string; created: number; retained: number }[]
  assert.equal(
    kinds.map(({ kind, created }) => [kind, created]),
    [
      ['without', 30],
      ['with a body', 30],
    ],
  )
  // Each connection holds its latest response until the next request.
  for (const { kind, retained } of kinds)
    assert.ok(retained <= 5, `${retained} of 30 requests ${kind} are still in memory`)
})

garbage.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { keepHeapSmall } from '../../bin/commands/memory.ts'

const memory = suite('memory of the server')

/** The flags that V8 is given. */
function flagsBeside(...commandLine: string[]): string[] {
  const flags: string[] = []
  keepHeapSmall(commandLine, (flag) => void flags.push(flag))
  return flags
}

memory('lets the heap outgrow what is alive by half', () => {
  assert.equal(flagsBeside('--max-old-space-size=200'), ['--heap-growing-percent=50'])
})

memory('keeps to what the command line says', () => {
  assert.equal(flagsBeside('--heap-growing-percent=200'), [])
  assert.equal(flagsBeside('--heap_growing_percent=200'), [])
})

memory.run()

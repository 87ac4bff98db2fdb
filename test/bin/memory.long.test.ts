import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { keepHeapSmall, memoryEnvironment } from '../../bin/commands/memory.ts'

const memory = suite('memory of the server')

/** Returns the flags that are set, next to those of a command line. */
function addedFlags(...commandLine: string[]): string[] {
  const flags: string[] = []
  keepHeapSmall(commandLine, (flag) => void flags.push(flag))
  return flags
}

memory('lets the heap grow to half more than the live objects, and fixes the space for new objects', () => {
  assert.equal(addedFlags('--max-old-space-size=200'), ['--heap-growing-percent=50', '--semi-space-growth-factor=1'])
})

memory('does not override flags of the command line', () => {
  for (const growth of ['--heap-growing-percent=200', '--heap_growing_percent=200']) {
    assert.equal(addedFlags(growth, '--max-semi-space-size=32'), [])
    assert.equal(addedFlags(growth, '--semi_space_growth_factor=3'), [])
  }
})

memory('makes glibc return freed memory in workers, unless the environment of the primary sets another value', () => {
  assert.equal(memoryEnvironment({}), { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '262144' })
  assert.equal(memoryEnvironment({ MALLOC_ARENA_MAX: '8', PATH: '/bin' }), { MALLOC_MMAP_THRESHOLD_: '262144' })
})

memory.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { EXAMPLES } from './pages.ts'
import { runShellBlocks, SHELL_GUIDES } from './shell-blocks.ts'

await runShellBlocks(/[n-z]/)

const expectations = suite('expected output of shell commands')

expectations('is only given for pages with examples', () => {
  const unused = [...EXAMPLES.keys()].filter((page) => !SHELL_GUIDES.includes(page))
  assert.equal(unused, [])
})

expectations.run()

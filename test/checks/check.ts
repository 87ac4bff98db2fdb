// npm run check: runs the checks of package.json (`check:…`), as many at a time as there are cores, and prints the
// output of each when it ends. A failed check does not stop the others. `check:editor` runs separately.
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { text } from 'node:stream/consumers'
import { styleText } from 'node:util'

/** Starts first, because it takes longest. */
const FIRST = 'check:package'
const SEPARATE = 'check:editor'

const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: Record<string, string> }
const checks = Object.keys(scripts).filter((name) => name.startsWith('check:') && name !== SEPARATE)
const queue = checks.toSorted((one, other) => Number(other === FIRST) - Number(one === FIRST))
await Promise.all(Array.from({ length: availableParallelism() }, runFromQueue))

async function runFromQueue(): Promise<void> {
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    const started = performance.now()
    // One stream for both, so that the lines stay in order.
    const child = spawn(`npm run --silent ${name} 2>&1`, { shell: true, stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
    const output = await text(child.stdout)
    const failed = (await ended) !== 0
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(
      styleText(failed ? 'red' : 'green', `${name} ${failed ? 'failed' : 'passed'}`),
      `${seconds} s\n${output}`,
    )
    if (failed) process.exitCode = 1
  }
}

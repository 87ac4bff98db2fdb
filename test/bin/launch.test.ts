import { chmod, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { run } from '../helpers/svc-serve.ts'

const launch = suite('what a start keeps for the next')
const NAME = `svc-rest-${process.getuid?.()}`

/** Starts a command that ends at once, where temporary files lie in the folder given. */
async function start(folder: string, env: Record<string, string> = {}): Promise<void> {
  await using running = await run(['--help'], {}, { TMPDIR: folder, NODE_COMPILE_CACHE: '', ...env })
  assert.is((await running.end()).code, 0)
}

async function inFolder(act: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'launch-'))
  try {
    await act(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

launch('is in a folder that nobody else can write to or read', () =>
  inFolder(async (folder) => {
    await start(folder)
    assert.is((await stat(join(folder, NAME))).mode & 0o777, 0o700)
    assert.ok((await readdir(join(folder, NAME))).length > 0)
  }),
)

launch('is left out where others can write to the folder', () =>
  inFolder(async (folder) => {
    await mkdir(join(folder, NAME))
    await chmod(join(folder, NAME), 0o777)
    await start(folder)
    assert.equal(await readdir(join(folder, NAME)), [])
  }),
)

launch('is where NODE_COMPILE_CACHE says', () =>
  inFolder(async (folder) => {
    await start(folder, { NODE_COMPILE_CACHE: join(folder, 'elsewhere') })
    assert.equal(await readdir(folder), ['elsewhere'])
  }),
)

launch.run()

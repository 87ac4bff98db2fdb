import { spawnSync } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { run } from '../helpers/svc-serve.ts'

const BIN = resolve(import.meta.dirname, '../../bin')
const launch = suite('the compile cache of commands')
const onOldNode = suite('a command on an old Node')
const NAME = `svc-rest-${process.getuid?.()}`

/** Starts a command that ends immediately, with `folder` as the folder of temporary files. */
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

launch('is in a folder that no other user can read or write', () =>
  inFolder(async (folder) => {
    await start(folder)
    assert.is((await stat(join(folder, NAME))).mode & 0o777, 0o700)
    assert.ok((await readdir(join(folder, NAME))).length > 0)
  }),
)

launch('is not used if other users can write to the folder', () =>
  inFolder(async (folder) => {
    await mkdir(join(folder, NAME))
    await chmod(join(folder, NAME), 0o777)
    await start(folder)
    assert.equal(await readdir(join(folder, NAME)), [])
  }),
)

launch('is in the folder of NODE_COMPILE_CACHE', () =>
  inFolder(async (folder) => {
    await start(folder, { NODE_COMPILE_CACHE: join(folder, 'elsewhere') })
    assert.equal(await readdir(folder), ['elsewhere'])
  }),
)

onOldNode('prints how to get a newer Node if the node package is not installed', () =>
  inFolder(async (folder) => {
    const bin = join(folder, 'bin')
    for (const file of ['launch.js', 'package.json', 'svc']) await cp(join(BIN, file), join(bin, file))
    const old = 'data:text/javascript,Object.defineProperty(process, "version", { value: "v22.1.0" })'
    const complaint = () => {
      const { status, stderr } = spawnSync(process.execPath, ['--import', old, join(bin, 'svc')], { encoding: 'utf8' })
      assert.is(status, 1)
      return stderr
    }
    const needed = 'svc needs Node 24.7 or newer; this is v22.1.0.\n'
    assert.is(
      complaint(),
      `${needed}Install it from https://nodejs.org, or add it to your site: npm install --save-dev node@26\n`,
    )
    await mkdir(join(bin, 'commands'))
    await writeFile(join(bin, 'commands', 'serve.ts'), '')
    assert.is(complaint(), `${needed}Run "npm ci" in ${await realpath(folder)}: it installs a newer Node there.\n`)
  }),
)

launch.run()
onOldNode.run()

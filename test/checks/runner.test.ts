import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { stripVTControlCharacters } from 'node:util'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const runner = suite('npm test')
const root = resolve(import.meta.dirname, '../..')

const header = `import { suite } from 'uvu'
import * as assert from 'uvu/assert'
`
const passing = (name: string) => `${header}
const one = suite('${name}')
one('passes', () => assert.ok(true))
one.run()
`
const failing = `${header}
const two = suite('two')
two('adds', () => assert.is(1 + 1, 2))
two('does not add', () => {
  assert.is(1 + 1, 3)
})
two.run()
`
const skipping = `${header}import { skipIn } from '${root}/test/helpers/skip.ts'
const three = suite('three')
skipIn(three, 'there is no moon')('shines', () => {})
three.run()
`

/** Runs `npm test` in a folder with these test files. */
async function run(files: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'runner-'))
  try {
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, 'test', name)), { recursive: true })
      await writeFile(join(folder, 'test', name), content)
    }
    const env = { ...process.env, SVC_TEST_POSTGRES: '' }
    const child = spawn(process.execPath, [join(root, 'test/checks/tests.ts'), ...args], { cwd: folder, env })
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    return { code: Number(code), out: stripVTControlCharacters(out), err: stripVTControlCharacters(err) }
  } finally {
    await rm(folder, { recursive: true })
  }
}

runner('prints failures again at the end, with file and line, and the totals', async () => {
  const { code, out } = await run({ 'a/one.test.ts': passing('one'), 'two.test.ts': failing })
  assert.is(code, 1)
  const [, summary = ''] = out.split('Failures:')
  assert.match(summary, /test\/two\.test\.ts:7\n +FAIL +two +"does not add"\n +Expected values to be strictly equal/)
  assert.match(summary, /Total: +3\n +Passed: +2\n +Skipped: +0\n +Duration: /)
  assert.not.match(summary, /one\.test/)
})

runner('lists skipped tests with the reason, and exits with 0', async () => {
  const { code, out } = await run({ 'one.test.ts': passing('one'), 'three.test.ts': skipping })
  assert.is(code, 0, out)
  assert.match(out, /Skipped, because there is no moon:\n\n +- three\.test\.ts {2}shines\n/)
  assert.match(out, /Total: +1\n +Passed: +1\n +Skipped: +1\n/)
})

runner('runs long files only with --long, --all or a matching path', async () => {
  const files = { 'one.test.ts': passing('one'), 'slow.long.test.ts': passing('slow') }
  const namesOfRun = async (...args: readonly string[]) => {
    const { out } = await run(files, ...args)
    const names = [...out.matchAll(/^\d+\/\d+ (\S+)\.test\.ts/gm)].map(([, name = '']) => name)
    return names.toSorted((one, other) => one.localeCompare(other))
  }
  assert.equal(await namesOfRun(), ['one'])
  assert.equal(await namesOfRun('--long'), ['slow.long'])
  assert.equal(await namesOfRun('--all'), ['one', 'slow.long'])
  assert.equal(await namesOfRun('slow'), ['slow.long'])
})

runner('fails for a file without a suite, a file that cannot be loaded, and a file whose process exits', async () => {
  const { code, out } = await run({
    'empty.test.ts': 'export {}',
    'unloadable.test.ts': "import './nothing.ts'",
    'ending.test.ts': `${header}suite('ending')\nprocess.exit(3)`,
  })
  assert.is(code, 1)
  const [, summary = ''] = out.split('Failures:')
  assert.match(summary, /test\/empty\.test\.ts\n[^]*This file runs no suite/)
  assert.match(summary, /test\/unloadable\.test\.ts\n[^]*Cannot find module/)
  assert.match(summary, /test\/ending\.test\.ts\n[^]*ended with code 3/)
})

runner('requires a database for --postgres, and an existing path', async () => {
  const postgres = await run({ 'one.test.ts': passing('one') }, '--postgres')
  assert.is(postgres.code, 1)
  assert.match(postgres.err, 'Set SVC_TEST_POSTGRES to the URL of a database')
  const path = await run({ 'one.test.ts': passing('one') }, 'nowhere')
  assert.is(path.code, 1)
  assert.match(path.err, 'No test file has nowhere in its path.')
})

runner.run()

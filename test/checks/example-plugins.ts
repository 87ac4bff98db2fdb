import assert from 'node:assert/strict'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from './server.ts'

/** Example plugins of the docs. */
const PLUGINS = [
  'digest',
  'events',
  'garden-admin',
  'guestbook',
  'jwt',
  'page',
  'places-search',
  'rate-limit',
  'response-header',
  'title-search',
  'webhook',
]
/** Maximum number of lines of an example. */
const MAX_LINES = 60

/**
 * Compiles the example plugins in an installed package, and runs their tests.
 * @param folder folder in which the package is installed
 * @param tsconfig compiler options without files
 */
export async function checkExamplePlugins(folder: string, tsconfig: { compilerOptions: object }): Promise<void> {
  const from = join(folder, 'node_modules/svc-rest/docs/examples')
  const examples = join(folder, 'examples')
  await mkdir(examples)
  await cp(from, examples, { recursive: true })
  const files = await readdir(examples)
  for (const plugin of PLUGINS) {
    assert.ok(files.includes(`${plugin}.ts`), `the package has the example ${plugin}`)
    const lines = (await readFile(join(examples, `${plugin}.ts`), 'utf8')).split('\n').length - 1
    assert.ok(lines <= MAX_LINES, `${plugin}.ts has ${lines} lines`)
  }
  const { compilerOptions } = tsconfig
  await writeFile(join(examples, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  await run(process.execPath, [join(folder, 'node_modules/typescript/bin/tsc'), '-p', examples], folder)
  const tests = files.filter((file) => file.endsWith('.test.ts'))
  assert.ok(tests.length >= PLUGINS.length - 1, `${tests.length} tests`)
  await run(process.execPath, ['--test', '--test-timeout=60000', ...tests], examples)
}

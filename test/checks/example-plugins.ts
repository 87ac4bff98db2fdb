import assert from 'node:assert/strict'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from './server.ts'

/** The plugins that the docs show: what authors of a content site write first. */
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
/** Lines that each may have. */
const MOST_LINES = 60

/**
 * Compiles the example plugins of an installed package, as it carries them, and runs their tests.
 * @param folder where the package is installed
 * @param tsconfig for them, without its files
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
    assert.ok(lines <= MOST_LINES, `${plugin}.ts has ${lines} lines`)
  }
  const { compilerOptions } = tsconfig
  await writeFile(join(examples, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  await run(process.execPath, [join(folder, 'node_modules/typescript/bin/tsc'), '-p', examples], folder)
  const tests = files.filter((file) => file.endsWith('.test.ts'))
  assert.ok(tests.length >= PLUGINS.length - 1, `${tests.length} tests`)
  await run(process.execPath, ['--test', '--test-timeout=60000', ...tests], examples)
}

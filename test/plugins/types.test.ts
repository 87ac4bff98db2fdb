import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { exportsOf, openProject, unexportedTypes } from '../checks/mentioned-types.ts'

const types = suite('types of the package')
const root = resolve(import.meta.dirname, '../..')
const entry = join(root, 'plugins/public.ts')
const project = openProject(join(root, 'tsconfig.json'))
/** Types that plugins receive; plugin authors need names for all types that these mention. */
const SURFACE = ['Hooks', 'Services', 'PluginContext']

types('are exported from svc-rest if a hook, a service or the context of a plugin mentions them', () => {
  assert.equal(unexportedTypes(project, entry, root, SURFACE), [])
})

types('of plugins are reported if they are not exported, including types that others mention', () => {
  const missing = unexportedTypes(project, join(root, 'kernel/index.ts'), root, SURFACE)
  for (const name of ['PostService', 'ReadScope']) {
    assert.ok(
      missing.some((one) => one.includes(`.ts: ${name}, mentioned by `)),
      missing.join('\n'),
    )
  }
  assert.not.ok(missing.some((one) => one.startsWith('kernel/')))
})

types('have the names that plugin authors expect', () => {
  const names = new Set(exportsOf(project, entry).map(({ name }) => name))
  const expected = [
    'Post',
    'PostQuery',
    'Term',
    'TermQuery',
    'Comment',
    'User',
    'CurrentUser',
    'Taxonomy',
    'ContentType',
  ]
  assert.equal(
    expected.filter((name) => !names.has(name)),
    [],
  )
})

types('that the kernel declares come before declarations of plugins', async () => {
  const files = globSync('kernel/**/*.ts', { cwd: root })
  const texts = await Promise.all(files.map(async (file) => [file, await readFile(join(root, file), 'utf8')] as const))
  const merging = texts.flatMap(([file, text]) => (/^declare module /m.test(text) ? [file.replaceAll('\\', '/')] : []))
  const surface = await readFile(join(root, 'kernel/index.ts'), 'utf8')
  const listed = [...surface.matchAll(/^export type \{\} from '\.\/(.*)'$/gm)].map(([, file]) => `kernel/${file}`)
  assert.equal(listed, merging.toSorted())
})

types.after(() => project[Symbol.dispose]())

types.run()

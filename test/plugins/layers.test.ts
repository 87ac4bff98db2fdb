import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const layers = suite('layers')

/** The rooms of the plugins, the lowest first. */
const ROOMS = [
  'library',
  'requests',
  'resources',
  'storage',
  'people',
  'foundation',
  'content',
  'rendering',
  'design',
  'responses',
  'operations',
  'site',
  'compat',
]

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PLUGINS = join(ROOT, 'plugins')

interface Import {
  readonly file: string
  readonly imported: string
}

const importsOf = (file: string): Import[] =>
  [...readFileSync(join(PLUGINS, file), 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(
    ([, specifier]) => ({
      file,
      imported: relative(PLUGINS, join(PLUGINS, dirname(file), specifier!)),
    }),
  )

const files = globSync('*/**/*.ts', { cwd: PLUGINS, exclude: ['**/assets/**'] })
/** The imports of plugins' files that stay among the rooms. */
const imports = files.flatMap(importsOf).filter(({ imported }) => !imported.startsWith('..'))

const roomOf = (file: string) => file.split('/')[0]!
const heightOf = (room: string) => ROOMS.indexOf(room)
/** The folder or file of a room that a plugin is in. */
const placeOf = (file: string) => file.split('/').slice(0, 2).join('/')

layers('name every room once', () => {
  assert.equal(ROOMS.toSorted(), [...new Set(files.map(roomOf))].toSorted())
  assert.ok(imports.length > 500, 'imports are found')
})

layers('import only from rooms below', () => {
  const up = imports.filter(({ file, imported }) => heightOf(roomOf(imported)) > heightOf(roomOf(file)))
  assert.equal(up, [])
})

layers('import other plugins only through their index.ts', () => {
  const inside = imports.filter(({ file, imported }) => {
    if (placeOf(file) === placeOf(imported)) return false
    const [room, ...path] = imported.split('/')
    if (room === 'resources' || room === 'caching') return roomOf(file) !== room && path.join() !== 'index.ts'
    // A file in the room itself is a plugin, or belongs to several of them.
    return path.length > 1 && path.slice(1).join() !== 'index.ts'
  })
  assert.equal(inside, [])
})

layers('let plugins of compat import only the public API and their own files', () => {
  const inside = imports.filter(({ file, imported }) => {
    if (roomOf(file) !== 'compat' || imported === 'public.ts') return false
    const isShared = /^compat\/[\w-]+\.ts$/.test(imported)
    return !isShared && (placeOf(imported) !== placeOf(file) || file === 'compat/index.ts')
  })
  assert.equal(
    inside.filter(({ file, imported }) => file !== 'compat/index.ts' || !/^compat\/[\w-]+\/index\.ts$/.test(imported)),
    [],
  )
})

layers('are drawn in the architecture', () => {
  const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8')
  const drawn = [...page.matchAll(/^\| `plugins\/([\w-]+)\/` \|/gm)].map(([, room]) => room)
  assert.equal(drawn, ROOMS)
})

layers.run()

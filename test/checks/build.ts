// npm run build: compiles what the package carries into dist/. Its types for plugin authors, dist/index.d.ts, are those of
// plugins/public.ts plus every declaration file in which the kernel or a default plugin merges hooks or services into them:
// no import leads to all of these.
import { cp, glob, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { billOfMaterials } from './sbom.ts'
import { run } from './server.ts'

const root = resolve(import.meta.dirname, '../..')
const dist = join(root, 'dist')

await rm(dist, { recursive: true, force: true })
await run(join(root, 'node_modules', '.bin', 'tsc'), ['-p', 'tsconfig.build.json'], root)

// Scripts and styles of pages, the default theme, and the catalogs of translations.
const asTheyAre = [
  'plugins/**/assets/*.{js,css}',
  'plugins/design/themes/default/**/*.{json,html,css}',
  'plugins/foundation/translations/catalogs/*.json',
  'plugins/site/editor/install/*',
]
for (const file of await Array.fromAsync(glob(asTheyAre, { cwd: root }))) {
  await cp(join(root, file), join(dist, file))
}

const lines = ["export * from './plugins/public.js'"]
for (const file of (await Array.fromAsync(glob('{kernel,plugins}/**/*.d.ts', { cwd: dist }))).sort()) {
  const merges = /^declare module /m.test(await readFile(join(dist, file), 'utf8'))
  if (merges) lines.push(`export type {} from './${file.replaceAll('\\', '/').replace(/\.d\.ts$/, '.js')}'`)
}
await writeFile(join(dist, 'index.d.ts'), `${lines.join('\n')}\n`)

// What is installed with the package, for those who have to know.
await writeFile(join(dist, 'sbom.cdx.json'), `${JSON.stringify(await billOfMaterials(), null, 2)}\n`)

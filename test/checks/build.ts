// npm run build: compiles the package into dist/. dist/index.d.ts, the types for plugin authors, exports
// plugins/public.ts and imports every declaration file in which the kernel or a default plugin merges hooks or
// services, because plugins/public.ts does not import all of these files.
import { cp, glob, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { BUNDLE_FOLDER, bundleAssets, bundleLibraries } from './bundle.ts'
import { billOfMaterials } from './sbom.ts'
import { run } from './server.ts'

const root = resolve(import.meta.dirname, '../..')
const dist = join(root, 'dist')

await rm(dist, { recursive: true, force: true })
await run(join(root, 'node_modules', '.bin', 'tsc'), ['-p', 'tsconfig.build.json'], root)

// Scripts and styles of pages, the built-in themes, and the catalogs of translations.
const copiedFiles = [
  'plugins/**/assets/**/*.{js,css,svg,txt}',
  'plugins/design/themes/*/**/*.{json,html,css,svg,webp}',
  'plugins/foundation/translations/catalogs/*.json',
  'plugins/site/editor/install/*',
]
for (const file of await Array.fromAsync(glob(copiedFiles, { cwd: root }))) {
  await cp(join(root, file), join(dist, file))
}

// Scripts and styles of the admin, and their libraries, which the package does not depend on.
await bundleLibraries(join(dist, BUNDLE_FOLDER))
await bundleAssets(dist)

const lines = ["export * from './plugins/public.js'"]
for (const file of (await Array.fromAsync(glob('{kernel,plugins}/**/*.d.ts', { cwd: dist }))).sort()) {
  const merges = /^declare module /m.test(await readFile(join(dist, file), 'utf8'))
  if (merges) lines.push(`export type {} from './${file.replaceAll('\\', '/').replace(/\.d\.ts$/, '.js')}'`)
}
await writeFile(join(dist, 'index.d.ts'), `${lines.join('\n')}\n`)

// Software bill of materials: the packages that are installed with this one.
await writeFile(join(dist, 'sbom.cdx.json'), `${JSON.stringify(await billOfMaterials(), null, 2)}\n`)

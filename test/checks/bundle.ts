import { glob, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { BUNDLE, bundledName, LIBRARIES } from '../../plugins/site/admin/frame/libraries.ts'

const root = resolve(import.meta.dirname, '../..')

/** Folder of the bundled libraries in `dist/`. */
export const BUNDLE_FOLDER = `plugins/site/admin/${BUNDLE}`

/**
 * Bundles the libraries of the admin into a folder: one file for each name, files with their common parts, and their
 * licenses.
 */
export async function bundleLibraries(folder: string): Promise<void> {
  const { metafile } = await build({
    metafile: true,
    absWorkingDir: root,
    entryPoints: Object.fromEntries(Object.entries(LIBRARIES).map(([name, module]) => [bundledName(name), module])),
    outdir: folder,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    legalComments: 'none',
    // The server serves names of letters, digits and hyphens.
    chunkNames: 'part-[hash]',
  })
  const packages = Object.keys(metafile.inputs).map((file) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)![0])
  const licenses = await Promise.all([...new Set(packages)].toSorted().map(licenseOf))
  await writeFile(join(folder, 'LICENSES.txt'), licenses.join('\n\n'))
}

async function licenseOf(path: string): Promise<string> {
  const folder = join(root, path)
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    readonly [field: string]: string
  }
  const file = (await readdir(folder)).find((one) => /^licen[cs]e/i.test(one))
  const text = file === undefined ? '' : await readFile(join(folder, file), 'utf8')
  return `${name} ${version}, license ${license}\n\n${text.trim()}\n`
}

/** Folder of the scripts and styles of the admin. */
const ASSETS = 'plugins/site/admin/assets'

/**
 * Bundles the scripts of pages and the rich editor, without the libraries, and minifies the styles. Parts that are
 * loaded on first use, and parts of several scripts, are separate files next to the editor.
 * @param folder the root of the written tree
 */
export async function bundleAssets(folder: string): Promise<void> {
  await rm(join(folder, ASSETS, 'editor'), { recursive: true, force: true })
  await build({
    absWorkingDir: root,
    entryPoints: [
      ...(await Array.fromAsync(glob(`${ASSETS}/*.{js,css}`, { cwd: root }))),
      `${ASSETS}/editor/editor.js`,
    ],
    outbase: '.',
    outdir: folder,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    external: Object.keys(LIBRARIES),
    chunkNames: `${ASSETS}/editor/[name]-[hash]`,
  })
}

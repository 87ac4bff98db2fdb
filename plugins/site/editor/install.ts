import { spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { isObject } from '../../../kernel/index.ts'
import type { Bundle } from './bundle.ts'
import { errors } from './errors.ts'
import { readManifest, type BundleFile, type Manifest } from './manifest.ts'

/** Folder with the sources of the bundle and its package-lock.json. */
const SOURCE = join(import.meta.dirname, 'install')
const LICENSES = 'LICENSES.txt'

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=UTF-8',
  '.css': 'text/css; charset=UTF-8',
}

/** A package that is part of the bundle. */
export interface BundledPackage {
  readonly name: string
  readonly version: string
  /** License from package.json: `GPL-2.0-or-later`. */
  readonly license: string
}

/** Options of an installation. */
export interface InstallChoice {
  /** Whether the editor can resize images in the browser. */
  readonly resizing: boolean
  /** Whether to keep the packages in the folder afterwards, for inspection. */
  readonly keep: boolean
}

/** Paths that bundle.mjs prints, relative to the working folder. */
interface Built {
  readonly files: readonly string[]
  readonly packages: readonly string[]
}

/**
 * Returns the SHA-256 of the files in `install/`: the scripts, and the lock file that pins the packages. `svc editor
 * update` compares it with the `set` of the manifest.
 */
export async function pinnedSet(): Promise<string> {
  const hash = createHash('sha256')
  for (const name of (await readdir(SOURCE)).sort()) hash.update(`${name}\0`).update(await readFile(join(SOURCE, name)))
  return hash.digest('hex')
}

/**
 * Downloads the packages of the block editor, bundles them, and replaces the installed bundle. Running servers use the
 * new bundle from the next request; pages that were opened before get 404 for files of the old one. If the installation
 * fails, the installed bundle stays.
 * @param print receives the progress, in sentences
 * @throws EDITOR_NO_NPM, EDITOR_NOT_FETCHED, EDITOR_NOT_BUNDLED
 */
export async function install(
  bundle: Bundle,
  { resizing, keep }: InstallChoice,
  print: (text: string) => void,
): Promise<Manifest> {
  const work = join(bundle.folder, `.install-${randomUUID()}`)
  await mkdir(work, { recursive: true })
  try {
    await cp(SOURCE, work, { recursive: true })
    print('Downloading the packages with npm …')
    await fetchPackages(work)
    print('Bundling the packages …')
    const built = await build(work, resizing)
    const packages = await Promise.all(built.packages.map((folder) => describe(join(work, folder))))
    const manifest = await writeBundle(work, built, packages, resizing)
    const place = join(bundle.folder, manifest.folder)
    await rm(place, { recursive: true, force: true })
    await rename(join(work, manifest.folder), place)
    // Atomic: running servers read either the old manifest or the new one, each with its files.
    await writeFile(join(work, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
    await rename(join(work, 'manifest.json'), bundle.manifestFile)
    if (keep) {
      await rm(join(bundle.folder, 'packages'), { recursive: true, force: true })
      await rename(work, join(bundle.folder, 'packages'))
    }
    await clear(bundle.folder, new Set([manifest.folder, 'manifest.json', ...(keep ? ['packages'] : [])]))
    return manifest
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** Removes the bundle; other files in the folder stay. */
export async function uninstall(bundle: Bundle): Promise<void> {
  await rm(bundle.manifestFile, { force: true })
  await clear(bundle.folder, new Set())
}

/** Path of the file with the licenses of the installed packages. */
export function licensesFile(bundle: Bundle, { folder }: Manifest): string {
  return join(bundle.folder, folder, LICENSES)
}

/** Removes all bundles and packages except those in `retainedNames`, and the remains of interrupted installs. */
async function clear(folder: string, retainedNames: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(folder)) {
    const isOurs = /^(?:bundle-[a-f0-9]{16}|packages|\.install-[a-f0-9-]{36})$/.test(name)
    if (isOurs && !retainedNames.has(name)) await rm(join(folder, name), { recursive: true, force: true })
  }
}

async function fetchPackages(folder: string): Promise<void> {
  const options = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const { code, err } = await run('npm', options, folder).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? errors.EDITOR_NO_NPM() : error
  })
  if (code !== 0) throw errors.EDITOR_NOT_FETCHED(lastLines(err))
}

async function build(folder: string, resizing: boolean): Promise<Built> {
  const args = ['bundle.mjs', 'out', ...(resizing ? ['resizing'] : [])]
  const { code, out, err } = await run(process.execPath, args, folder)
  if (code !== 0) throw errors.EDITOR_NOT_BUNDLED(lastLines(err))
  const built: unknown = JSON.parse(out)
  if (!isObject(built) || !isTexts(built['files']) || !isTexts(built['packages'])) {
    throw errors.EDITOR_NOT_BUNDLED('bundle.mjs printed no list of files.')
  }
  return { files: built['files'], packages: built['packages'] }
}

/** Runs a program and returns its exit code and output. */
function run(
  program: string,
  args: readonly string[],
  cwd: string,
): Promise<{ code: number; out: string; err: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ code: number; out: string; err: string }>()
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32' })
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  child.once('error', reject)
  child.once('close', (code) => resolve({ code: code ?? 1, out, err }))
  return promise
}

/**
 * Writes the built files and Brotli-compressed copies to the folder of the bundle, and returns its manifest.
 * @throws EDITOR_NOT_BUNDLED if a file is missing
 */
async function writeBundle(
  work: string,
  built: Built,
  packages: readonly BundledPackage[],
  resizing: boolean,
): Promise<Manifest> {
  const set = await pinnedSet()
  const contents = await Promise.all(built.files.map((file) => readFile(join(work, file))))
  const hash = createHash('sha256')
  for (const content of contents) hash.update(content)
  const folder = `bundle-${hash.digest('hex').slice(0, 16)}`
  await mkdir(join(work, folder))
  const files: Record<string, BundleFile> = {}
  for (const [at, file] of built.files.entries()) {
    const content = contents[at]!
    const compressed = await promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
    const name = basename(file)
    await writeFile(join(work, folder, name), content)
    await writeFile(join(work, folder, `${name}.br`), compressed)
    files[name] = {
      type: TYPES[extname(name)] ?? 'application/octet-stream',
      bytes: content.length,
      compressed: compressed.length,
    }
  }
  await writeFile(join(work, folder, LICENSES), await licensesText(work, built, packages))
  const named = (start: string, end: string) =>
    Object.keys(files).find((name) => name.startsWith(start) && name.endsWith(end)) ?? ''
  const manifest: Manifest = {
    set,
    installed: new Date().toISOString(),
    folder,
    script: named('editor-', '.js'),
    style: named('editor-', '.css'),
    canvas: named('canvas-', '.css'),
    resizing: resizing ? named('resizing-worker-', '.js') : null,
    files,
    packages: Object.fromEntries(packages.map(({ name, version }) => [name, version])),
  }
  if (readManifest(JSON.stringify(manifest)) === null)
    throw errors.EDITOR_NOT_BUNDLED('a file of the bundle is missing.')
  return manifest
}

async function describe(folder: string): Promise<BundledPackage> {
  const { name, version, license }: Record<string, unknown> = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  )
  return {
    name: String(name),
    version: String(version),
    license: typeof license === 'string' ? license : 'see the files of the package',
  }
}

/** Lists names, versions and licenses of all packages, then the text of each license once. */
async function licensesText(
  work: string,
  { packages: folders }: Built,
  packages: readonly BundledPackage[],
): Promise<string> {
  const list = packages.map(({ name, version, license }) => `${name} ${version}: ${license}`)
  const texts = new Map<string, string[]>()
  for (const [at, folder] of folders.entries()) {
    const names = await readdir(join(work, folder))
    for (const file of names.filter((name) =>
      /^(?:licen[cs]e|copying|(?:third-party-)?notices?)(?:[.-]|$)/i.test(name),
    )) {
      const text = (await readFile(join(work, folder, file), 'utf8')).trim()
      texts.set(text, [...(texts.get(text) ?? []), packages[at]!.name])
    }
  }
  const written = [...texts].map(([text, names]) => `\n${'-'.repeat(80)}\n${names.join(', ')}\n\n${text}\n`)
  return `Packages in this bundle, with their licenses:\n\n${list.join('\n')}\n${written.join('')}`
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-8).join('\n')
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

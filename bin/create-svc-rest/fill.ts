import { constants, readFileSync } from 'node:fs'
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { packageRoot } from './checkout.ts'
import type { Kind } from './questions.ts'

/** Values for the placeholders of the templates. */
export interface Blanks {
  /** Name of the package. */
  readonly name: string
  /** SPDX identifier of a licence in `templates/licenses`, or `none`. */
  readonly license: string
  readonly author: string
  /** A packed svc-rest, which is copied into the folder; null to install it from the npm registry. */
  readonly tarball: string | null
}

const templates = join(packageRoot, 'templates')

/** The version of create-svc-rest, which is also that of the svc-rest that a new package depends on. */
export const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string }

/** Returns the plugin name for a package name: without its scope and the prefix `svc-rest-` or `svc-rest-plugin-`. */
export const pluginName = (name: string): string =>
  name
    .replace(/^@[^/]+\//, '')
    .replace(/^svc-rest-(?:plugin-)?(?=.)/, '')
    .replaceAll(/[^a-z0-9]+/g, '-')

/**
 * Writes the files of a template into a folder and replaces the placeholders. Does not overwrite files.
 * @returns the paths of the files, relative to the folder and sorted
 */
export async function fill(kind: Kind, folder: string, blanks: Blanks): Promise<string[]> {
  const template = join(templates, kind)
  const entries = await readdir(template, { recursive: true, withFileTypes: true })
  const texts = new Map<string, string>()
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = relative(template, join(entry.parentPath, entry.name))
    // Templates replace the leading dot with "_": npm omits some dotfiles from packages. package.json has a "_" prefix,
    // because a package must have only one manifest.
    texts.set(
      path.replace(/^_(?=package\.json$)/, '').replaceAll(/(^|[\\/])_/g, '$1.'),
      await readFile(join(template, path), 'utf8'),
    )
  }
  if (kind === 'plugin' && blanks.license !== 'none') {
    texts.set('LICENSE', await readFile(join(templates, 'licenses', `${blanks.license}.txt`), 'utf8'))
  }
  for (const path of texts.keys()) {
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true })
    const text = filled(texts.get(path)!, blanks)
    await writeFile(file, path === 'package.json' ? withDependencies(text, blanks) : text, { flag: 'wx' })
  }
  const paths = [...texts.keys()]
  if (blanks.tarball !== null) {
    const path = join('vendor', basename(blanks.tarball))
    await mkdir(join(folder, 'vendor'), { recursive: true })
    await copyFile(blanks.tarball, join(folder, path), constants.COPYFILE_EXCL)
    paths.push(path)
  }
  // Node 18 lacks toSorted.
  return paths.sort()
}

/** Replaces the placeholders: example names, so that the templates can be compiled and tested unchanged. */
function filled(text: string, { name, license, author }: Blanks): string {
  const plugin = pluginName(name)
  const blanks: Readonly<Record<string, string>> = {
    'my-site': name,
    'svc-rest-my-plugin': name,
    'my-plugin': plugin,
    // Hook names must begin with a letter.
    my_plugin: plugin.replaceAll('-', '_').replace(/^(?=\d)/, 'plugin_'),
    '[version]': version,
    '[year]': String(new Date().getFullYear()),
    '[author]': author,
    '[license]': license === 'none' ? 'None: all rights reserved.' : license,
  }
  return text.replaceAll(
    /\[(?:version|year|author|license)\]|my-site|svc-rest-my-plugin|my-plugin|my_plugin/g,
    (blank) => blanks[blank]!,
  )
}

interface Manifest {
  license?: string
  author?: string
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

function withDependencies(text: string, { license, author, tarball }: Blanks): string {
  const manifest = JSON.parse(text) as Manifest
  const source = tarball === null ? `^${version}` : `file:vendor/${basename(tarball)}`
  for (const group of [manifest.dependencies, manifest.devDependencies]) {
    if (group?.['svc-rest'] !== undefined) group['svc-rest'] = source
  }
  if (manifest.peerDependencies?.['svc-rest'] !== undefined) manifest.peerDependencies['svc-rest'] = `^${version}`
  if (manifest.license !== undefined) manifest.license = license === 'none' ? 'UNLICENSED' : license
  if (manifest.author !== undefined) manifest.author = author
  return `${JSON.stringify(manifest, null, 2)}\n`
}

import { access } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Libraries that scripts of the admin and of plugins import by name, with the module to serve. `npm run build` bundles
 * them into the folder of `BUNDLE`, so that the package does not depend on them.
 */
export const LIBRARIES: Readonly<Record<string, string>> = {
  '@tiptap/core': '@tiptap/core',
  '@tiptap/pm/commands': '@tiptap/pm/commands',
  '@tiptap/pm/dropcursor': '@tiptap/pm/dropcursor',
  '@tiptap/pm/gapcursor': '@tiptap/pm/gapcursor',
  '@tiptap/pm/history': '@tiptap/pm/history',
  '@tiptap/pm/inputrules': '@tiptap/pm/inputrules',
  '@tiptap/pm/keymap': '@tiptap/pm/keymap',
  '@tiptap/pm/model': '@tiptap/pm/model',
  '@tiptap/pm/schema-list': '@tiptap/pm/schema-list',
  '@tiptap/pm/state': '@tiptap/pm/state',
  '@tiptap/pm/tables': '@tiptap/pm/tables',
  '@tiptap/pm/transform': '@tiptap/pm/transform',
  '@tiptap/pm/view': '@tiptap/pm/view',
  cropperjs: 'cropperjs/dist/cropper.esm.js',
  idiomorph: 'idiomorph',
  sortablejs: 'sortablejs/modular/sortable.esm.js',
}

/** Modules that only the libraries import. A bundle contains them. */
const INNER_MODULES: readonly string[] = [
  'orderedmap',
  'prosemirror-commands',
  'prosemirror-dropcursor',
  'prosemirror-gapcursor',
  'prosemirror-history',
  'prosemirror-inputrules',
  'prosemirror-keymap',
  'prosemirror-model',
  'prosemirror-schema-list',
  'prosemirror-state',
  'prosemirror-tables',
  'prosemirror-transform',
  'prosemirror-view',
  'rope-sequence',
  'w3c-keyname',
]

/** Folder of the bundled libraries, relative to the folder of the admin. */
export const BUNDLE = 'libraries'

const BUNDLE_PATH = join(import.meta.dirname, '..', BUNDLE)

/** Returns whether this is the package: its libraries are bundled, and its scripts minified. */
export const isBundled = (): Promise<boolean> => exists(BUNDLE_PATH)

/** Returns the name of the file that a library has in the bundle. @param library `@tiptap/core` */
export const bundledName = (library: string): string => library.replace('@', '').replaceAll('/', '-')

/** A module in a folder of files. */
export interface LibraryFile {
  readonly folder: string
  /** Path in the folder. */
  readonly file: string
}

/**
 * Returns the files of all libraries by the name that scripts import: files of the bundle, or of `node_modules`
 * in a checkout. Libraries that are not installed are left out.
 */
export async function libraryFiles(): Promise<ReadonlyMap<string, LibraryFile>> {
  if (await isBundled())
    return new Map(
      Object.keys(LIBRARIES).map((name) => [name, { folder: BUNDLE_PATH, file: `${bundledName(name)}.js` }]),
    )
  const modules = { ...LIBRARIES, ...Object.fromEntries(INNER_MODULES.map((name) => [name, name])) }
  const files = new Map<string, LibraryFile>()
  for (const [name, module] of Object.entries(modules)) {
    const path = installedFile(module)
    // A package can have its module in its own folder, next to files that are not served.
    if (path !== null && (await exists(path))) files.set(name, inPackage(path))
  }
  return files
}

/** Returns the path of a module in `node_modules`, or null if it is not installed. */
function installedFile(module: string): string | null {
  try {
    return fileURLToPath(import.meta.resolve(module))
  } catch {
    return null
  }
}

/** The served folder is the one below the package, whose modules import each other: `dist`. */
function inPackage(path: string): LibraryFile {
  const [, root = dirname(path)] = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)/.exec(path) ?? []
  const [first = '', ...rest] = relative(root, path).split(/[\\/]/)
  return rest.length === 0 ? { folder: root, file: first } : { folder: join(root, first), file: rest.join('/') }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path)
    return true
  } catch {
    return false
  }
}

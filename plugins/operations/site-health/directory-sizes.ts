import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runDetached, type PluginContext } from '../../../kernel/index.ts'
import { fileSize, measureFolder } from '../../library/long-work/index.ts'
import { databaseSize } from '../../storage/store/index.ts'

/** A size as clients show it. `raw` is in bytes, and is missing if the size is unknown. */
interface Size {
  readonly size: string
  readonly debug: string
  readonly raw?: number
}

/** Folders of a checkout that are not part of the program. */
const NOT_PROGRAM = ['node_modules', '.git', 'test', join('docs', 'examples')] as const
/** Milliseconds for which measured sizes are reused. */
const SIZES_LIFETIME_MS = 5 * 60_000
/** The size of a folder with more files than can be counted. */
const UNKNOWN: Size = { size: 'Not available', debug: 'not available' }
const MISSING: Size = { size: 'The directory does not exist.', debug: 'directory not found' }

type Sizes = Record<string, Size | number>

/**
 * Returns a function that measures the folders and the database of the site. Its results can be five minutes old. It
 * resolves with sizes by field, and their sum, which is unknown if one of them is.
 */
export function sizeMeasurer(plugin: PluginContext): () => Promise<Sizes> {
  let measured: { at: number; sizes: Promise<Sizes> } | null = null
  return () => {
    if (measured !== null && performance.now() - measured.at < SIZES_LIFETIME_MS) return measured.sizes
    // Detached: other requests may wait for the same measurement.
    const sizes = runDetached(() => directorySizes(plugin))
    measured = { at: performance.now(), sizes }
    sizes.catch(() => (measured = null))
    return sizes
  }
}

async function directorySizes(plugin: PluginContext): Promise<Sizes> {
  const { config, has, services, since } = plugin
  const fonts = join(config.uploads, 'fonts')
  const themes = has('themes') ? services.themes.library.folder : null
  const [program, themeFiles, plugins, uploads, fontFiles, database] = await Promise.all([
    programSize([config.uploads, config.folder, ...(themes === null ? [] : [themes])]),
    sizeOf(themes),
    pluginFiles(plugin),
    sizeOf(config.uploads, [fonts]),
    sizeOf(fonts),
    databaseSize(services.store),
  ])
  const sizes: Record<string, Size> = {
    wordpress_size: program,
    themes_size: themeFiles,
    plugins_size: inBytes(plugins),
    uploads_size: uploads,
    ...(since('6.5') && { fonts_size: fontFiles }),
    database_size: inBytes(database),
  }
  const parts = Object.values(sizes)
  const total = parts.includes(UNKNOWN) ? UNKNOWN : inBytes(parts.reduce((sum, { raw = 0 }) => sum + raw, 0))
  return { raw: 0, ...sizes, total_size: total }
}

async function sizeOf(folder: string | null, skipped?: readonly string[]): Promise<Size> {
  const found = folder === null ? null : await measureFolder(folder, skipped)
  if (found === null) return MISSING
  return found.more ? UNKNOWN : inBytes(found.bytes)
}

/** Returns the bytes of the files from which plugins of the site were loaded. */
async function pluginFiles(plugin: PluginContext): Promise<number> {
  const urls = new Set(plugin.running().map((one) => one.details().file))
  const paths = [...urls].flatMap((url) => (url?.startsWith('file:') === true ? [fileURLToPath(url)] : []))
  const sizes = await Promise.all(paths.map(fileSize))
  return sizes.reduce((sum, bytes) => sum + bytes, 0)
}

/** Measures the folder of svc-rest, which is three folders above the sources and four above `dist/`. */
async function programSize(skipped: readonly string[]): Promise<Size> {
  const folders = ['../../..', '../../../..'].map((up) => fileURLToPath(new URL(up, import.meta.url)))
  const program = folders.find((folder) => existsSync(join(folder, 'package.json')))
  if (program === undefined) return UNKNOWN
  const others = NOT_PROGRAM.map((name) => join(program, name))
  return sizeOf(program, [...skipped, ...others])
}

/** Formats a number of bytes, with powers of 1,024 as units: `996.23 KB`. */
export function inBytes(bytes: number): Size {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  const step = bytes < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  const size = `${(bytes / 1024 ** step).toFixed(2)} ${units[step]!}`
  return { size, debug: `${size} (${bytes} bytes)`, raw: bytes }
}

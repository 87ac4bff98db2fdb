import { copyFile, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { exists } from '../../content/media/index.ts'
import { errors } from './errors.ts'
import { readSiteFile, mergeSiteFiles, type SiteFile } from './site-file.ts'
import { phrase } from './phrases.ts'

export { THEME_KEYS } from './site-file.ts'

/**
 * Data files of a theme. Code of the old site is not copied, except patterns, which are PHP files that contain markup.
 */
const DATA = /\.(?:json|html|css|svg|png|jpe?g|gif|webp|avif|woff2?|ttf|otf|txt|md)$/i
const PATTERN = /^patterns\/[^/]+\.php$/
/** Limits of a theme: files, total bytes, levels of folders. */
const MAX_FILES = 5_000
const MAX_BYTES = 200 * 1024 ** 2
const MAX_FOLDER_LEVELS = 8

/** A theme whose files will be copied. */
export interface NewTheme {
  stylesheet: string
  /** Path of the folder. */
  source: string
}

/**
 * Reads and merges the site files of an import.
 * @returns the merged file, and the theme whose folder one of the files names
 * @throws RestError IMPORT_SITE_INVALID with the fault
 */
export async function readSiteFiles(
  paths: readonly string[],
  home: string,
): Promise<{ site: SiteFile | undefined; theme: NewTheme | undefined }> {
  if (paths.length === 0) return { site: undefined, theme: undefined }
  const files: SiteFile[] = []
  let theme: NewTheme | undefined
  for (const file of paths) {
    const site = readSiteFile(await readFile(file, 'utf8'), home)
    files.push(site)
    const { folder, stylesheet } = site.theme ?? {}
    if (folder === undefined) continue
    if (typeof stylesheet !== 'string' || !/^[a-z0-9][a-z0-9_-]*$/i.test(stylesheet)) {
      throw errors.IMPORT_SITE_INVALID({
        reason: 'a theme with a folder needs a "stylesheet" of letters, digits, _ and -',
      })
    }
    theme = { stylesheet, source: path.resolve(path.dirname(file), folder) }
    const isFolder = await stat(theme.source).then(
      (found) => found.isDirectory(),
      () => false,
    )
    if (!isFolder)
      throw errors.IMPORT_SITE_INVALID({ reason: phrase('the theme folder {name} does not exist', { name: folder }) })
    // The files are copied after the import; a theme that is too large is rejected before.
    await dataFiles(theme.source)
  }
  return { site: mergeSiteFiles(files), theme }
}

/**
 * Copies the files of a theme to the themes folder of the site, all or none. An existing theme is not changed.
 * @param themes path of the themes folder
 * @returns the number of copied files; null if the theme already exists
 */
export async function copyTheme({ stylesheet, source }: NewTheme, themes: string): Promise<number | null> {
  const target = path.join(themes, stylesheet)
  if (await exists(target)) return null
  const waiting = path.join(themes, `.${stylesheet}.${process.pid}`)
  try {
    const files = await dataFiles(source)
    await mkdir(waiting, { recursive: true })
    for (const file of files) {
      await mkdir(path.dirname(path.join(waiting, file)), { recursive: true })
      await copyFile(path.join(source, file), path.join(waiting, file))
    }
    await rename(waiting, target)
    return files.length
  } finally {
    await rm(waiting, { recursive: true, force: true })
  }
}

/** Relative paths of the data files in a folder, with slashes. @throws IMPORT_SITE_INVALID beyond a limit */
async function dataFiles(folder: string): Promise<string[]> {
  const found: string[] = []
  let bytes = 0
  const waiting: { below: string; level: number }[] = [{ below: '', level: 0 }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const entry of await readdir(path.join(folder, next.below), { withFileTypes: true })) {
      if (entry.name.startsWith('.')) continue
      const name = path.posix.join(next.below, entry.name)
      if (entry.isDirectory() && next.level < MAX_FOLDER_LEVELS) waiting.push({ below: name, level: next.level + 1 })
      else if (entry.isFile() && (DATA.test(name) || PATTERN.test(name))) {
        found.push(name)
        bytes += (await stat(path.join(folder, name))).size
      }
    }
    if (bytes > MAX_BYTES) {
      const reason = phrase('the files of the theme are larger than {bytes} bytes', { bytes: MAX_BYTES })
      throw errors.IMPORT_SITE_INVALID({ reason })
    }
    if (found.length > MAX_FILES) {
      const reason = phrase('the theme has more than {count} files', { count: MAX_FILES })
      throw errors.IMPORT_SITE_INVALID({ reason })
    }
  }
  return found
}

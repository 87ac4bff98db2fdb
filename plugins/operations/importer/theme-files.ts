import { copyFile, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { exists } from '../../content/media/index.ts'
import { errors } from './errors.ts'
import { readSiteFile, mergeSiteFiles, type SiteFile } from './site-file.ts'

/** Files of a theme that are data: no program of the old site is copied. Patterns may have the ending of one. */
const DATA = /\.(?:json|html|css|svg|png|jpe?g|gif|webp|avif|woff2?|ttf|otf|txt|md)$/i
const PATTERN = /^patterns\/[^/]+\.php$/
/** Most files of a theme, the bytes of all of them, and the levels of folders that they are looked for in. */
const MOST_FILES = 5_000
const MAX_BYTES = 200 * 1024 ** 2
const MAX_FOLDER_LEVELS = 8

/** A theme whose files are to be copied. */
export interface NewTheme {
  stylesheet: string
  /** Path of its folder. */
  source: string
}

/**
 * Reads the site files of an import as one.
 * @returns also the theme whose folder one of them names
 * @throws RestError IMPORT_SITE_INVALID that names what is wrong
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
      throw errors.IMPORT_SITE_INVALID('a theme with a folder needs a stylesheet of letters, digits, _ and -')
    }
    theme = { stylesheet, source: path.resolve(path.dirname(file), folder) }
    const isFolder = await stat(theme.source).then(
      (found) => found.isDirectory(),
      () => false,
    )
    if (!isFolder) throw errors.IMPORT_SITE_INVALID(`the theme's folder ${folder} is not there`)
    // Its files are copied after the import; one that is too large is refused before it.
    await dataFiles(theme.source)
  }
  return { site: mergeSiteFiles(files), theme }
}

/**
 * Copies the files of a theme into the themes of the site, all or none. A theme of that name which is there already stays.
 * @param themes path of the folder of all themes
 * @returns how many files were copied; null where the theme is there already
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

/** Relative paths of the data files below a folder, with slashes. @throws IMPORT_SITE_INVALID if they are too many or too large */
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
    if (bytes > MAX_BYTES) throw errors.IMPORT_SITE_INVALID(`the files of the theme are larger than ${MAX_BYTES} bytes`)
    if (found.length > MOST_FILES) throw errors.IMPORT_SITE_INVALID(`the theme has more than ${MOST_FILES} files`)
  }
  return found
}

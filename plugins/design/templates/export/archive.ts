import { lstat, readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { RequestCache, type PluginContext } from '../../../../kernel/index.ts'
import { errors } from '../errors.ts'
import { withoutTheme } from '../markup.ts'
import type { Templates } from '../service.ts'
import { zipOf } from './zip.ts'

/** Limits of an exported theme: number of files, folder depth, and total bytes. */
const MAX_FILES = 2_000
const MAX_FOLDER_LEVELS = 10
const MAX_BYTES = 50_000_000

/** Contents by path that replace or extend the files of the theme. */
type Replaced = ReadonlyMap<string, string>

/**
 * Returns the active theme with the user's templates and styles as a zip archive.
 * @throws rest_theme_too_large
 */
export async function themeArchive(plugin: PluginContext, templates: Templates, stylesheet: string): Promise<Buffer> {
  const files = new Map<string, Buffer>()
  const folder = await plugin.services.themes.library.folderOf(stylesheet)
  if (folder !== null) {
    let bytes = 0
    for await (const name of namesIn(folder)) {
      const { size } = await lstat(path.join(folder, name))
      bytes += size
      if (files.size >= MAX_FILES || bytes > MAX_BYTES) throw errors.rest_theme_too_large()
      files.set(name, await readFile(path.join(folder, name)))
    }
  }
  for (const [name, text] of await replacedOf(plugin, templates, stylesheet)) files.set(name, Buffer.from(text))
  return zipOf([...files].map(([name, data]) => ({ name, data })))
}

/** Lists relative paths of the files in a folder. Skips symbolic links and hidden files. */
async function* namesIn(folder: string, below = '', level = 1): AsyncGenerator<string> {
  const entries = await readdir(path.join(folder, below), { withFileTypes: true })
  for (const entry of entries) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
    const name = path.posix.join(below, entry.name)
    if (entry.isFile()) yield name
    else if (entry.isDirectory() && level < MAX_FOLDER_LEVELS) yield* namesIn(folder, name, level + 1)
  }
}

async function replacedOf(
  { branding, has, services }: PluginContext,
  templates: Templates,
  theme: string,
): Promise<Replaced> {
  const replaced = new Map<string, string>()
  const scope = new RequestCache()
  for (const [kind, folder] of [
    ['template', 'templates'],
    ['template_part', 'parts'],
  ] as const) {
    for (const { slug, content, post } of await templates.all(kind, scope)) {
      if (post !== null && /^[\w%-]+$/.test(slug))
        replaced.set(`${folder}/${slug}.html`, withoutTheme(content, theme, branding.blockMark))
    }
  }
  if (has('global-styles')) {
    replaced.set('theme.json', `${JSON.stringify(await services.globalStyles.whole(theme), null, 2)}\n`)
  }
  return replaced
}

import { lstat, readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { isObject, messageOf } from '../../../kernel/index.ts'
import { splitPattern, splitStylesheet } from './header.ts'
import type {
  CustomTemplate,
  DeclaredPart,
  ThemeFiles,
  ThemeJson,
  ThemePattern,
  ThemeTemplate,
  ThemeVariation,
} from './theme-files.ts'

/** Valid theme names: safe as a folder name and in URLs. */
const THEME_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/i
/** Names of files that are read. */
const FILE_NAME = /^[a-z0-9_%-][a-z0-9_.%-]{0,190}\.(html|json|php)$/i
/** Maximum bytes of a file, number of files in a folder, and total bytes of a theme. */
const MAX_FILE_BYTES = 1_000_000
const MAX_FILES_PER_FOLDER = 500
const MAX_THEME_BYTES = 20_000_000
const FOLDERS = { templates: ['html'], parts: ['html'], patterns: ['html', 'php'], styles: ['json'] } as const

/** Whether a name is a valid theme name. */
export function isThemeName(name: string): boolean {
  return THEME_NAME.test(name)
}

/** The files of a theme, and a fingerprint that changes with them. */
export interface FolderState {
  /** Relative paths, with slashes. */
  readonly files: readonly string[]
  readonly mark: string
}

/** Lists the files of a theme without reading them; null if the folder is not a theme. */
export async function folderState(folder: string): Promise<FolderState | null> {
  const top = await entries(folder)
  if (!top.includes('style.css') && !top.includes('theme.json')) return null
  const files = top.filter((name) => name === 'style.css' || name === 'theme.json' || isScreenshot(name))
  for (const [below, endings] of Object.entries(FOLDERS)) {
    if (!(await isFolder(path.join(folder, below)))) continue
    const inside = await entries(path.join(folder, below))
    const read = inside.filter((name) => {
      const [, ending] = FILE_NAME.exec(name) ?? []
      return ending !== undefined && (endings as readonly string[]).includes(ending.toLowerCase())
    })
    files.push(...read.slice(0, MAX_FILES_PER_FOLDER).map((name) => `${below}/${name}`))
  }
  const marks = await Promise.all(
    files.map(async (file) => {
      const found = await lstat(path.join(folder, file)).catch(() => null)
      return found?.isFile() === true ? `${file} ${found.size} ${found.mtimeMs}` : null
    }),
  )
  return { files: files.filter((_, index) => marks[index] !== null), mark: marks.join('\n') }
}

async function entries(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.filter((name) => !name.startsWith('.')).sort()
}

async function isFolder(folder: string): Promise<boolean> {
  return lstat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

const isScreenshot = (name: string) => /^screenshot\.(?:png|jpe?g|webp|avif|gif)$/.test(name)

/**
 * Reads a theme. Files with errors are reported and omitted.
 * @param url URL of the folder; markup refers to files as `file:./pictures/leaf.png`
 * @param report called with the relative path of a file and its error
 */
export async function readFolder(
  folder: string,
  { files }: FolderState,
  url: string,
  report: (file: string, message: string) => void,
): Promise<ThemeFiles> {
  const texts = await readTexts(folder, files, url, report)
  const json = parseJson('theme.json', texts.get('theme.json') ?? '{"version":3}', report) ?? { version: 3 }
  const { header, rest } = splitStylesheet(texts.get('style.css') ?? '')
  const inside = (below: string) =>
    [...texts]
      .filter(([file]) => file.startsWith(`${below}/`))
      .map(([file, text]) => ({ file, text, slug: slugOf(file) }))
  const custom = declared<CustomTemplate>(json.customTemplates)
  const parts = declared<DeclaredPart>(json.templateParts)
  return {
    json,
    variations: inside('styles').flatMap(({ file, text, slug }) => {
      const read = parseJson(file, text, report)
      return read === null ? [] : [{ ...read, title: textOr(read.title, slug) } satisfies ThemeVariation]
    }),
    templates: bySlug(
      inside('templates').map(({ text: content, slug }) => {
        const about = custom.get(slug)
        const types = Array.isArray(about?.postTypes)
          ? about.postTypes.filter((one) => typeof one === 'string')
          : ['page']
        return { slug, content, ...(about !== undefined && { title: textOr(about.title, slug), postTypes: types }) }
      }),
    ),
    parts: bySlug(
      inside('parts').map(({ text: content, slug }) => {
        const about = parts.get(slug)
        const area = textOr(about?.area, 'uncategorized')
        return { slug, content, area, ...(about !== undefined && { title: textOr(about.title, slug) }) }
      }),
    ),
    patterns: inside('patterns').flatMap(({ file, text }) => patternOf(file, text, report) ?? []),
    css: rest,
    header,
    screenshot: files.find(isScreenshot) ?? '',
  }
}

async function readTexts(
  folder: string,
  files: readonly string[],
  url: string,
  report: (file: string, message: string) => void,
): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  let remainingBytes = MAX_THEME_BYTES
  for (const file of files) {
    if (isScreenshot(file)) continue
    try {
      const { size } = await lstat(path.join(folder, file))
      remainingBytes -= size
      if (size > MAX_FILE_BYTES || remainingBytes < 0) report(file, 'it is too large, or the theme is')
      else texts.set(file, linked(await readFile(path.join(folder, file), 'utf8'), file, url))
    } catch (cause) {
      report(file, messageOf(cause))
    }
  }
  return texts
}

/**
 * Replaces `file:` links in markup by URLs. In `theme.json` they are kept, because readers of the file resolve them.
 */
function linked(text: string, file: string, url: string): string {
  return /\.(?:html|php)$/i.test(file) ? text.replace(/(?<=["'(])file:\.\//g, `${url}/`) : text
}

function parseJson(file: string, text: string, report: (file: string, message: string) => void): ThemeJson | null {
  try {
    // Drop `__proto__` keys, which could change the prototype of objects the data is copied to.
    const json: unknown = JSON.parse(text.replace(/^\uFEFF/, ''), (key, value: unknown) =>
      key === '__proto__' ? undefined : value,
    )
    if (!isObject(json)) report(file, 'it must contain a JSON object')
    else {
      const { settings, styles, ...others } = json as ThemeJson
      return { ...others, ...(isObject(settings) && { settings }), ...(isObject(styles) && { styles }) }
    }
  } catch (cause) {
    report(file, messageOf(cause))
  }
  return null
}

/** Returns entries of a list in `theme.json` by name. */
function declared<T extends { name: string }>(list: unknown): Map<string, T> {
  const all = Array.isArray(list) ? (list as unknown[]) : []
  return new Map(
    all.flatMap((one) =>
      isObject(one) && typeof one['name'] === 'string' ? [[one['name'], one as unknown as T]] : [],
    ),
  )
}

function patternOf(file: string, text: string, report: (file: string, message: string) => void): ThemePattern | null {
  const split = splitPattern(text)
  if (split === null) {
    report(file, 'it has no header, or contains program code')
    return null
  }
  const { header, content } = split
  const { title, slug, description } = header
  if (title === undefined || slug === undefined) {
    report(file, 'its header has no Title or no Slug')
    return null
  }
  const width = Number.parseInt(header['viewport width'] ?? '', 10)
  const lists = Object.entries({
    categories: header['categories'],
    keywords: header['keywords'],
    blockTypes: header['block types'],
    postTypes: header['post types'],
    templateTypes: header['template types'],
  }).flatMap(([key, value]) => (value === undefined ? [] : [[key, value.split(/[\s,]+/).filter(Boolean)] as const]))
  return {
    slug,
    title,
    content,
    description: description ?? '',
    ...(width > 0 && { viewportWidth: width }),
    ...(header['inserter'] !== undefined && { inserter: /^(?:yes|true)$/i.test(header['inserter']) }),
    ...Object.fromEntries(lists),
  }
}

const slugOf = (file: string) => path.posix.basename(file).replace(/\.[^.]*$/, '')
const textOr = (value: unknown, preset: string) => (typeof value === 'string' && value !== '' ? value : preset)
const bySlug = (list: readonly ThemeTemplate[]) => new Map(list.map((one) => [one.slug, one]))

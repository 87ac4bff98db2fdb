import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { messageOf } from '../../kernel/index.ts'
import { suggest } from '../../plugins/library/suggestions/index.ts'

/** Maximum number of files that are checked for a syntax error. */
const MAX_CHECKED_FILES = 50
const CHECK_TIMEOUT_MS = 10_000

/** Extensions of files that Node runs as modules. */
const MODULE_EXTENSIONS = ['.ts', '.js', '.mjs', '.cjs', '.mts', '.cts']
/** Valid package names. */
const PACKAGE_NAME = /^(?:@[a-z\d][\w.-]*\/)?[a-z\d][\w.-]*$/i

/**
 * Returns why a module of a plugin author could not be loaded. For a syntax error in the module or a file that it imports,
 * the text contains file, line and column.
 * @param url of the module that was to be loaded
 */
export function loadFailure(error: unknown, url: string): string {
  if (!(error instanceof Error)) return messageOf(error)
  const [first = ''] = error.message.split('\n')
  if (error instanceof SyntaxError) {
    // The message of invalid JSON already contains the position.
    const place = / in JSON at position /.test(first) ? null : (placeOfMistake(error.stack ?? '') ?? mistakeIn(url))
    const [, name] = / does not provide an export named '([^']+)'/.exec(first) ?? []
    const advice =
      name === undefined || !/\.[mc]?ts:/.test(place ?? '') ? '' : `: if it is a type, import { type ${name} }`
    return `${first}${advice}${place === null ? '' : ` (${place})`}`
  }
  const { code } = error as NodeJS.ErrnoException
  const [, missing] = /^Cannot find package '([^']+)'/.exec(first) ?? []
  if (code === 'ERR_MODULE_NOT_FOUND' && missing !== undefined) {
    if (!PACKAGE_NAME.test(missing))
      return `${first}: this is not a valid package name. To import a file, use a relative path (./…)`
    return `${first}: install it with npm install ${missing}`
  }
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'ERR_UNSUPPORTED_DIR_IMPORT') {
    const [, missingPath = ''] = /^(?:Cannot find module|Directory import) '([^']+)'/.exec(first) ?? []
    return `${first}${nearFile(missingPath)}`
  }
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION') return `${first}: Node runs ${MODULE_EXTENSIONS.join(', ')}`
  if (code === 'ERR_IMPORT_ATTRIBUTE_MISSING') {
    const [, data = ''] = /^Module "([^"]+)"/.exec(first) ?? []
    return data === url ? 'it is data, not code' : `${first}: write import … with { type: 'json' }`
  }
  if (error instanceof ReferenceError && /^(?:module|exports|require) is not defined/.test(first)) {
    return `${first}: write import and export default, or name the file .cjs`
  }
  return first
}

/** Returns `: did you mean FILE?` for the path of a missing file; '' if no similar file exists. */
export function nearFile(path: string): string {
  const bare = path.replace(/\.\w+$/, '')
  const starts = [path, bare, join(path, 'index'), join(bare, 'index')]
  const candidates = starts.flatMap((start) => MODULE_EXTENSIONS.map((ending) => start + ending))
  const found = candidates.find((file) => existsSync(file) && statSync(file).isFile())
  if (found !== undefined) return `: did you mean ${found}?`
  try {
    const files = readdirSync(dirname(path), { withFileTypes: true }).filter((entry) => entry.isFile())
    const near = suggest(
      basename(path),
      files.map(({ name }) => name),
    )
    return near === '' ? '' : `: did you mean ${join(dirname(path), near)}?`
  } catch {
    return ''
  }
}

/** The header that Node prints above a syntax error: file and line number, the line, and marks below the place. */
const MARKED = /^(file:\/\/\S+|\/\S+|[A-Za-z]:\\[^\n]+?):(\d+)\n(.*)\n(\s*)\^/m

function placeOfMistake(text: string): string | null {
  const [, file, line, , before] = MARKED.exec(text) ?? []
  if (file === undefined || before === undefined) return null
  return `${file.startsWith('file:') ? fileURLToPath(file) : file}:${line}:${before.length + 1}`
}

/** Finds the file with a syntax error by `node --check`: errors of `import()` do not contain the place. */
function mistakeIn(url: string): string | null {
  const files = new Set([url])
  for (const file of files) {
    if (!file.startsWith('file:')) continue
    const path = fileURLToPath(file)
    const { stderr, status } = spawnSync(process.execPath, ['--check', path], {
      encoding: 'utf8',
      timeout: CHECK_TIMEOUT_MS,
    })
    if (status !== 0) return placeOfMistake(stderr) ?? path
    for (const imported of importsOf(path)) if (files.size < MAX_CHECKED_FILES) files.add(new URL(imported, file).href)
  }
  return null
}

/** Returns the relative paths that a module imports. */
function importsOf(path: string): string[] {
  try {
    return [...readFileSync(path, 'utf8').matchAll(/\b(?:from|import)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g)].map(
      (found) => found[1]!,
    )
  } catch {
    return []
  }
}

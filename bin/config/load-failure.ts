import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { messageOf } from '../../kernel/index.ts'
import { suggest } from '../../plugins/library/suggestions/index.ts'

/** Files that are looked through for the one that has a mistake. */
const MOST_FILES = 50
const CHECK_MILLISECONDS = 10_000

/** Endings of files that Node runs as modules. */
const ENDINGS = ['.ts', '.js', '.mjs', '.cjs', '.mts', '.cts']
/** A name that a package can have. */
const PACKAGE_NAME = /^(?:@[a-z\d][\w.-]*\/)?[a-z\d][\w.-]*$/i

/**
 * Why a module of somebody else could not be loaded, in words for its author: with file, line and column of a mistake in
 * its syntax, whichever of the files it imports has it.
 * @param url of the module that was to be loaded
 */
export function loadFailure(error: unknown, url: string): string {
  if (!(error instanceof Error)) return messageOf(error)
  const [first = ''] = error.message.split('\n')
  if (error instanceof SyntaxError) {
    // What is no JSON has its place in the sentence.
    const place = / in JSON at position /.test(first) ? null : (placeOfMistake(error.stack ?? '') ?? mistakeIn(url))
    const [, name] = / does not provide an export named '([^']+)'/.exec(first) ?? []
    const advice =
      name === undefined || !/\.[mc]?ts:/.test(place ?? '') ? '' : `: if it is a type, import { type ${name} }`
    return `${first}${advice}${place === null ? '' : ` (${place})`}`
  }
  const { code } = error as NodeJS.ErrnoException
  const [, missing] = /^Cannot find package '([^']+)'/.exec(first) ?? []
  if (code === 'ERR_MODULE_NOT_FOUND' && missing !== undefined) {
    if (!PACKAGE_NAME.test(missing)) return `${first}: no package can have this name; a file has a path from here (./…)`
    return `${first}: install it with npm install ${missing}`
  }
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'ERR_UNSUPPORTED_DIR_IMPORT') {
    const [, wanted = ''] = /^(?:Cannot find module|Directory import) '([^']+)'/.exec(first) ?? []
    return `${first}${nearFile(wanted)}`
  }
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION') return `${first}: Node runs ${ENDINGS.join(', ')}`
  if (code === 'ERR_IMPORT_ATTRIBUTE_MISSING') {
    const [, data = ''] = /^Module "([^"]+)"/.exec(first) ?? []
    return data === url ? 'it is data, not code' : `${first}: write import … with { type: 'json' }`
  }
  if (error instanceof ReferenceError && /^(?:module|exports|require) is not defined/.test(first)) {
    return `${first}: write import and export default, or name the file .cjs`
  }
  return first
}

/** The end of a sentence about a file that is not there: the one that may be meant by its path. */
export function nearFile(path: string): string {
  const bare = path.replace(/\.\w+$/, '')
  const starts = [path, bare, join(path, 'index'), join(bare, 'index')]
  const meant = starts.flatMap((start) => ENDINGS.map((ending) => start + ending))
  const found = meant.find((file) => existsSync(file) && statSync(file).isFile())
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

/** What Node prints above an error: the file with the line, the line, and marks below the place. */
const MARKED = /^(file:\/\/\S+|\/\S+|[A-Za-z]:\\[^\n]+?):(\d+)\n(.*)\n(\s*)\^/m

function placeOfMistake(text: string): string | null {
  const [, file, line, , before] = MARKED.exec(text) ?? []
  if (file === undefined || before === undefined) return null
  return `${file.startsWith('file:') ? fileURLToPath(file) : file}:${line}:${before.length + 1}`
}

/** V8 keeps to itself where a module could not be parsed: another Node says so of a file without running it. */
function mistakeIn(url: string): string | null {
  const files = new Set([url])
  for (const file of files) {
    if (!file.startsWith('file:')) continue
    const path = fileURLToPath(file)
    const { stderr, status } = spawnSync(process.execPath, ['--check', path], {
      encoding: 'utf8',
      timeout: CHECK_MILLISECONDS,
    })
    if (status !== 0) return placeOfMistake(stderr) ?? path
    for (const imported of importsOf(path)) if (files.size < MOST_FILES) files.add(new URL(imported, file).href)
  }
  return null
}

/** The files that a module imports by a relative path. */
function importsOf(path: string): string[] {
  try {
    return [...readFileSync(path, 'utf8').matchAll(/\b(?:from|import)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g)].map(
      (found) => found[1]!,
    )
  } catch {
    return []
  }
}

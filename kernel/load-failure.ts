import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Files that are looked through for the one that has a mistake. */
const MOST_FILES = 50
const CHECK_MILLISECONDS = 10_000

/**
 * Why a module of somebody else could not be loaded, in words for its author: with file, line and column of a mistake in
 * its syntax, whichever of the files it imports has it.
 * @param url of the module that was to be loaded
 */
export function loadFailure(error: unknown, url: string): string {
  if (!(error instanceof Error)) return `it threw ${String(error)}`
  const [first = ''] = error.message.split('\n')
  if (error instanceof SyntaxError) {
    const place = placeOfMistake(error.stack ?? '') ?? mistakeIn(url)
    return place === null ? first : `${first} (${place})`
  }
  const { code } = error as NodeJS.ErrnoException
  const [, missing] = /^Cannot find package '([^']+)'/.exec(first) ?? []
  if (code === 'ERR_MODULE_NOT_FOUND' && missing !== undefined)
    return `${first}: install it with npm install ${missing}`
  if (error instanceof ReferenceError && /^(?:module|exports|require) is not defined/.test(first)) {
    return `${first}: write import and export default, or name the file .cjs`
  }
  return first
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

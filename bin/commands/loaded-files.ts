import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { LOADER_URL } from '../config/index.ts'

/** URLs of the code folders of this package. */
const PACKAGE_FOLDERS = ['../../kernel/', '../../plugins/', '../'].map(
  (folder) => new URL(folder, import.meta.url).href,
)

/**
 * Reports each later import of a file of the site: the config, the entry files of its own plugins, and every file that
 * these import by a path. Does not report modules in `node_modules`.
 * @param report receives the path of the file and the hash of its content, before the file runs
 */
export function reportLoadedFiles(report: (file: string, hash: string | null) => void): void {
  const reported = new Set<string>()
  registerHooks({
    resolve: (specifier, context, next) => {
      const found = next(specifier, context)
      const [url, parent] = [found.url, context.parentURL ?? ''].map(withoutQuery) as [string, string]
      if (!isLocal(url) || (parent !== LOADER_URL && !reported.has(parent)) || reported.has(url)) return found
      reported.add(url)
      const file = fileURLToPath(url)
      report(file, hashOf(file))
      return found
    },
  })
}

/** Returns the hash of the content of a file; null if the file is empty or does not exist. */
export function hashOf(file: string): string | null {
  try {
    const content = readFileSync(file)
    return content.length === 0 ? null : createHash('sha1').update(content).digest('base64')
  } catch {
    return null
  }
}

function isLocal(url: string): boolean {
  return (
    url.startsWith('file:') &&
    !url.includes('/node_modules/') &&
    !PACKAGE_FOLDERS.some((folder) => url.startsWith(folder))
  )
}

const withoutQuery = (url: string) => url.replace(/[?#].*$/, '')

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { LOADER_URL } from '../config/index.ts'

/** Folders of this package. */
const OURS = ['../../kernel/', '../../plugins/', '../'].map((folder) => new URL(folder, import.meta.url).href)

/**
 * Reports the files of a site's own plugins when they are imported from now on: the entry files, the config, and every
 * file that these import by a path. Modules in `node_modules` are not reported.
 * @param report gets the path of the file and the hash of its content, before the file runs
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

/** Hash of the content of a file; null for a file that is empty or not there. */
export function hashOf(file: string): string | null {
  try {
    const content = readFileSync(file)
    return content.length === 0 ? null : createHash('sha1').update(content).digest('base64')
  } catch {
    return null
  }
}

function isLocal(url: string): boolean {
  return url.startsWith('file:') && !url.includes('/node_modules/') && !OURS.some((folder) => url.startsWith(folder))
}

const withoutQuery = (url: string) => url.replace(/[?#].*$/, '')

import { existsSync, readFileSync } from 'node:fs'

/**
 * Returns the version of svc-rest from its package.json, three folders above the sources and four above `dist/`; '' if
 * the file is missing.
 */
export function ownVersion(): string {
  for (const up of ['../../../', '../../../../']) {
    const file = new URL(`${up}package.json`, import.meta.url)
    if (!existsSync(file)) continue
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version?: unknown }
    if (typeof version === 'string') return version
  }
  return ''
}

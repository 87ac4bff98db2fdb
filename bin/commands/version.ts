import { existsSync, readFileSync } from 'node:fs'

/** Returns the version of svc-rest in its package.json, which is two folders above the sources and three above `dist/`. */
export function ownVersion(): string {
  const files = ['../../package.json', '../../../package.json'].map((path) => new URL(path, import.meta.url))
  const { version } = JSON.parse(
    readFileSync(
      files.find((file) => existsSync(file))!,
      'utf8',
    ),
  ) as { version: string }
  return version
}

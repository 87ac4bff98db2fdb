import { isObject } from '../../../kernel/index.ts'

/** A file of the bundle that browsers request. */
export interface BundleFile {
  /** Media type. */
  readonly type: string
  readonly bytes: number
  /** Bytes of the Brotli-compressed copy in the same folder: `NAME.br`. */
  readonly compressed: number
}

/** The description of a bundle that `svc editor install` writes. */
export interface Manifest {
  /** SHA-256 of the packages and scripts. */
  readonly set: string
  /** Date of installation, in ISO 8601. */
  readonly installed: string
  /** Name of the folder with the files, next to the manifest. */
  readonly folder: string
  /** Names of the files that a page loads. */
  readonly script: string
  readonly style: string
  /** Styles of the iframe in which content is edited. */
  readonly canvas: string
  /** The worker that resizes images in the browser; null if it was not installed. */
  readonly resizing: string | null
  /** Files by name; names contain a hash of the content. */
  readonly files: Readonly<Record<string, BundleFile>>
  /** Versions of the packages, by name. */
  readonly packages: Readonly<Record<string, string>>
}

/** A file name without slashes, so that no path leads out of the folder. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/

/** Parses a manifest; null if it is invalid. */
export function readManifest(text: string): Manifest | null {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return null
  }
  // Manifests of older versions have no `resizing`.
  const whole = isObject(parsed) ? { resizing: null, ...parsed } : parsed
  return isManifest(whole) ? whole : null
}

function isManifest(value: unknown): value is Manifest {
  if (!isObject(value)) return false
  const { set, installed, folder, script, style, canvas, resizing, files, packages } = value
  const isText = [set, installed].every((value) => typeof value === 'string')
  const loaded = [script, style, canvas, ...(resizing === null ? [] : [resizing])]
  const areNames = [folder, ...loaded].every((name) => typeof name === 'string' && NAME.test(name))
  if (!isText || !areNames || !isObject(files) || !isObject(packages)) return false
  const areFiles = Object.entries(files).every(([name, file]) => NAME.test(name) && isFile(file))
  return areFiles && loaded.every((name) => Object.hasOwn(files, String(name)))
}

function isFile(value: unknown): value is BundleFile {
  if (!isObject(value)) return false
  return (
    typeof value['type'] === 'string' && [value['bytes'], value['compressed']].every((size) => Number.isInteger(size))
  )
}

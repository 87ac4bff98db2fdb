import { isObject } from '../../../kernel/index.ts'

/** A file of the bundle, as pages ask for it. */
export interface BundleFile {
  /** Media type. */
  readonly type: string
  readonly bytes: number
  /** Bytes of the copy that is compressed with Brotli, which is beside it: `NAME.br`. */
  readonly compressed: number
}

/** What `svc editor install` has written about the bundle. */
export interface Manifest {
  /** Tells this set of packages and scripts from others: a SHA-256. */
  readonly set: string
  /** When it was installed, in ISO 8601. */
  readonly installed: string
  /** Name of the folder with the files, beside the manifest. */
  readonly folder: string
  /** Names of the files that a page loads. */
  readonly script: string
  readonly style: string
  /** Styles of the document in which content is edited. */
  readonly canvas: string
  /** The worker that resizes images in the browser; null where it was not chosen. */
  readonly resizing: string | null
  /** Files by their names, which tell their contents. */
  readonly files: Readonly<Record<string, BundleFile>>
  /** Versions of the packages in it, by name. */
  readonly packages: Readonly<Record<string, string>>
}

/** A name that is no path: what a manifest names is below its folder. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/

/** The manifest in a text; null where it is none. */
export function readManifest(text: string): Manifest | null {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    return null
  }
  // Manifests of versions that had no choice do not say.
  const whole = isObject(given) ? { resizing: null, ...given } : given
  return isManifest(whole) ? whole : null
}

function isManifest(given: unknown): given is Manifest {
  if (!isObject(given)) return false
  const { set, installed, folder, script, style, canvas, resizing, files, packages } = given
  const isText = [set, installed].every((value) => typeof value === 'string')
  const loaded = [script, style, canvas, ...(resizing === null ? [] : [resizing])]
  const areNames = [folder, ...loaded].every((name) => typeof name === 'string' && NAME.test(name))
  if (!isText || !areNames || !isObject(files) || !isObject(packages)) return false
  const areFiles = Object.entries(files).every(([name, file]) => NAME.test(name) && isFile(file))
  return areFiles && loaded.every((name) => Object.hasOwn(files, String(name)))
}

function isFile(given: unknown): given is BundleFile {
  if (!isObject(given)) return false
  return (
    typeof given['type'] === 'string' && [given['bytes'], given['compressed']].every((size) => Number.isInteger(size))
  )
}

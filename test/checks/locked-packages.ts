/** The used fields of an entry of a lock file. */
export interface LockedPackage {
  version: string
  integrity?: string
  dev?: boolean
  devOptional?: boolean
  hasInstallScript?: boolean
  dependencies?: Readonly<Record<string, string>>
}

/** Packages by path: `node_modules/a/node_modules/b`; the project itself is `''`. */
export type LockedPackages = Readonly<Record<string, LockedPackage>>

/** Returns the package name of a path in a lock file. */
export function nameOf(place: string): string {
  return place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

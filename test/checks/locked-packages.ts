/** An entry of a lock file, as far as it is read here. */
export interface LockedPackage {
  version: string
  integrity?: string
  dev?: boolean
  devOptional?: boolean
  hasInstallScript?: boolean
  dependencies?: Readonly<Record<string, string>>
}

/** Packages by their place: `node_modules/a/node_modules/b`; the project itself is `''`. */
export type LockedPackages = Readonly<Record<string, LockedPackage>>

/** What a place in a lock file installs. */
export function nameOf(place: string): string {
  return place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

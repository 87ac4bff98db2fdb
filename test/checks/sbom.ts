/** An entry of a lock file, as far as it is read here. */
export interface LockedPackage {
  version: string
  integrity?: string
  license?: string
  dev?: boolean
  devOptional?: boolean
  optional?: boolean
  hasInstallScript?: boolean
  dependencies?: Readonly<Record<string, string>>
  optionalDependencies?: Readonly<Record<string, string>>
}

/** Packages by their place: `node_modules/a/node_modules/b`; the project itself is `''`. */
export type LockedPackages = Readonly<Record<string, LockedPackage>>

/** What a place in a lock file installs. */
export function nameOf(place: string): string {
  return place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

/**
 * A software bill of materials (CycloneDX 1.5) of what is installed with the package: each dependency with its version,
 * its license, the hash that npm checks, and what it depends on in turn. The same lock file gives the same text.
 */
export function billOf(packages: LockedPackages, { name, version }: { name: string; version: string }): object {
  const places = Object.keys(packages).filter((place) => {
    const { dev = false, devOptional = false } = packages[place]!
    return place !== '' && !dev && !devOptional
  })
  const root = `${name}@${version}`
  const refOf = (place: string) => (place === '' ? root : purlOf(nameOf(place), packages[place]!.version))
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': root, name, version, purl: purlOf(name, version) } },
    components: unique(places.map((place) => componentOf(nameOf(place), packages[place]!))),
    dependencies: unique(
      ['', ...places].map((place) => ({ ref: refOf(place), dependsOn: dependenciesOf(packages, place).map(refOf) })),
    ),
  }
}

function componentOf(name: string, { version, integrity = '', license, optional = false }: LockedPackage): object {
  const [algorithm = '', hash = ''] = integrity.split(/-(.*)/s)
  const purl = purlOf(name, version)
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    scope: optional ? 'optional' : 'required',
    purl,
    ...(license !== undefined && { licenses: [{ expression: license }] }),
    ...(hash !== '' && {
      hashes: [{ alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(hash, 'base64').toString('hex') }],
    }),
  }
}

/** The places of what a package depends on: the nearest above it, as Node finds them. */
function dependenciesOf(packages: LockedPackages, place: string): string[] {
  const { dependencies, optionalDependencies } = packages[place]!
  const found = Object.keys({ ...dependencies, ...optionalDependencies }).map((name) => {
    let above = place
    for (;;) {
      const at = `${above === '' ? '' : `${above}/`}node_modules/${name}`
      if (Object.hasOwn(packages, at)) return at
      if (above === '') return undefined
      above = above.slice(0, Math.max(0, above.lastIndexOf('node_modules/') - 1))
    }
  })
  return found.filter((at): at is string => at !== undefined)
}

function purlOf(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

/** Without what is there twice because it is installed in two places. */
function unique(list: readonly object[]): object[] {
  return [...new Map(list.map((item) => [JSON.stringify(item), item])).values()]
}

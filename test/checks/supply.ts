// npm run check:supply: checks the lock file. Lists the packages with install scripts, and fails if `allowScripts` in
// package.json does not list the same packages, or a package has no hash. The build writes the list of all installed
// packages, dist/sbom.cdx.json.
import lock from '../../package-lock.json' with { type: 'json' }
import createPackage from '../../bin/create-svc-rest/package.json' with { type: 'json' }
import packageJson from '../../package.json' with { type: 'json' }
import { nameOf, type LockedPackages } from './locked-packages.ts'

const packages: LockedPackages = lock.packages
const decided: Readonly<Record<string, boolean>> = packageJson.allowScripts
const wanting = new Set(
  Object.keys(packages)
    .filter((place) => packages[place]!.hasInstallScript)
    .map(nameOf),
)
const unprotected = Object.keys(packages).filter((place) => place !== '' && packages[place]!.integrity === undefined)

for (const name of wanting) {
  console.log(`install script: ${name}, ${decided[name] === true ? 'runs' : 'does not run'}`)
}
const wrong = [
  ...[...wanting.difference(new Set(Object.keys(decided)))].map(
    (name) => `${name} has an install script. Allow or forbid it in allowScripts of package.json.`,
  ),
  ...Object.keys(decided)
    .filter((name) => !wanting.has(name))
    .map((name) => `${name} has no install script. Remove it from allowScripts of package.json.`),
  ...Object.keys(createPackage)
    .filter((key) => /dependencies$/i.test(key))
    .map((key) => `create-svc-rest has ${key}, which npm create would download each time.`),
  ...unprotected.map((place) => `${place} has no hash in package-lock.json.`),
]
for (const sentence of wrong) console.error(sentence)
process.exitCode = wrong.length === 0 ? 0 : 1

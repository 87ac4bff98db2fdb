// npm run check:supply: checks the lock file. Lists the packages with install scripts, and fails if `allowScripts` in
// package.json does not list the same packages, or a package has no hash. The build writes the list of all installed
// packages, dist/sbom.cdx.json.
import lock from '../../package-lock.json' with { type: 'json' }
import createPackage from '../../bin/create-svc-rest/package.json' with { type: 'json' }
import packageJson from '../../package.json' with { type: 'json' }
import { nameOf, type LockedPackages } from './locked-packages.ts'

const packages: LockedPackages = lock.packages
const allowScripts: Readonly<Record<string, boolean>> = packageJson.allowScripts
const withInstallScript = new Set(
  Object.keys(packages)
    .filter((place) => packages[place]!.hasInstallScript)
    .map(nameOf),
)
const unprotected = Object.keys(packages).filter((place) => place !== '' && packages[place]!.integrity === undefined)

for (const name of withInstallScript) {
  console.log(`install script: ${name}, ${allowScripts[name] === true ? 'runs' : 'does not run'}`)
}
const problems = [
  ...[...withInstallScript.difference(new Set(Object.keys(allowScripts)))].map(
    (name) => `${name} has an install script. Allow or forbid it in allowScripts of package.json.`,
  ),
  ...Object.keys(allowScripts)
    .filter((name) => !withInstallScript.has(name))
    .map((name) => `${name} has no install script. Remove it from allowScripts of package.json.`),
  ...Object.keys(createPackage)
    .filter((key) => /dependencies$/i.test(key))
    .map((key) => `create-svc-rest has ${key}, which npm create would download each time.`),
  ...unprotected.map((place) => `${place} has no hash in package-lock.json.`),
]
for (const sentence of problems) console.error(sentence)
process.exitCode = problems.length === 0 ? 0 : 1

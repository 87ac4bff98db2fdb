// npm run check:supply: what the lock file brings along. Lists the packages that want to run a script when they are
// installed, which have to be those that `allowScripts` in package.json decides about, and misses what no hash protects.
// The list of everything that is installed with the package (SBOM) is written by the build, dist/sbom.cdx.json.
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
    (name) => `${name} has an install script: say in allowScripts whether it may run.`,
  ),
  ...Object.keys(decided)
    .filter((name) => !wanting.has(name))
    .map((name) => `${name} has no install script any more: take it out of allowScripts.`),
  ...Object.keys(createPackage)
    .filter((key) => /dependencies$/i.test(key))
    .map((key) => `create-svc-rest has ${key}: who runs it with npm create would download them each time.`),
  ...unprotected.map((place) => `${place} has no hash in package-lock.json.`),
]
for (const sentence of wrong) console.error(sentence)
process.exitCode = wrong.length === 0 ? 0 : 1

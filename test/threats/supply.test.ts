import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import lock from '../../package-lock.json' with { type: 'json' }
import packageJson from '../../package.json' with { type: 'json' }
import { nameOf, type LockedPackages } from '../checks/locked-packages.ts'
import { billOfMaterials } from '../checks/sbom.ts'

const supply = suite('installed packages')
const packages: LockedPackages = lock.packages

supply('S45: have a hash, and include at most 30 direct dependencies', () => {
  for (const [place, { integrity = '' }] of Object.entries(packages)) {
    if (place !== '') assert.match(integrity, /^sha512-/, place)
  }
  assert.equal(packages['']!.dependencies, packageJson.dependencies)
  assert.ok(Object.keys(packageJson.dependencies).length <= 30)
})

supply('S45: have install scripts only if allowScripts lists them', () => {
  const wanting = Object.keys(packages).filter((place) => packages[place]!.hasInstallScript)
  assert.equal(wanting.map(nameOf).sort(), Object.keys(packageJson.allowScripts).sort())
})

supply('S45: are listed once in the bill of materials, with their hash and dependents', async () => {
  const { metadata, components, dependencies } = await billOfMaterials()
  const names = components.map(({ name }) => name)
  for (const name of Object.keys(packageJson.dependencies)) assert.ok(names.includes(name), name)
  for (const name of Object.keys(packageJson.devDependencies)) assert.not.ok(names.includes(name), name)
  for (const { name, hashes } of components) assert.is(hashes.length, 1, name)
  const refs = new Set(components.map((component) => component['bom-ref']))
  assert.is(refs.size, components.length)
  const needed = new Set(dependencies.flatMap(({ dependsOn }) => dependsOn))
  assert.equal(refs.symmetricDifference(needed), new Set())
  const root = dependencies.find(({ ref }) => ref === metadata.component['bom-ref'])
  assert.equal(root?.dependsOn.length, Object.keys(packageJson.dependencies).length)
  assert.is(metadata.component.name, packageJson.name)
})

supply('S45: result in the same bill of materials for the same lock file', async () => {
  assert.equal(await billOfMaterials(), await billOfMaterials())
})

supply.run()

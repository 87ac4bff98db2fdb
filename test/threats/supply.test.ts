import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import lock from '../../package-lock.json' with { type: 'json' }
import packageJson from '../../package.json' with { type: 'json' }
import { billOf, nameOf, type LockedPackages } from '../checks/sbom.ts'

const supply = suite('threats, supply')
const packages: LockedPackages = lock.packages

supply('S45: whatever is installed is named with its hash, and few of it is asked for', () => {
  for (const [place, { integrity = '' }] of Object.entries(packages)) {
    if (place !== '') assert.match(integrity, /^sha512-/, place)
  }
  assert.equal(packages['']!.dependencies, packageJson.dependencies)
  assert.ok(Object.keys(packageJson.dependencies).length <= 29)
})

supply('S45: no package runs a script when it is installed that nobody has decided about', () => {
  const wanting = Object.keys(packages).filter((place) => packages[place]!.hasInstallScript)
  assert.equal(wanting.map(nameOf).sort(), Object.keys(packageJson.allowScripts).sort())
})

supply('S45: the bill of materials names what is installed with the package, once, and what needs it', () => {
  const bill = billOf(packages, lock) as {
    components: { name: string; purl: string; hashes: unknown[] }[]
    dependencies: { ref: string; dependsOn: string[] }[]
  }
  const names = bill.components.map(({ name }) => name)
  for (const name of Object.keys(packageJson.dependencies)) assert.ok(names.includes(name), name)
  for (const name of Object.keys(packageJson.devDependencies)) assert.not.ok(names.includes(name), name)
  const known = new Set(bill.components.map(({ purl }) => purl))
  assert.is(known.size, bill.components.length)
  for (const { dependsOn } of bill.dependencies) for (const purl of dependsOn) assert.ok(known.has(purl), purl)
  const needed = new Set(bill.dependencies.flatMap(({ dependsOn }) => dependsOn))
  assert.equal(known.difference(needed), new Set())
})

supply('S45: a package that is there in two versions is named twice', () => {
  const integrity = `sha512-${Buffer.from('x').toString('base64')}`
  const bill = billOf(
    {
      '': { version: '1.0.0', dependencies: { a: '1', '@x/b': '1' } },
      'node_modules/a': { version: '1.0.0', integrity, dependencies: { '@x/b': '2' } },
      'node_modules/a/node_modules/@x/b': { version: '2.0.0', integrity },
      'node_modules/@x/b': { version: '1.0.0', integrity },
      'node_modules/c': { version: '1.0.0', integrity, dev: true },
    },
    { name: 'top', version: '1.0.0' },
  ) as { dependencies: object[] }
  assert.equal(bill.dependencies, [
    { ref: 'top@1.0.0', dependsOn: ['pkg:npm/a@1.0.0', 'pkg:npm/%40x/b@1.0.0'] },
    { ref: 'pkg:npm/a@1.0.0', dependsOn: ['pkg:npm/%40x/b@2.0.0'] },
    { ref: 'pkg:npm/%40x/b@2.0.0', dependsOn: [] },
    { ref: 'pkg:npm/%40x/b@1.0.0', dependsOn: [] },
  ])
})

supply.run()

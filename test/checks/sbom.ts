import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import lock from '../../package-lock.json' with { type: 'json' }
import { nameOf, type LockedPackages } from './locked-packages.ts'

const ARGUMENTS = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application']

/** The used fields of a bill of materials. */
export interface Bill {
  serialNumber?: string
  readonly metadata: { timestamp?: string; readonly component: { name: string; readonly 'bom-ref': string } }
  components: { readonly 'bom-ref': string; readonly name: string; readonly hashes: readonly unknown[] }[]
  dependencies: { readonly ref: string; dependsOn: readonly string[] }[]
}

/**
 * Returns the software bill of materials (CycloneDX) of the packages that are installed with this one: the output of
 * `npm sbom` without development packages. It omits the random serial number and the time, so that a lock file always
 * results in the same text.
 */
export async function billOfMaterials(): Promise<Bill> {
  const options = { cwd: resolve(import.meta.dirname, '../..'), maxBuffer: 64e6 }
  const { stdout } = await promisify(execFile)('npm', ARGUMENTS, options)
  const { serialNumber: _, ...bill } = JSON.parse(stdout) as Bill
  delete bill.metadata.timestamp
  const { component } = bill.metadata
  // npm uses the name of the folder.
  component.name = lock.name
  const installed = new Set([component['bom-ref'], ...installedPackages(lock.packages)])
  bill.components = bill.components.filter((one) => installed.has(one['bom-ref']))
  bill.dependencies = bill.dependencies.filter(({ ref }) => installed.has(ref))
  for (const dependency of bill.dependencies)
    dependency.dependsOn = dependency.dependsOn.filter((ref) => installed.has(ref))
  return bill
}

/**
 * Packages by name and version. `npm sbom --omit=dev` (11.19) also omits dependencies that development packages share.
 */
function installedPackages(packages: LockedPackages): string[] {
  return Object.entries(packages)
    .filter(([, { dev = false, devOptional = false }]) => !dev && !devOptional)
    .map(([place, { version }]) => `${nameOf(place)}@${version}`)
}

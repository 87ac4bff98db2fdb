import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import lock from '../../package-lock.json' with { type: 'json' }
import { nameOf, type LockedPackages } from './locked-packages.ts'

const ARGUMENTS = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application']

/** A bill of materials, as far as it is read here. */
export interface Bill {
  serialNumber?: string
  readonly metadata: { timestamp?: string; readonly component: { name: string; readonly 'bom-ref': string } }
  components: { readonly 'bom-ref': string; readonly name: string; readonly hashes: readonly unknown[] }[]
  dependencies: { readonly ref: string; dependsOn: readonly string[] }[]
}

/**
 * Software bill of materials (CycloneDX) of the packages that are installed with ours: that of `npm sbom` without development
 * packages, and without its random serial number and its time, so that the same lock file gives the same text.
 */
export async function billOfMaterials(): Promise<Bill> {
  const options = { cwd: resolve(import.meta.dirname, '../..'), maxBuffer: 64e6 }
  const { stdout } = await promisify(execFile)('npm', ARGUMENTS, options)
  const { serialNumber: _, ...bill } = JSON.parse(stdout) as Bill
  delete bill.metadata.timestamp
  const { component } = bill.metadata
  // npm writes the name of the folder.
  component.name = lock.name
  const installed = new Set([component['bom-ref'], ...installedPackages(lock.packages)])
  bill.components = bill.components.filter((one) => installed.has(one['bom-ref']))
  bill.dependencies = bill.dependencies.filter(({ ref }) => installed.has(ref))
  for (const dependency of bill.dependencies)
    dependency.dependsOn = dependency.dependsOn.filter((ref) => installed.has(ref))
  return bill
}

/** By name and version. `npm sbom --omit=dev` (11.19) leaves out dependencies that development packages have, too. */
function installedPackages(packages: LockedPackages): string[] {
  return Object.entries(packages)
    .filter(([, { dev = false, devOptional = false }]) => !dev && !devOptional)
    .map(([place, { version }]) => `${nameOf(place)}@${version}`)
}

import type { PluginContext } from '../../../kernel/index.ts'
import type { Bundle } from './bundle.ts'
import { errors } from './errors.ts'
import type { InstallChoice } from './install.ts'
import type { Manifest } from './manifest.ts'

const LICENSE =
  'The packages are not part of svc-rest. They are downloaded from the npm registry, and most are licensed GPL-2.0-or-later.'

const RESIZING_OFF = 'after you enable the option client_resizing of the plugin media'

/** Adds `svc editor install`, `update`, `remove` and `status`. */
export function addEditorCommands({ addCommand, has, services }: PluginContext, bundle: Bundle): void {
  const acceptsVersions = () => has('media') && services.media.acceptsVersions
  const keep = {
    type: 'boolean',
    default: false,
    description: 'Keeps the downloaded packages in the folder, for inspection.',
  } as const
  const resizing = {
    type: 'boolean',
    default: false,
    description:
      'Resizes images in the browser. Adds 12 MB (3 MB compressed), which browsers load with the first image.',
  } as const
  addCommand('editor install', {
    summary: 'Installs the block editor and enables its pages.',
    description: `${LICENSE} The command needs npm and takes some minutes; an installed editor stays in use until the new one is complete.`,
    flags: { resizing, keep },
    async run({ flags, print }) {
      await installNow(bundle, flags, print)
      if (flags.resizing && !acceptsVersions()) print(`Images are resized in the browser ${RESIZING_OFF}.`)
    },
  })
  addCommand('editor update', {
    summary: 'Installs the block editor again with the same options, if this version of svc-rest has a newer one.',
    flags: { keep },
    async run({ flags: { keep }, print }) {
      const { manifest } = bundle
      if (manifest === null && !bundle.isThere) throw errors.EDITOR_NOT_INSTALLED()
      const { pinnedSet } = await import('./install.ts')
      if (manifest?.set === (await pinnedSet())) print('The block editor is up to date.')
      else await installNow(bundle, { keep, resizing: typeof manifest?.resizing === 'string' }, print)
    },
  })
  addCommand('editor remove', {
    summary: 'Removes the block editor and its pages.',
    async run({ print }) {
      if (!bundle.isThere) throw errors.EDITOR_NOT_INSTALLED()
      const { uninstall } = await import('./install.ts')
      await uninstall(bundle)
      print('The block editor was removed. Posts written with it are unchanged.')
    },
  })
  addCommand('editor status', {
    summary: 'Prints the version and the size of the installed block editor.',
    json: true,
    async run({ printData }) {
      const { manifest } = bundle
      if (manifest === null && bundle.isThere) throw errors.EDITOR_MANIFEST_BROKEN(bundle.manifestFile)
      if (manifest === null)
        return printData({ installed: false }, 'The block editor is not installed. Run "svc editor install".')
      const { licensesFile, pinnedSet } = await import('./install.ts')
      const current = manifest.set === (await pinnedSet())
      const data = {
        installed: true,
        current,
        since: manifest.installed,
        resizing: manifest.resizing !== null,
        resizes: manifest.resizing !== null && acceptsVersions(),
        ...sizesOf(manifest),
        packages: manifest.packages,
      }
      printData({ ...data, licenses: licensesFile(bundle, manifest) }, [
        ['installed', manifest.installed],
        ['up to date', current ? 'yes' : 'no, run "svc editor update"'],
        ['packages', String(Object.keys(manifest.packages).length)],
        ['size', sizeText(manifest)],
        ['resizing', !data.resizing ? 'no, the server resizes images' : data.resizes ? 'yes' : `yes, ${RESIZING_OFF}`],
        ['licenses', licensesFile(bundle, manifest)],
      ])
    },
  })
}

async function installNow(bundle: Bundle, choice: InstallChoice, print: (text: string) => void): Promise<void> {
  print(LICENSE)
  const { install, licensesFile } = await import('./install.ts')
  const manifest = await install(bundle, choice, print)
  const count = Object.keys(manifest.packages).length
  print(`The block editor is installed: ${count} packages, ${sizeText(manifest)}.`)
  print(`Their licenses are in ${licensesFile(bundle, manifest)}.`)
  print('Running servers use it from now on.')
}

function sizesOf({ files }: Manifest): { bytes: number; compressed: number } {
  const all = Object.values(files)
  const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0)
  return { bytes: sum(all.map(({ bytes }) => bytes)), compressed: sum(all.map(({ compressed }) => compressed)) }
}

function sizeText(manifest: Manifest): string {
  const { bytes, compressed } = sizesOf(manifest)
  return `${(bytes / 1e6).toFixed(1)} MB, ${(compressed / 1e6).toFixed(1)} MB compressed`
}

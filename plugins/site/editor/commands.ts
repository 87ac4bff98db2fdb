import type { PluginContext } from '../../../kernel/index.ts'
import type { Bundle } from './bundle.ts'
import { errors } from './errors.ts'
import type { InstallChoice } from './install.ts'
import type { Manifest } from './manifest.ts'

const LICENCE =
  'These packages are not part of svc-rest: they are fetched from the npm registry on your word, and most of them are licensed GPL-2.0-or-later.'

const RESIZING_OFF = 'once the option client_resizing of the plugin media is on'

/** Adds `svc editor install`, `update`, `remove` and `status`. */
export function addEditorCommands({ addCommand, has, services }: PluginContext, bundle: Bundle): void {
  const takesVersions = () => has('media') && services.media.takesVersions
  const keep = {
    type: 'boolean',
    default: false,
    description: 'Keeps the packages in the folder, for a look at them.',
  } as const
  const resizing = {
    type: 'boolean',
    default: false,
    description:
      'With what resizes images in the browser: 12 MB more, 3 MB as browsers fetch it, and only with the first picture.',
  } as const
  addCommand('editor install', {
    summary: 'Fetches the block editor and switches its pages on.',
    description: `${LICENCE} It needs npm, and some minutes; what is installed already stays until the new one is complete.`,
    flags: { resizing, keep },
    async run({ flags, print }) {
      await installNow(bundle, flags, print)
      if (flags.resizing && !takesVersions()) print(`Images are resized in the browser ${RESIZING_OFF}.`)
    },
  })
  addCommand('editor update', {
    summary:
      'Installs the block editor anew where this version of svc-rest comes with another one, with what was chosen then.',
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
    summary: 'Removes the block editor; its pages are gone at once.',
    async run({ print }) {
      if (!bundle.isThere) throw errors.EDITOR_NOT_INSTALLED()
      const { uninstall } = await import('./install.ts')
      await uninstall(bundle)
      print('The block editor is removed. Posts that were written with it stay as they are.')
    },
  })
  addCommand('editor status', {
    summary: 'Says whether the block editor is installed, which one, and how large it is.',
    json: true,
    async run({ printData }) {
      const { manifest } = bundle
      if (manifest === null && bundle.isThere) throw errors.EDITOR_MANIFEST_BROKEN(bundle.manifestFile)
      if (manifest === null)
        return printData({ installed: false }, 'The block editor is not installed: "svc editor install" fetches it.')
      const { licensesFile, pinnedSet } = await import('./install.ts')
      const current = manifest.set === (await pinnedSet())
      const data = {
        installed: true,
        current,
        since: manifest.installed,
        resizing: manifest.resizing !== null,
        resizes: manifest.resizing !== null && takesVersions(),
        ...sizesOf(manifest),
        packages: manifest.packages,
      }
      printData({ ...data, licenses: licensesFile(bundle, manifest) }, [
        ['installed', manifest.installed],
        ['up to date', current ? 'yes' : 'no: "svc editor update"'],
        ['packages', String(Object.keys(manifest.packages).length)],
        ['size', sizeText(manifest)],
        ['resizing', !data.resizing ? 'no: the server resizes images' : data.resizes ? 'yes' : `yes, ${RESIZING_OFF}`],
        ['licences', licensesFile(bundle, manifest)],
      ])
    },
  })
}

async function installNow(bundle: Bundle, choice: InstallChoice, print: (text: string) => void): Promise<void> {
  print(LICENCE)
  const { install, licensesFile } = await import('./install.ts')
  const manifest = await install(bundle, choice, print)
  const count = Object.keys(manifest.packages).length
  print(`The block editor is installed: ${count} packages, ${sizeText(manifest)}.`)
  print(`Their licences are in ${licensesFile(bundle, manifest)}.`)
  print('Servers that run show it from now on.')
}

function sizesOf({ files }: Manifest): { bytes: number; compressed: number } {
  const all = Object.values(files)
  const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0)
  return { bytes: sum(all.map(({ bytes }) => bytes)), compressed: sum(all.map(({ compressed }) => compressed)) }
}

function sizeText(manifest: Manifest): string {
  const { bytes, compressed } = sizesOf(manifest)
  return `${(bytes / 1e6).toFixed(1)} MB, ${(compressed / 1e6).toFixed(1)} MB as browsers fetch it`
}

import { createReadStream, type Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import type { SiteConfig } from '../../kernel/index.ts'
import { formatReport, type ImportProgress } from '../../plugins/operations/importer/index.ts'
import { ownVersion } from '../../plugins/operations/installed-plugins/own-version.ts'
import { configFlags, configFrom, configUsage } from './config-flags.ts'
import { switchedOff, printFailure } from './failure.ts'
import { startSite } from './site.ts'

export const usage = () => `Usage: svc-import [FLAGS] FILE.wxr

Brings an export (WXR) of another site into this one. Run again, it brings only what is new.

  --uploads DIR|TAR     Folder or .tar(.gz) with the media files.
  --download            Downloads media files that are missing here from the old site. Run again, it goes on.
  --allow HOST          A host or network that may be asked for them though it is not public, such as old.internal,
                        10.0.0.5:8080 or 10.0.0.0/8; may be given several times.
  --site FILE           JSON with what an export lacks: roles and passwords of users, settings, menus, the theme with its
                        files. May be given several times; what a later file says wins.
  --keep-addresses      Leaves URLs of the old site as they are.
  --trust-html          Keeps all HTML of contents, whoever wrote them. Without it, contents of users who may not write
                        any HTML here are filtered like those that are sent; so are all comments, names and URLs.
  --version, -v         Prints the version of svc-rest.
  --help                This text.

${usageOfConfig()}`

const FLAGS = {
  ...configFlags,
  uploads: { type: 'string' },
  download: { type: 'boolean' },
  allow: { type: 'string', multiple: true },
  site: { type: 'string', multiple: true },
  'keep-addresses': { type: 'boolean' },
  'trust-html': { type: 'boolean' },
  version: { type: 'boolean', short: 'v' },
  help: { type: 'boolean' },
} as const

/** Ends the process once all that was printed is out. */
export { end } from './end.ts'

/** Runs `svc-import`: prints the report, or in one paragraph what went wrong. Resolves with the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = parseArgs({ args: [...argv], allowPositionals: true, options: FLAGS })
    if (values.help === true) {
      console.log(usage())
      return 0
    }
    if (values.version === true) {
      console.log(ownVersion())
      return 0
    }
    const [file, ...more] = positionals
    if (file === undefined) throw new Error(`Which file? Name one export.\n\n${usage()}`)
    if (more.length > 0) throw new Error(`One file at a time, please: ${more.join(', ')} is too much.`)
    // The flag for media files has the name of the config key for their folder.
    if (values.allow !== undefined && values.download !== true) throw new Error('--allow goes with --download.')
    const config = await configFrom({ ...values, uploads: undefined })
    console.log(await run(file, config, values))
    return 0
  } catch (error) {
    return printFailure(error)
  }
}

type Flags = Partial<
  Record<'uploads', string> &
    Record<'keep-addresses' | 'trust-html' | 'download', boolean> &
    Record<'allow' | 'site', string[]>
>

async function run(file: string, config: SiteConfig, flags: Flags): Promise<string> {
  const { size } = await statOfFile(file)
  for (const siteFile of flags.site ?? []) await statOfFile(siteFile)
  await using site = await startSite(config)
  const { importer } = site.services
  if (importer === undefined) throw switchedOff('importer')
  const progress = progressLine(size)
  try {
    const report = await importer.run({
      source: createReadStream(file),
      siteFiles: flags.site ?? [],
      ...(flags.uploads !== undefined && { uploads: flags.uploads }),
      ...(flags.download === true && { download: { allow: flags.allow ?? [] } }),
      rewrite: flags['keep-addresses'] !== true,
      trustHtml: flags['trust-html'] === true,
      onProgress: (done) => progress.show(done),
    })
    return formatReport(report)
  } finally {
    progress.clear()
  }
}

/** What is known of a file, which a folder is not. */
async function statOfFile(file: string): Promise<Stats> {
  const found = await stat(file)
  if (found.isDirectory()) throw new Error(`${file} is a folder: name a file in it.`)
  return found
}

/** The flags of the config but the one that means something else here. */
function usageOfConfig(): string {
  const lines = configUsage().split('\n')
  return lines.filter((line) => !line.startsWith('  --uploads ')).join('\n')
}

/** One line that says how far the import is; only a terminal gets it. */
function progressLine(size: number): { show(progress: ImportProgress): void; clear(): void } {
  const { stderr } = process
  if (!stderr.isTTY) return { show() {}, clear() {} }
  return {
    show({ bytes, items, files }) {
      const percent = size === 0 ? 100 : Math.floor((bytes / size) * 100)
      const downloaded = files === undefined ? '' : `  ${files.done} of ${files.missing} files`
      stderr.write(`\r\x1b[K${percent} %  ${items} items${downloaded}`)
    },
    clear: () => void stderr.write('\r\x1b[K'),
  }
}

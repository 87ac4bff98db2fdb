import { stat } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import type { SiteConfig } from '../../kernel/index.ts'
import { formatReport, loadSources, type ImportProgress } from '../../plugins/operations/importer/index.ts'
import { ownVersion } from '../../plugins/operations/installed-plugins/own-version.ts'
import { configFlags, configFrom, configUsage } from './config-flags.ts'
import { switchedOff, printFailure } from './failure.ts'
import { importLive, isUrl, LIVE_FLAGS, liveUsage } from './import-live.ts'
import { startSite } from './site.ts'
import { trustOf } from './trusted-html.ts'

export const usage = () => `Usage: svc import [FLAGS] SOURCE…
       svc-import [FLAGS] SOURCE…

Imports exports (WXR) of another site into this one. A second run imports new items, and updates items that were not
changed here. A source is a WXR file, also compressed with gzip, a zip archive or a folder with WXR files, or - for the
standard input. Several files of one site are linked with each other. A folder or an archive (zip, tar, tar.gz) with
media files can be a source, too.

  --uploads DIR|FILE    Folder or archive (.zip, .tar, .tar.gz) with the media files.
  --accept-truncated    Imports the complete part of a file that is cut off. Without it, such a file is refused.
  --json                Prints the report as JSON.
  --download            Downloads missing media files from the old site. A second run continues.
  --allow HOST          Allows downloads from a host or network that is not public, such as old.internal,
                        10.0.0.5:8080 or 10.0.0.0/8. Can be repeated.
  --site FILE           JSON with data that an export lacks: roles and passwords of users, settings, menus, the theme
                        with its files. Can be repeated; later files override earlier ones.
  --keep-addresses      Does not rewrite URLs of the old site.
  --filter-html         Filters HTML in content as in requests, unless its author has the capability unfiltered_html.
                        Without it, content keeps the HTML that administrators of this site may write. Comments, names
                        and URLs are always filtered.
  --trust-html          Keeps all HTML in content, even if no user of this site may write it.
  --restore             Adds items of an earlier import again that were deleted here.
  --version, -v         Prints the version of svc-rest.
  --help                This text.

${liveUsage}

${usageOfConfig()}`

const FLAGS = {
  ...configFlags,
  ...LIVE_FLAGS,
  uploads: { type: 'string' },
  download: { type: 'boolean' },
  allow: { type: 'string', multiple: true },
  site: { type: 'string', multiple: true },
  'keep-addresses': { type: 'boolean' },
  'trust-html': { type: 'boolean' },
  'filter-html': { type: 'boolean' },
  restore: { type: 'boolean' },
  'accept-truncated': { type: 'boolean' },
  json: { type: 'boolean' },
  version: { type: 'boolean', short: 'v' },
  help: { type: 'boolean' },
} as const

export { end } from './end.ts'

/** Runs `svc-import` and prints the report, or one paragraph about the error. Resolves with the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      allowNegative: true,
      options: FLAGS,
    })
    if (values.help === true) {
      console.log(usage())
      return 0
    }
    if (values.version === true) {
      console.log(ownVersion())
      return 0
    }
    const [file, ...more] = positionals
    if (file === undefined) throw new Error(`No source given: name the export to import.\n\n${usage()}`)
    // In this command --uploads is the source of media files, not the config key.
    const config = await configFrom({ ...values, uploads: undefined })
    if (positionals.some(isUrl)) {
      if (more.length > 0) throw new Error('The URL of a running site must be the only source.')
      console.log(await importLive(file, config, values))
      return 0
    }
    const liveFlag = Object.keys(LIVE_FLAGS).find((name) => Object.hasOwn(values, name))
    if (liveFlag !== undefined) throw new Error(`--${liveFlag} is only for the URL of a running site, not for ${file}.`)
    if (values.allow !== undefined && values.download !== true) throw new Error('--allow requires --download.')
    console.log(await run(positionals, config, values))
    return 0
  } catch (error) {
    return printFailure(error)
  }
}

type Flags = Partial<
  Record<'uploads', string> &
    Record<
      'keep-addresses' | 'trust-html' | 'filter-html' | 'restore' | 'download' | 'accept-truncated' | 'json',
      boolean
    > &
    Record<'allow' | 'site', string[]>
>

async function run(paths: readonly string[], config: SiteConfig, flags: Flags): Promise<string> {
  const { findSources } = await loadSources()
  const { exports, bytes, uploads: found } = await findSources(paths)
  const uploads = flags.uploads ?? found
  for (const siteFile of flags.site ?? []) await refuseFolder(siteFile)
  await using site = await startSite(config)
  const { importer } = site.services
  if (importer === undefined) throw switchedOff('importer')
  const progress = progressLine(bytes)
  try {
    const report = await importer.run({
      sources: exports,
      acceptTruncated: flags['accept-truncated'] === true,
      siteFiles: flags.site ?? [],
      ...(uploads !== undefined && { uploads }),
      ...(flags.download === true && { download: { allow: flags.allow ?? [] } }),
      rewrite: flags['keep-addresses'] !== true,
      trustHtml: trustOf(flags),
      restore: flags.restore === true,
      onProgress: (done) => progress.show(done),
    })
    return flags.json === true ? JSON.stringify(report, null, 2) : formatReport(report)
  } finally {
    progress.clear()
  }
}

async function refuseFolder(file: string): Promise<void> {
  if ((await stat(file)).isDirectory()) throw new Error(`${file} is a folder: name a file in it.`)
}

/** Returns the usage of the config flags without --uploads, which has another meaning in this command. */
function usageOfConfig(): string {
  const lines = configUsage().split('\n')
  return lines.filter((line) => !line.startsWith('  --uploads ')).join('\n')
}

/** A line on stderr that shows the progress of the import. Prints nothing if stderr is not a terminal. */
function progressLine(size: number): { show(progress: ImportProgress): void; clear(): void } {
  const { stderr } = process
  if (!stderr.isTTY) return { show() {}, clear() {} }
  return {
    show({ bytes, items, files }) {
      // Compressed files contain more bytes than they have.
      const percent = size === 0 ? 0 : Math.min(99, Math.floor((bytes / size) * 100))
      const downloaded = files === undefined ? '' : `  ${files.done} of ${files.missing} files`
      stderr.write(`\r\x1b[K${percent} %  ${items} items${downloaded}`)
    },
    clear: () => void stderr.write('\r\x1b[K'),
  }
}

import { parseArgs } from 'node:util'
import type { SiteConfig } from '../../kernel/index.ts'
import {
  formatExportReport,
  parseSize,
  type ExportFormat,
  type ExportOptions,
  type ExportProgress,
} from '../../plugins/operations/exporter/index.ts'
import { configFlags, configFrom, configUsage } from './config-flags.ts'
import { switchedOff } from './failure.ts'
import { startSite } from './site.ts'

const FORMATS: readonly ExportFormat[] = ['wxr', 'jsonl', 'markdown']

export const usage = () => `Usage: svc export [FLAGS] [FILE]

Exports the content of the site into FILE, or to standard output if FILE is -. By default the file is named after the host of the site and the day. The server can run in the meantime: the
export is one snapshot of the database.

  --format FORMAT       wxr (the default), which WordPress and svc-import can import; jsonl, one JSON object per line;
                        or markdown, a folder or a .zip with one file for each item.
  --type TYPE           Exports only items of this type, such as post or page. Can be repeated, like the next three.
  --status STATUS       Exports only items with this status, such as publish or draft.
  --author LOGIN        Exports only items of this author.
  --category SLUG       Exports only items in this category.
  --after DATE          Exports only items dated on or after this day, such as 2025-06-30.
  --before DATE         Exports only items dated on or before this day.
  --no-revisions        Leaves out revisions and autosaves.
  --max-size SIZE       Splits a WXR export into files of at most this size, such as 50mb.
  --uploads FILE        Also writes the media files, into a .tar, .tar.gz or .zip.
  --site FILE           Also writes a JSON file with the data that the export lacks: settings, users with their roles,
                        menu locations and the theme.
  --password-hashes     Adds the hashes of passwords to the site file. Keep it as secret as the database.
  --json                Prints the report as JSON.
  --help                This text.

${usageOfConfig()}`

const several = { type: 'string', multiple: true } as const
const FLAGS = {
  ...configFlags,
  format: { type: 'string' },
  type: several,
  status: several,
  author: several,
  category: several,
  after: { type: 'string' },
  before: { type: 'string' },
  'no-revisions': { type: 'boolean' },
  'max-size': { type: 'string' },
  uploads: { type: 'string' },
  site: { type: 'string' },
  'password-hashes': { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const

/** Runs `svc export` with the arguments after its name. */
export async function runExport(argv: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args: [...argv], allowPositionals: true, options: FLAGS })
  if (values.help === true) return void console.log(usage())
  const [file, ...more] = positionals
  if (more.length > 0) throw new Error(`Unexpected argument ${more.join(', ')}: svc export writes one FILE.`)
  const format = FORMATS.find((one) => one === (values.format ?? 'wxr'))
  if (format === undefined)
    throw new Error(`--format must be one of ${FORMATS.join(', ')}, but is "${values.format ?? ''}".`)
  if (values['password-hashes'] === true && values.site === undefined)
    throw new Error('--password-hashes requires --site.')
  const maxSize = values['max-size'] === undefined ? undefined : parseSize(values['max-size'])
  if (maxSize !== undefined && (file === '-' || format !== 'wxr'))
    throw new Error('--max-size requires the format wxr and a FILE.')
  const { type: types, status: statuses, author: authors, category: categories, after, before } = values
  const options: ExportOptions = {
    format,
    filter: {
      ...(types !== undefined && { types }),
      ...(statuses !== undefined && { statuses }),
      ...(authors !== undefined && { authors }),
      ...(categories !== undefined && { categories }),
      ...(after !== undefined && { after }),
      ...(before !== undefined && { before }),
    },
    revisions: values['no-revisions'] !== true,
    ...(maxSize !== undefined && { maxSize }),
    ...(values.uploads !== undefined && { uploads: values.uploads }),
    ...(values.site !== undefined && { site: values.site }),
    passwordHashes: values['password-hashes'] === true,
  }
  // In this command --uploads is the archive to write, not the config key.
  await run(await configFrom({ ...values, uploads: undefined }), file, options, values.json === true)
}

async function run(
  config: SiteConfig,
  file: string | undefined,
  options: ExportOptions,
  isJson: boolean,
): Promise<void> {
  await using site = await startSite(config)
  const { exporter } = site.services
  if (exporter === undefined) throw switchedOff('exporter')
  if (file === '-') {
    for await (const text of exporter.stream(options)) await print(text)
    if (options.uploads === undefined && options.site === undefined) return
    await exporter.run(options)
    return
  }
  const progress = progressLine()
  try {
    const report = await exporter.run({
      ...options,
      file: file ?? defaultName(site.urls.home, options.format ?? 'wxr'),
      onProgress: (done) => progress.show(done),
    })
    progress.clear()
    console.log(isJson ? JSON.stringify(report, null, 2) : formatExportReport(report))
  } finally {
    progress.clear()
  }
}

const EXTENSIONS: Readonly<Record<ExportFormat, string>> = { wxr: 'xml', jsonl: 'jsonl', markdown: 'zip' }

/** `example.com.2025-06-30.xml` */
function defaultName(home: string, format: ExportFormat): string {
  const day = new Date().toISOString().slice(0, 10)
  return `${new URL(home).hostname}.${day}.${EXTENSIONS[format]}`
}

function print(text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()))
  })
}

/** Returns the usage of the config flags without --uploads, which has another meaning in this command. */
function usageOfConfig(): string {
  const lines = configUsage().split('\n')
  return lines.filter((line) => !line.startsWith('  --uploads ')).join('\n')
}

/** A line on stderr that shows the progress. Prints nothing if stderr is not a terminal. */
function progressLine(): { show(progress: ExportProgress): void; clear(): void } {
  const { stderr } = process
  if (!stderr.isTTY) return { show() {}, clear() {} }
  return {
    show: ({ items, files }) => void stderr.write(`\r\x1b[K${items} items${files > 0 ? `  ${files} files` : ''}`),
    clear: () => void stderr.write('\r\x1b[K'),
  }
}

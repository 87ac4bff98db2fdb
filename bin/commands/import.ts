import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { writingRules } from '../../plugins/operations/import/filters.ts'
import { importSite } from '../../plugins/operations/import/import.ts'
import type { ImportProgress } from '../../plugins/operations/import/import.ts'
import { formatReport } from '../../plugins/operations/import/report.ts'
import { fitToSite, readSite, type SiteFile } from '../../plugins/operations/import/site.ts'
import { stageUploads } from '../../plugins/operations/import/uploads.ts'
import { startKernel, trimEndSlashes, branding, type Kernel, type SiteConfig } from '../../kernel/index.ts'
import { hashApplicationPassword } from '../../plugins/people/application-passwords/secret.ts'
import { isOnlySample, removeSample, restoreAdministrator } from '../../plugins/site/first-run/sample.ts'
import type { FormerAdministrator } from '../../plugins/site/first-run/sample.ts'
import { defaults, presets } from '../../plugins/index.ts'
import { modesOf } from '../../plugins/content/media/folders.ts'
import { hashPassword } from '../../plugins/people/passwords/argon2.ts'
import { openDatabase } from '../../plugins/storage/store/open.ts'
import { migrateWord } from '../../plugins/storage/store/word-migration.ts'
import { configFlags, configFrom, configUsage } from './config-flags.ts'
import { tellFailure } from './failure.ts'

/** What `svc-import --help` prints. */
export const usage = () => `Usage: svc-import [FLAGS] FILE.wxr

Brings an export (WXR) of another site into this one. Run again, it brings only what is new.

  --uploads DIR|TAR     Folder or .tar(.gz) with the media files.
  --site FILE           JSON with what an export lacks: people's roles and passwords, settings, the theme.
  --keep-addresses      Leaves addresses of the old site as they are.
  --trust-html          Keeps all HTML of contents, whoever wrote them. Without it, contents of people who may not write
                        any HTML here are filtered as those that are typed in; so are all comments, names and addresses.
  --help                This text.

${usageOfConfig()}`

/**
 * Runs `svc-import`: prints the report, or in one paragraph what went wrong.
 * @param argv arguments after the command's name
 * @returns exit code
 */
export async function main(argv: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        ...configFlags,
        uploads: { type: 'string' },
        site: { type: 'string' },
        'keep-addresses': { type: 'boolean' },
        'trust-html': { type: 'boolean' },
        help: { type: 'boolean' },
      },
    })
    if (values['help'] === true) {
      console.log(usage())
      return 0
    }
    const [file, ...more] = positionals
    if (file === undefined) throw new Error(`Which file? Name one export.\n\n${usage()}`)
    if (more.length > 0) throw new Error(`One file at a time, please: ${more.join(', ')} is too much.`)
    const { uploads, site } = values as { uploads?: string; site?: string }
    // The flag for media files has the name of the config key for their folder.
    const config = await configFrom({ ...values, uploads: undefined })
    const rewrite = values['keep-addresses'] !== true
    console.log(await run(file, config, { uploads, site, rewrite, trustHtml: values['trust-html'] === true }))
    return 0
  } catch (error) {
    return tellFailure(error)
  }
}

interface Flags {
  /** Path of the media files. */
  uploads: string | undefined
  /** Path of the site file. */
  site: string | undefined
  rewrite: boolean
  trustHtml: boolean
}

/** Imports and answers the report as text. */
async function run(file: string, config: SiteConfig, flags: Flags): Promise<string> {
  const home = trimEndSlashes(config.home ?? `http://${config.host}:${config.port}`)
  const { size } = await stat(file)
  await using kernel = await emptySite(config)
  const site = flags.site === undefined ? undefined : await siteFrom(flags.site, home, kernel)
  const words = branding(config.word)
  await using store = await opened(config)
  await migrateWord(store.store, config.word)
  await using uploads =
    flags.uploads === undefined ? undefined : await stageUploads(flags.uploads, config.uploads, {}, modesOf(config))
  const progress = progressLine(size)
  let former: FormerAdministrator[] = []
  try {
    const report = await importSite(store.store, {
      hashPassword,
      hashApplicationPassword,
      source: createReadStream(file),
      home,
      rewrite: flags.rewrite,
      ...(site === undefined ? {} : { site }),
      rules: writingRules(kernel.services),
      trustHtml: flags.trustHtml,
      typeName: (name) => words.typeName(name),
      hasFile: (name) => uploads?.has(name) ?? isFile(path.join(config.uploads, name)),
      onProgress: (done) => progress.show(done),
      async afterBegin(tx, tallies) {
        if (!(await isOnlySample(tx))) return
        former = await removeSample(tx)
        tallies.note('sample of a new site; removed, as it was all there was')
      },
      async beforeCommit(tx) {
        await restoreAdministrator(tx, former)
        await uploads?.promise(tx)
      },
      async afterCommit(tallies) {
        if (uploads !== undefined) tallies.add('files', await uploads.place(store.store))
      },
    })
    return formatReport(report)
  } finally {
    progress.clear()
  }
}

/** A site without anything in it, whose plugins say what may be written: they are those of the config. */
function emptySite(config: SiteConfig): Promise<Kernel> {
  const there = { ...config, database: 'sqlite::memory:' }
  return startKernel({ config: there, defaults, presets, log: pino({ level: 'silent' }) })
}

/** The site file, checked against what the plugins of the config register. */
async function siteFrom(file: string, home: string, { services }: Pick<Kernel, 'services'>): Promise<SiteFile> {
  return fitToSite(readSite(await readFile(file, 'utf8'), home), services)
}

/** The flags of the config but the one that means something else here. */
function usageOfConfig(): string {
  const lines = configUsage().split('\n')
  return lines.filter((line) => !line.startsWith('  --uploads ')).join('\n')
}

/** A store that closes with its scope. */
async function opened({ database, durability }: SiteConfig) {
  const store = await openDatabase(database, { durability })
  return { store, [Symbol.asyncDispose]: () => store.close() }
}

async function isFile(file: string): Promise<boolean> {
  return await stat(file)
    .then((found) => found.isFile())
    .catch(() => false)
}

/** One line that says how far the import is; only a terminal gets it. */
function progressLine(size: number): { show(progress: ImportProgress): void; clear(): void } {
  const { stderr } = process
  if (!stderr.isTTY) return { show() {}, clear() {} }
  return {
    show({ bytes, items }) {
      const percent = size === 0 ? 100 : Math.floor((bytes / size) * 100)
      stderr.write(`\r\x1b[K${percent} %  ${items} items`)
    },
    clear: () => void stderr.write('\r\x1b[K'),
  }
}

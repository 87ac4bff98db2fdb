import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { SiteConfig } from '../../kernel/index.ts'
import {
  COMPARISONS,
  formatLiveReport,
  formatProbe,
  formatProgress,
  type Comparison,
  type LiveProbe,
  type LiveProgress,
  type LiveReport,
} from '../../plugins/operations/importer/index.ts'
import { switchedOff } from './failure.ts'
import { startSite } from './site.ts'
import { trustOf } from './trusted-html.ts'

/** Flags of imports from a running site. */
export const LIVE_FLAGS = {
  user: { type: 'string' },
  'password-file': { type: 'string' },
  'dry-run': { type: 'boolean' },
  concurrency: { type: 'string' },
  compare: { type: 'string' },
  full: { type: 'boolean' },
  'follow-deletions': { type: 'boolean' },
  revisions: { type: 'boolean' },
} as const

export const liveUsage = `Import from a running site, svc-import [FLAGS] https://old.example:

  --user NAME           Login on the old site, for drafts, raw texts, email addresses, roles and settings. The
                        application password is asked for. Without a user, only public content comes.
  --password-file FILE  Reads the application password from a file.
  --dry-run             Shows what would come and what would not, and why. Changes nothing.
  --concurrency NUMBER  Requests to the old site at the same time: 1 to 32, by default 4.
  --compare WHICH       Compares both sites afterwards: all objects, a sample (default), or none.
  --full                Reads everything again instead of the changes since the last import.
  --follow-deletions    Moves to the trash what was deleted on the old site since the last import.
  --no-revisions        Leaves out revisions.
  --no-download         Leaves out media files.`

/** Flags of an import from a running site, as parsed. */
export interface LiveFlags {
  user?: string
  'password-file'?: string
  'dry-run'?: boolean
  concurrency?: string
  compare?: string
  full?: boolean
  'follow-deletions'?: boolean
  revisions?: boolean
  download?: boolean
  allow?: string[]
  json?: boolean
  'keep-addresses'?: boolean
  'trust-html'?: boolean
  'filter-html'?: boolean
}

const MAX_CONCURRENCY = 32
/** Milliseconds between two lines of progress, if stderr is not a terminal. */
const LINE_INTERVAL_MS = 10_000

/** Whether the source of an import is the URL of a running site. */
export function isUrl(source: string): boolean {
  return /^https?:\/\//i.test(source)
}

/** Imports a running site. Returns the report, or the result of the probe, as text or JSON. */
export async function importLive(url: string, config: SiteConfig, flags: LiveFlags): Promise<string> {
  const compare = flags.compare ?? 'sample'
  if (!isComparison(compare)) throw new Error(`--compare takes ${COMPARISONS.join(', ')}, not ${compare}.`)
  const concurrency = Number(flags.concurrency ?? 4)
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > MAX_CONCURRENCY) {
    throw new Error(`--concurrency takes a number from 1 to ${MAX_CONCURRENCY}, not ${flags.concurrency}.`)
  }
  if (flags.user === undefined && flags['password-file'] !== undefined)
    throw new Error('--password-file requires --user.')
  const password = flags.user === undefined ? undefined : await passwordOf(flags.user, flags['password-file'])
  await using site = await startSite(config)
  const { importer } = site.services
  if (importer === undefined) throw switchedOff('importer')
  const options = {
    url,
    ...(flags.user !== undefined && { user: flags.user, password: password! }),
    allow: flags.allow ?? [],
    concurrency,
    compare,
    full: flags.full === true,
    revisions: flags.revisions !== false,
    followDeletions: flags['follow-deletions'] === true,
    rewrite: flags['keep-addresses'] !== true,
    trustHtml: trustOf(flags),
    ...(flags.download === false && { download: false as const }),
  }
  if (flags['dry-run'] === true) {
    const probe = await importer.probeLive(options)
    return flags.json === true ? asJson({ ...emptyReport(probe, site.urls.home), probe }) : formatProbe(probe)
  }
  const progress = progressLines()
  try {
    const report = await importer.runLive({ ...options, onProgress: (now) => progress.show(now) })
    return flags.json === true ? asJson({ ...report, probe: null }) : formatLiveReport(report)
  } finally {
    progress.clear()
  }
}

/** A report with its probe: a dry run has only a probe, an import only a report. */
function asJson(report: LiveReport & { probe: LiveProbe | null }): string {
  return JSON.stringify(report, null, 2)
}

/** The report of an import that has imported nothing. */
function emptyReport({ from, gaps, requests, seconds }: LiveProbe, to: string): LiveReport {
  const none = { counts: {}, notes: [], repairs: [], plugins: [], unserved: [], bytes: 0 }
  return { from, to, ...none, seconds, since: null, gaps, deleted: [], comparison: null, requests }
}

function isComparison(name: string): name is Comparison {
  return (COMPARISONS as readonly string[]).includes(name)
}

/** Returns the password from a file, or asks for it on the terminal. */
async function passwordOf(user: string, file: string | undefined): Promise<string> {
  const password = file === undefined ? await askPassword(user) : (await readFile(file, 'utf8')).trim()
  if (password === '') throw new Error(file === undefined ? 'No password was entered.' : `${file} is empty.`)
  return password
}

async function askPassword(user: string): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new Error('The password cannot be asked for, because the input is not a terminal: use --password-file FILE.')
  }
  process.stderr.write(`Application password of ${user} on the old site: `)
  // Does not print the typed characters.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output, terminal: true })
  terminal.on('SIGINT', () => {
    terminal.close()
    process.stderr.write('\n')
    process.exit(130)
  })
  try {
    return (await terminal.question('')).trim()
  } finally {
    terminal.close()
    process.stderr.write('\n')
  }
}

/** Shows progress on stderr: in one line of a terminal, else in a line from time to time. */
function progressLines(): { show(progress: LiveProgress): void; clear(): void } {
  const { stderr } = process
  if (stderr.isTTY) {
    return {
      show: (progress) => void stderr.write(`\r\x1b[K${formatProgress(progress)}`),
      clear: () => void stderr.write('\r\x1b[K'),
    }
  }
  let last = performance.now()
  return {
    show(progress) {
      if (performance.now() - last < LINE_INTERVAL_MS) return
      last = performance.now()
      stderr.write(`${formatProgress(progress)}\n`)
    },
    clear() {},
  }
}

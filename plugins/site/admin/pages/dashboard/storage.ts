import { readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { html, type PageHtml } from '../../../../library/markup/index.ts'
import { databaseSize } from '../../../../storage/store/index.ts'
import type { AdminView } from '../../frame/view.ts'

/**
 * Maximum number of files to count, because counting a large folder would delay the page. Beyond it, the panel shows
 * "more than".
 */
const MAX_COUNTED_FILES = 20_000
/** Milliseconds for which a count of files is cached. */
const FILE_COUNT_LIFETIME_MS = 5 * 60_000

interface Counted {
  readonly bytes: number
  readonly files: number
  /** Whether counting stopped at the limit. */
  readonly more: boolean
}

/** Shows the size of the database and the uploads, and the free disk space. */
export async function storage(view: AdminView): Promise<PageHtml> {
  const { t, count, plugin } = view
  const { uploads } = plugin.config
  const size = (bytes: number) => sizeText(bytes, view.words.language)
  const [database, files, free] = await Promise.all([
    databaseSize(plugin.services.store),
    filesOf(uploads),
    freeOn(uploads),
  ])
  const counted = count(files.files, '1 file', '{count} files')
  const all = t('{size} in {files}', { size: size(files.bytes), files: counted })
  return html`<dl class="facts">
    <dt>${t('Database')}</dt>
    <dd>${size(database)}</dd>
    <dt>${t('Uploads')}</dt>
    <dd>${files.more ? t('more than {size}', { size: all }) : all}</dd>
    ${
      free === null
        ? null
        : html`<dt>${t('Free space')}</dt>
            <dd>${size(free)}</dd>`
    }
  </dl>`
}

/** Formats a number of bytes. */
export function sizeText(bytes: number, language: string): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte']
  const step = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3))
  const options = { style: 'unit', unit: units[step]!, unitDisplay: 'short', maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(language, options).format(bytes / 1000 ** step)
}

const counts = new Map<string, { at: number; counted: Promise<Counted> }>()

function filesOf(folder: string): Promise<Counted> {
  const cached = counts.get(folder)
  if (cached !== undefined && performance.now() - cached.at < FILE_COUNT_LIFETIME_MS) return cached.counted
  const counted = countFiles(folder)
  counts.set(folder, { at: performance.now(), counted })
  return counted
}

async function countFiles(root: string): Promise<Counted> {
  const folders = [root]
  let [bytes, files] = [0, 0]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) folders.push(path)
      if (!entry.isFile()) continue
      if (files === MAX_COUNTED_FILES) return { bytes, files, more: true }
      bytes += await stat(path).then(
        (found) => found.size,
        () => 0,
      )
      files += 1
    }
  }
  return { bytes, files, more: false }
}

/** Returns the free bytes of the disk; null if unknown. */
async function freeOn(folder: string): Promise<number | null> {
  return statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => null,
  )
}

import { statfs } from 'node:fs/promises'
import { folderSize } from '../../../../library/long-work/index.ts'
import { html, type PageHtml } from '../../../../library/markup/index.ts'
import { databaseSize } from '../../../../storage/store/index.ts'
import type { AdminView } from '../../frame/view.ts'

/** Shows the size of the database and the uploads, and the free disk space. */
export async function storage(view: AdminView): Promise<PageHtml> {
  const { t, count, plugin } = view
  const { uploads } = plugin.config
  const size = (bytes: number) => sizeText(bytes, view.words.language)
  const [database, files, free] = await Promise.all([
    databaseSize(plugin.services.store),
    folderSize(uploads).then((found) => found ?? { bytes: 0, files: 0, more: false }),
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

/** Returns the free bytes of the disk; null if unknown. */
async function freeOn(folder: string): Promise<number | null> {
  return statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => null,
  )
}

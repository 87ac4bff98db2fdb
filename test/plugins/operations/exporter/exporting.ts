import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExportOptions, ExportReport } from '../../../../plugins/operations/exporter/index.ts'
import type { ImportOptions, ImportReport } from '../../../../plugins/operations/importer/index.ts'
import type { Site } from '../../../helpers/site.ts'

/** Home URL of the sites, so that exports of several sites can be compared. */
export const HOME = 'http://garden.example'

/** Exports a site into `export.xml` in a folder. */
export async function exportTo(
  site: Site,
  folder: string,
  options: Partial<ExportOptions> = {},
): Promise<{ report: ExportReport; text: string }> {
  const file = join(folder, 'export.xml')
  const report = await site.kernel.services.exporter.run({ file, ...options })
  return { report, text: await readFile(file, 'utf8') }
}

/** Imports a WXR file. */
export function importFrom(
  site: Site,
  file: string | URL,
  options: Partial<ImportOptions> = {},
): Promise<ImportReport> {
  return site.kernel.services.importer.run({ source: createReadStream(file), ...options })
}

/** Returns an export without the date at which it was written. */
export function withoutDate(wxr: string): string {
  return wxr.replace(/<pubDate>[^<]*<\/pubDate>/, '<pubDate/>')
}

import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { PluginContext } from '../../../kernel/index.ts'
import { fileModes } from '../../content/media/index.ts'
import { hashApplicationPassword } from '../../people/application-passwords/index.ts'
import { isOnlySample, removeSample, restoreAdministrator } from '../first-run/index.ts'
import { namedFiles } from './attachment-files.ts'
import { Downloads } from './downloads.ts'
import { importSite, type SiteImport } from './import-site.ts'
import type { Counters, ImportReport } from './report.ts'
import { fitToSite } from './site-file.ts'
import { copyTheme, readSiteFiles } from './theme-files.ts'
import { writingRules } from './text-filter.ts'
import type { ImportOptions, ImportProgress } from './types.ts'
import { stageUploads, type StagedUploads } from './uploads.ts'

/** Imports an export into the site of the plugin. See `Importer.run`. */
export async function runImport(plugin: PluginContext, options: ImportOptions): Promise<ImportReport> {
  const { branding, config, services, urls } = plugin
  const { download, siteFiles = [], source, uploads: uploadsPath, ...others } = options
  const downloads = download === undefined ? undefined : new Downloads(plugin, download, uploadsPath === undefined)
  const { home } = urls
  let read: ImportProgress = { bytes: 0, items: 0 }
  const { site: written, theme } = await readSiteFiles(siteFiles, home)
  const site = written === undefined ? undefined : fitToSite(written, services)
  await using uploads =
    uploadsPath === undefined ? undefined : await stageUploads(uploadsPath, config.uploads, {}, fileModes(config))
  return await importSite(services.store, {
    ...others,
    onProgress: (progress) => {
      read = progress
      options.onProgress?.(progress)
    },
    source,
    home,
    site,
    rules: writingRules(services),
    typeName: (name) => branding.typeName(name),
    hashPassword: (plain) => services.passwords.hash(plain),
    hashApplicationPassword,
    // What is to be downloaded is in the report once that has failed.
    ...(downloads === undefined
      ? { hasFile: (name) => uploads?.has(name) ?? isFile(path.join(config.uploads, name)) }
      : { onAttachment: (id, url) => downloads.add(id, url) }),
    ...samplesAndFiles(plugin, uploads, async (counters) => {
      if (theme !== undefined) {
        const copied = await copyTheme(theme, path.join(config.folder, 'themes'))
        if (copied === null) counters.note('theme that is here already; its files stay as they are', theme.stylesheet)
        else counters.note('files of the theme; copied', theme.stylesheet, copied)
      }
      await downloads?.run(counters, (files) => options.onProgress?.({ ...read, files }))
    }),
  })
}

/** What is done around the import: it replaces the sample of a new site, and the media files come with it. */
function samplesAndFiles(
  { has, services }: PluginContext,
  uploads: StagedUploads | undefined,
  afterwards: (counters: Counters) => Promise<void>,
) {
  let former: Awaited<ReturnType<typeof removeSample>> = []
  let newest = 0
  return {
    async afterBegin(tx, counters) {
      if (await isOnlySample(tx)) {
        former = await removeSample(tx)
        counters.note('sample of a new site; removed, as it was all there was')
      }
      const last = await tx.first(tx.db.selectFrom('posts').select('id').orderBy('id', 'desc').limit(1))
      newest = last?.id ?? 0
    },
    async beforeCommit(tx, counters) {
      await restoreAdministrator(tx, former)
      await uploads?.keepOnly(namedFiles(tx))
      if (has('revisions')) countPruned(await services.revisions.prune(tx, newest), newest, counters)
      await uploads?.promise(tx)
    },
    async afterCommit(counters) {
      if (uploads !== undefined) counters.add('files', await uploads.place(services.store))
      await afterwards(counters)
    },
  } satisfies Pick<SiteImport, 'afterBegin' | 'beforeCommit' | 'afterCommit'>
}

/** Reports the revisions that the limit has deleted: those of the export, and those that the posts had before. */
function countPruned(deleted: readonly number[], newest: number, counters: Counters): void {
  const imported = deleted.filter((id) => id > newest).length
  const earlier = deleted.length - imported
  if (imported > 0) {
    counters.imported('revision items', -imported)
    counters.skipped('revision items', 'revisions above the limit', imported)
  }
  if (earlier > 0) counters.note('revision of this site; deleted, as it is above the limit', '', earlier)
}

async function isFile(file: string): Promise<boolean> {
  return await stat(file).then(
    (found) => found.isFile(),
    () => false,
  )
}

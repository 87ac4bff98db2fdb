import { stat } from 'node:fs/promises'
import path from 'node:path'
import { applySyncFilter, runAction, type PluginContext } from '../../../kernel/index.ts'
import { fileModes } from '../../content/media/index.ts'
import { hashApplicationPassword } from '../../people/application-passwords/index.ts'
import type { Themes } from '../../design/themes/index.ts'
import { isOnlySample, removeSample, restoreAdministrator } from '../first-run/index.ts'
import { namedFiles } from './attachment-files.ts'
import { Downloads } from './downloads.ts'
import { addImageJobs } from './image-sizes.ts'
import { importSite, type SiteImport } from './import-site.ts'
import type { Counters, ImportReport } from './report.ts'
import { valueRules } from './record-values.ts'
import { fitToSite, type SiteFile } from './site-file.ts'
import { copyTheme, readSiteFiles } from './theme-files.ts'
import { writingRules } from './text-filter.ts'
import type { ImportOptions, ImportProgress } from './types.ts'
import type { WxrRecord } from './wxr/types.ts'
import { stageUploads, type StagedUploads } from './uploads.ts'
import type { MapValue } from './values.ts'

/** An import of records that do not come from a file. */
export interface RecordsImport extends Omit<
  ImportOptions,
  'source' | 'sources' | 'acceptTruncated' | 'siteFiles' | 'uploads' | 'limits'
> {
  records: AsyncIterable<WxrRecord>
  /** Data that the records lack. */
  site: SiteFile
}

/** Imports an export, or records, into the site of the plugin. See `Importer.run`. */
export async function runImport(plugin: PluginContext, options: ImportOptions | RecordsImport): Promise<ImportReport> {
  const { branding, config, services, urls } = plugin
  const { download, siteFiles, uploads: uploadsPath, ...others } = { siteFiles: [], uploads: undefined, ...options }
  const downloads = download === undefined ? undefined : new Downloads(plugin, download, uploadsPath === undefined)
  const { home } = urls
  const attachments: number[] = []
  let read: ImportProgress = { bytes: 0, items: 0 }
  const onProgress = (progress: ImportProgress) => {
    read = progress
    options.onProgress?.(progress)
  }
  const { site: written, theme } = await readSiteFiles(siteFiles, home)
  const fitted = written === undefined ? undefined : fitToSite(written, services)
  const site = 'site' in options ? options.site : fitted
  await using uploads =
    uploadsPath === undefined ? undefined : await stageUploads(uploadsPath, config.uploads, {}, fileModes(config))
  const report = await importSite(services.store, {
    ...others,
    onProgress,
    home,
    site,
    rules: { ...writingRules(services), ...valueRules(services) },
    typeName: (name) => branding.typeName(name),
    ...hooksOf(plugin),
    hashPassword: (plain) => services.passwords.hash(plain),
    hashApplicationPassword,
    // Files to download are reported only if the download fails.
    ...(downloads === undefined && {
      hasFile: (name) => uploads?.has(name) ?? isFile(path.join(config.uploads, name)),
    }),
    onAttachment: (id, url) => {
      attachments.push(id)
      downloads?.add(id, url)
    },
    ...samplesAndFiles(
      plugin,
      uploads,
      () => onProgress({ ...read, isStored: true }),
      async (counters) => {
        if (theme !== undefined) {
          const copied = await copyTheme(theme, path.join(config.folder, 'themes'))
          if (copied === null) counters.note('theme that already exists; its files are unchanged', theme.stylesheet)
          else counters.note('theme files; copied', theme.stylesheet, copied)
          if (plugin.has('themes')) await services.themes.library.added(theme.stylesheet)
        }
        if (plugin.has('themes')) await noteFallback(services.themes, counters)
        await downloads?.run(counters, (files) => options.onProgress?.({ ...read, files }))
        if (plugin.has('jobs') && plugin.has('media')) await addImageJobs(plugin, attachments)
      },
    ),
  })
  download?.signal?.throwIfAborted()
  return report
}

/** The hooks of the import. A failing tap does not end it. */
function hooksOf({ hooks, log }: PluginContext) {
  const { import_value: filter } = hooks
  const attempt = async (work: () => unknown) => {
    try {
      await work()
    } catch (err) {
      log.error({ err: err as Error }, 'a tap of an import failed')
    }
  }
  const mapValue: MapValue = (value, about) => {
    try {
      return applySyncFilter(filter, value, about)
    } catch (err) {
      log.error({ err: err as Error }, `a tap of import_value failed for ${about.kind} ${about.key}`)
      return value
    }
  }
  return {
    ...(filter.isUsed() && { mapValue, mapValueTaps: filter.taps.map(({ name }) => name).sort() }),
    ...(hooks.slug_owners.isUsed() && { slugHook: hooks.slug_owners }),
    onStored: async (tx) => await runAction(hooks.import_objects_stored, tx),
    onFinished: (report, found) => attempt(() => runAction(hooks.import_finished, report, found)),
  } satisfies Pick<SiteImport, 'mapValue' | 'mapValueTaps' | 'slugHook' | 'onStored' | 'onFinished'>
}

/** The steps around the import: removing the sample of a new site before it, and placing media files after it. */
function samplesAndFiles(
  { has, services }: PluginContext,
  uploads: StagedUploads | undefined,
  onStored: () => void,
  downloadFiles: (counters: Counters) => Promise<void>,
) {
  let formerAdministrators: Awaited<ReturnType<typeof removeSample>> = []
  let newest = 0
  return {
    async afterBegin(tx, counters) {
      if (await isOnlySample(tx)) {
        formerAdministrators = await removeSample(tx)
        counters.note('sample content; removed, because the site had no other content')
      }
      const last = await tx.first(tx.db.selectFrom('posts').select('id').orderBy('id', 'desc').limit(1))
      newest = last?.id ?? 0
    },
    async beforeCommit(tx, counters) {
      await restoreAdministrator(tx, formerAdministrators)
      await uploads?.keepOnly(namedFiles(tx))
      if (has('revisions')) countPruned(await services.revisions.prune(tx, newest), newest, counters)
      await uploads?.promise(tx)
    },
    async afterCommit(counters) {
      onStored()
      if (uploads !== undefined) counters.add('files', await uploads.place(services.store))
      await downloadFiles(counters)
    },
  } satisfies Pick<SiteImport, 'afterBegin' | 'beforeCommit' | 'afterCommit'>
}

/** Reports the revisions that the limit deleted: revisions of the export, and older revisions of the posts. */
function countPruned(deleted: readonly number[], newest: number, counters: Counters): void {
  const imported = deleted.filter((id) => id > newest).length
  const earlier = deleted.length - imported
  if (imported > 0) {
    counters.imported('revision items', -imported)
    counters.skipped('revision items', 'over the limit of revisions', imported)
  }
  if (earlier > 0) counters.note('existing revision; deleted, because it was over the limit', '', earlier)
}

/** Reports a theme of the old site that pages cannot use, because its files are not here. */
async function noteFallback(themes: Themes, counters: Counters): Promise<void> {
  const fallback = await themes.fallback()
  if (fallback === null) return
  counters.note('active theme without its files here; pages use the default theme', fallback.folder)
}

async function isFile(file: string): Promise<boolean> {
  return await stat(file).then(
    (found) => found.isFile(),
    () => false,
  )
}

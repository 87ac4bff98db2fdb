import { access } from 'node:fs/promises'
import type { PluginContext } from '../../../kernel/index.ts'
import { filesBelow } from '../../content/media/index.ts'
import type { Store } from '../../storage/store/index.ts'
import { attachmentFiles } from './attachment-files.ts'
import { contentIn, writeFile, writeFolder } from './contents.ts'
import { Counts } from './counts.ts'
import type { OutputFile } from './output-file.ts'
import { selectionOf, type Selection } from './selection.ts'
import { writeSiteFile } from './site-file.ts'
import { writeFiles } from './split-files.ts'
import type { ExportOptions, ExportReport } from './types.ts'
import { checkArchiveName, writeUploads } from './uploads.ts'
import { FormatNames } from './wxr/names.ts'
import { writeWxr } from './wxr/write-wxr.ts'

/** Milliseconds between two progress reports. */
const PROGRESS_INTERVAL_MS = 100

/** Exports the site of the plugin into files. See `Exporter.run`. */
export async function exportSite(plugin: PluginContext, options: ExportOptions): Promise<ExportReport> {
  const { store } = plugin.services
  if (options.uploads !== undefined) checkArchiveName(options.uploads)
  return await store.snapshot((reader) => new SiteExport(plugin, reader, options).run())
}

/** One export from one snapshot. */
class SiteExport {
  readonly #plugin: PluginContext
  readonly #reader: Store
  readonly #options: ExportOptions
  readonly #names: FormatNames
  readonly #counts = new Counts()
  readonly #notes: string[] = []
  readonly #written: Pick<OutputFile, 'path' | 'bytes'>[] = []
  readonly #started = performance.now()
  #lastProgress = 0
  #files = 0

  constructor(plugin: PluginContext, reader: Store, options: ExportOptions) {
    this.#plugin = plugin
    this.#reader = reader
    this.#options = options
    this.#names = new FormatNames(plugin.branding.typeName(''))
  }

  async run(): Promise<ExportReport> {
    const { file, filter, revisions, site, uploads } = this.#options
    const selection = await selectionOf(this.#plugin, this.#reader, this.#names, filter, revisions)
    if (file !== undefined) await this.#writeContent(file, selection)
    if (site !== undefined) await this.#writeSite(site)
    if (uploads !== undefined) await this.#writeUploads(uploads, selection)
    return {
      files: this.#written.map(({ path }) => path),
      counts: this.#counts.all,
      notes: this.#notes,
      bytes: this.#bytes,
      seconds: (performance.now() - this.#started) / 1000,
    }
  }

  async #writeContent(file: string, selection: Selection): Promise<void> {
    const source = {
      plugin: this.#plugin,
      reader: this.#reader,
      selection,
      names: this.#names,
      counts: this.#counts,
    }
    const { format = 'wxr', maxSize, user } = this.#options
    if (format === 'wxr') this.#written.push(...(await writeFiles(this.#watched(writeWxr(source)), file, maxSize)))
    else if (format === 'markdown' && !/\.zip$/i.test(file)) {
      const bytes = await writeFolder(file, source, () => this.#showProgress())
      this.#written.push({ path: file, bytes })
    } else this.#written.push(await writeFile(file, this.#watched(contentIn(format, source, user))))
    this.#notes.push(...this.#counts.notes())
  }

  async #writeSite(file: string): Promise<void> {
    const { notes, output } = await writeSiteFile(this.#plugin, this.#reader, file, {
      passwordHashes: this.#options.passwordHashes === true,
    })
    this.#notes.push(...notes)
    this.#written.push(output)
  }

  async #writeUploads(archive: string, selection: Selection): Promise<void> {
    const { uploads } = this.#plugin.config
    const exists = await access(uploads).then(
      () => true,
      () => false,
    )
    // Hidden files are not media: they belong to uploads and imports in progress.
    const all = exists ? visible(filesBelow(uploads)) : none()
    const names = selection.isWhole ? all : attachmentFiles(this.#reader, selection)
    let missing = 0
    const output = await writeUploads(archive, uploads, names, (_name, isMissing) => {
      if (isMissing) missing += 1
      else this.#counts.add('files')
      this.#files += 1
      this.#showProgress()
    })
    if (missing > 0) this.#notes.push(`${missing} × media file that is missing in the uploads folder`)
    this.#written.push(output)
  }

  async *#watched<T>(pieces: AsyncIterable<T>): AsyncGenerator<T> {
    for await (const piece of pieces) {
      yield piece
      this.#showProgress()
    }
  }

  #showProgress(): void {
    const now = performance.now()
    if (now - this.#lastProgress < PROGRESS_INTERVAL_MS) return
    this.#lastProgress = now
    this.#options.onProgress?.({ items: this.#counts.items, files: this.#files, bytes: this.#bytes })
  }

  get #bytes(): number {
    return this.#written.reduce((sum, { bytes }) => sum + bytes, 0)
  }
}

async function* visible(names: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const name of names) if (!name.split('/').some((part) => part.startsWith('.'))) yield name
}

async function* none(): AsyncGenerator<string> {}

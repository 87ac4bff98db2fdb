import { Readable } from 'node:stream'
import { HeaderMap, RestError, type SitePage } from '../../../../../kernel/index.ts'
import { html } from '../../../../library/markup/index.ts'
import type { ExportFilter, ExportFormat } from '../../../../operations/exporter/index.ts'
import type { AdminContent } from '../../admin.ts'
import type { AdminView } from '../../frame/view.ts'
import { checkbox, selectField, textField, type Choice } from '../../parts/fields.ts'

/** Name and type of the downloaded file of each format. */
const FILES: Readonly<Record<ExportFormat, { extension: string; type: string }>> = {
  wxr: { extension: 'xml', type: 'application/rss+xml; charset=utf-8' },
  jsonl: { extension: 'jsonl', type: 'application/x-ndjson; charset=utf-8' },
  markdown: { extension: 'zip', type: 'application/zip' },
}

/** Shows the form of exports. */
export async function show(view: AdminView): Promise<AdminContent> {
  return page(view)
}

export const actions = {
  /** Downloads an export. It contains neither hashes of passwords nor media files. */
  async save(view: AdminView): Promise<AdminContent | SitePage> {
    const { plugin, user } = view
    const format = (Object.keys(FILES) as ExportFormat[]).find((one) => one === view.text('format')) ?? 'wxr'
    const options = { format, user, filter: filterOf(view), revisions: view.text('revisions') === '1' }
    const pieces = plugin.services.exporter.stream(options)[Symbol.asyncIterator]()
    // The first piece shows whether the filter is valid.
    const first = await pieces.next().catch((error: unknown) => {
      if (error instanceof RestError && error.status === 400) return error
      throw error
    })
    if (first instanceof RestError) return page(view, first.message)
    const { extension, type } = FILES[format]
    const day = new Date().toISOString().slice(0, 10)
    const name = `${new URL(plugin.urls.home).hostname}.${day}.${extension}`
    const headers = new HeaderMap({
      'Content-Type': type,
      'Content-Disposition': `attachment; filename="${name}"`,
      'Cache-Control': 'private, no-store',
    })
    return { status: 200, headers, body: Readable.from(all(first, pieces), { objectMode: false }) }
  },
}

async function* all(
  first: IteratorResult<string | Uint8Array>,
  others: AsyncIterator<string | Uint8Array>,
): AsyncGenerator<Buffer> {
  try {
    for (let next = first; next.done !== true; next = await others.next()) yield Buffer.from(next.value as string)
  } finally {
    // Closes the snapshot if the client has stopped the download.
    await others.return?.()
  }
}

function filterOf(view: AdminView): ExportFilter {
  const [type, status, after, before] = ['type', 'status', 'after', 'before'].map((name) => view.text(name).trim())
  return {
    ...(type !== '' && { types: [type!] }),
    ...(status !== '' && { statuses: [status!] }),
    ...(after !== '' && { after: after! }),
    ...(before !== '' && { before: before! }),
  }
}

function page(view: AdminView, wrong?: string): AdminContent {
  const { t, plugin } = view
  const types = plugin.services.contentTypes
    .all()
    .filter(({ show_in_rest: isShown }) => isShown)
    .map(({ name, labels }) => ({ value: name, label: t(labels['name'] ?? name) }))
  const date = (name: string, label: string) => textField({ name, label, value: view.text(name), type: 'date' })
  const choice = (name: string, label: string, choices: readonly Choice[]) =>
    selectField({ name, label, choices, value: view.text(name) })
  const statuses = [
    { value: '', label: t('export|All statuses') },
    { value: 'publish', label: t('export|Published') },
    { value: 'draft', label: t('Drafts') },
  ]
  return {
    status: wrong === undefined ? 200 : 400,
    main: html`${wrong === undefined ? null : html`<p class="notice error" role="alert">${wrong}</p>`}
      <p>
        ${t('Download the content of this site. The file contains email addresses, private content and the passwords of protected content, but no passwords of users and no media files.')}
      </p>
      <p>
        ${t('To export media files, settings and users too, run this on the server:')}
        <code>svc export site.xml --uploads uploads.tar.gz --site site.json</code>
      </p>
      ${view.formStart('save')}
        ${choice('format', t('Format'), [
          { value: 'wxr', label: t('WordPress export (WXR)') },
          { value: 'jsonl', label: t('JSON lines') },
          { value: 'markdown', label: t('Markdown files (zip)') },
        ])}
        ${choice('type', t('export|Content'), [{ value: '', label: t('export|All content') }, ...types])}
        ${choice('status', t('Status'), statuses)} ${date('after', t('export|From'))} ${date('before', t('export|Until'))}
        ${checkbox({ name: 'revisions', label: t('Include revisions'), checked: true })}
        <p><button type="submit" class="primary">${t('action|Download export')}</button></p>
      </form>`,
  }
}

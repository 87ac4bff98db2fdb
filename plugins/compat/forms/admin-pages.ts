import {
  HeaderMap,
  html,
  tableHtml,
  type AdminContent,
  type AdminView,
  type PageHandlers,
  type SitePage,
} from '../../public.ts'
import type { Entries, Entry } from './entries.ts'
import type { Forms } from './forms.ts'

/** The list of messages. */
export function listPage(entries: Entries, forms: Forms): PageHandlers {
  return {
    show: async (view) => {
      const { t } = view
      const page = Math.max(0, Number(view.query.get('paged') ?? 1) - 1 || 0)
      const { items, hasMore } = await entries.list(page)
      if (items.length === 0 && page === 0) return { main: html`<p class="empty">${t('No messages yet.')}</p>` }
      const titles = new Map((await forms.all(view.request.scope)).map(({ id, title }) => [id, title]))
      const columns = [t('Message'), t('Form'), t('Date'), t('Actions')]
      const rows = items.map((entry) => [
        html`<a href="${view.url(`forms/${entry.id}`)}">${summaryOf(entry)}</a>`,
        titles.get(entry.form_id) ?? entry.form_id,
        view.date(entry.created.replace(' ', 'T')),
        view.button(t('Delete'), 'delete', { id: entry.id }, html` class="danger"`),
      ])
      return {
        headingActions: view.button(t('Export'), 'export', {}),
        main: html`${tableHtml({ caption: t('Messages'), columns, rows })}
          <p>
            ${page > 0 ? html`<a href="${view.here({ paged: page })}">${t('Previous page')}</a>` : null}
            ${hasMore ? html`<a href="${view.here({ paged: page + 2 })}">${t('Next page')}</a>` : null}
          </p>`,
      }
    },
    actions: {
      delete: (view) => deleteEntry(view, entries),
      export: async () => ({
        status: 200,
        headers: download('messages.csv'),
        body: csvOf(await entries.all(0)),
      }),
    },
  }
}

/** One message. */
export function entryPage(entries: Entries): PageHandlers {
  return {
    show: async (view): Promise<AdminContent> => {
      const { t } = view
      const entry = await entries.get(Number(view.params['id']) || 0)
      if (entry === undefined) return { status: 404, main: html`<p>${t('This message no longer exists.')}</p>` }
      const fields = Object.entries(entry.values).map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd style="white-space: pre-wrap">${[value].flat().join(', ')}</dd>`,
      )
      const files = (await entries.files(entry.id)).map(
        ({ id, name }) => html`<p>${view.button(name, 'file', { file: id })}</p>`,
      )
      return {
        main: html`<p>${view.date(entry.created.replace(' ', 'T'))}</p>
          <dl class="facts">${fields}</dl>
          ${files}
          <p class="actions">${view.button(t('Delete'), 'delete', { id: entry.id }, html` class="danger"`)}</p>`,
      }
    },
    actions: {
      delete: (view) => deleteEntry(view, entries),
      file: async (view): Promise<SitePage> => {
        const file = await entries.content(Number(view.text('file')) || 0)
        if (file === undefined) return view.redirect(view.url('forms'))
        return { status: 200, headers: download(file.name), body: file.content }
      },
    },
  }
}

async function deleteEntry(view: AdminView, entries: Entries): Promise<SitePage> {
  await entries.delete(Number(view.text('id')) || 0)
  return view.redirect(view.url('forms'), { kind: 'done', text: view.t('Message deleted.') })
}

/** Headers of a file that browsers save and never show: a visitor has chosen its content. */
function download(name: string): HeaderMap {
  return new HeaderMap({
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
    'Cache-Control': 'no-store, private',
    'X-Content-Type-Options': 'nosniff',
  })
}

function summaryOf({ id, values }: Entry): string {
  const text = Object.values(values)
    .flat()
    .filter((value) => value !== '')
    .join(' · ')
  return text.slice(0, 100) || `#${id}`
}

/** Returns messages as CSV. Cells that spreadsheets would execute begin with an apostrophe. */
function csvOf(entries: readonly Entry[]): string {
  const names = [...new Set(entries.flatMap(({ values }) => Object.keys(values)))]
  const cell = (text: string) => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`
  const rows = entries.map(({ id, form_id: form, created, status, values }) =>
    [String(id), String(form), created, status, ...names.map((name) => [values[name] ?? ''].flat().join(', '))]
      .map(cell)
      .join(','),
  )
  return `${[['id', 'form', 'date', 'status', ...names].map(cell).join(','), ...rows].join('\r\n')}\r\n`
}

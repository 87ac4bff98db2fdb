import { html, type PageHtml } from '../../../../library/markup/index.ts'
import type { AdminContent, ListColumn } from '../../admin.ts'
import type { AdminView } from '../../frame/view.ts'
import type { Choice } from '../../parts/fields.ts'
import { filtersHtml } from '../../parts/filters.ts'
import { listHtml, perPageOf } from '../../parts/list.ts'
import { listedTypes, pluralOf } from '../content/types.ts'
import { labelOf, menuChange, type Change } from '../dashboard/changes.ts'
import { editPath, subjectOf, type Subject } from '../dashboard/subjects.ts'
import { readChanges, type ChangeQuery } from './read.ts'

/** A change with the object that changed. */
interface Row {
  readonly change: Change
  readonly subject: Subject
  /** Path of the page that edits the object; null if the user cannot edit it. */
  readonly path: string | null
}

/** Kinds of objects with one option in the filter. */
const KINDS = ['term', 'comment', 'user', 'option'] as const
const CHANGES = ['create', 'update', 'delete'] as const

/** Lists the recorded changes that the user can read, newest first. */
export async function show(view: AdminView): Promise<AdminContent> {
  const { t, query } = view
  const found = await readChanges(view, queryOf(view))
  const rows: Row[] = []
  for (const stored of found.changes) {
    const change = stored.type === 'nav_menu_item' ? await menuChange(view, stored) : stored
    if (change !== null) rows.push(await rowOf(view, change))
  }
  const isLimited = ['kind', 'change', 'after', 'before'].some((name) => query.get(name))
  const list = await listHtml<Row>(view, {
    name: 'changes',
    caption: t('Changes'),
    items: rows,
    idOf: ({ change }) => change.id,
    titleOf: ({ change }) => String(change.object),
    columns: columnsOf(view),
    empty: isLimited ? t('No items match these filters.') : t('No recent activity.'),
    orderby: 'time',
    order: 'desc',
    paging: {
      total: null,
      next: found.before === null ? null : view.here({ cursor: String(found.before) }),
      first: query.get('cursor') ? view.here({ cursor: undefined }) : null,
    },
  })
  return {
    main: html`<p>${t('Changes of the last days, by users, imports, jobs and plugins.')}</p>
      ${await filters(view)}${list}`,
    scripts: ['core/lists.js', 'core/partial.js'],
    styles: ['core/lists.css'],
  }
}

function queryOf(view: AdminView): ChangeQuery {
  const { query } = view
  const [kind = '', type = ''] = (query.get('kind') ?? '').split(':', 2)
  return {
    kind,
    type,
    change: CHANGES.find((one) => one === query.get('change')) ?? '',
    after: dayOf(query.get('after')),
    before: dayOf(query.get('before')),
    cursor: Number(query.get('cursor')) || null,
    limit: perPageOf(view),
  }
}

/** Returns the start of a day in UTC as Unix milliseconds; null if the text is not a date. */
function dayOf(text: string | null): number | null {
  const time = /^\d{4}-\d\d-\d\d$/.test(text ?? '') ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return Number.isNaN(time) ? null : time
}

async function filters(view: AdminView): Promise<PageHtml> {
  const { t } = view
  const types = await listedTypes(view)
  const others: Readonly<Record<(typeof KINDS)[number], string>> = {
    term: t('Terms'),
    comment: t('Comments'),
    user: t('Users'),
    option: t('Settings'),
  }
  const kinds: Choice[] = [
    ...types.map((type) => ({ value: `post:${type.slug}`, label: pluralOf(view, type) })),
    { value: 'post:attachment', label: t('Files') },
    ...KINDS.map((kind) => ({ value: kind, label: others[kind] })),
  ]
  return filtersHtml(view, {
    fields: [
      { name: 'kind', label: t('Type'), choices: kinds },
      {
        name: 'change',
        label: t('Change'),
        choices: [
          { value: 'create', label: t('change|Created') },
          { value: 'update', label: t('change|Updated') },
          { value: 'delete', label: t('change|Deleted') },
        ],
      },
      { name: 'after', label: t('date|From'), type: 'date' },
      { name: 'before', label: t('date|To'), type: 'date' },
    ],
  })
}

async function rowOf(view: AdminView, change: Change): Promise<Row> {
  const { kind, object, type } = change
  const hasId = ['post', 'term', 'comment', 'user'].includes(kind)
  if (!hasId || change.change === 'delete') return { change, subject: {}, path: null }
  const subject = await subjectOf(view, kind, Number(object))
  return { change, subject, path: await editPath(view, kind, type, Number(object)) }
}

function columnsOf(view: AdminView): ListColumn<Row>[] {
  const { t, plugin } = view
  const what = { create: t('change|Created'), update: t('change|Updated'), delete: t('change|Deleted') }
  return [
    {
      name: 'object',
      label: 'Item',
      cell: ({ change: { kind, object, slug }, subject, path }) => {
        const name = subject.title ?? html`${slug || (kind === 'option' ? object : `#${object}`)}`
        return path === null ? name : html`<a href="${view.url(path)}">${name}</a>`
      },
    },
    { name: 'kind', label: 'Type', cell: ({ change: { kind, type } }) => labelOf(view, kind, type) },
    { name: 'change', label: 'Change', cell: ({ change: { change } }) => what[change] },
    {
      name: 'by',
      label: 'Last editor',
      cell: ({ subject: { by } }) => (by === undefined ? '–' : html`${plugin.services.plainPages.stored(by)}`),
    },
    { name: 'time', label: 'Date', cell: ({ change: { time } }) => view.date(time) },
  ]
}

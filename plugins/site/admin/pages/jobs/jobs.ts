import { hideCredentials } from '../../../../library/secrets/index.ts'
import type { SitePage } from '../../../../../kernel/index.ts'
import { html } from '../../../../library/markup/index.ts'
import type { Job } from '../../../../foundation/jobs/index.ts'
import { errors } from '../../errors.ts'
import type { AdminContent } from '../../admin.ts'
import type { AdminView } from '../../frame/view.ts'
import { listHtml } from '../../parts/list.ts'

const STATES = ['waiting', 'running', 'dead'] as const
/** Maximum number of jobs on the page; a text shows that there are more. */
const MAX_JOBS = 200

/** Lists waiting, running and failed jobs. */
export async function show(view: AdminView): Promise<AdminContent> {
  const { t } = view
  const all = await view.plugin.services.jobs.list()
  const state = STATES.find((one) => one === view.query.get('state'))
  const found = all.filter((job) => state === undefined || job.state === state)
  const numberOf = (of: Job['state']) => all.filter((job) => job.state === of).length
  const tab = (value: Job['state'] | undefined, label: string, number: number) =>
    html`<li>
      <a href="${view.url('jobs', { state: value })}" ${value === state ? html` aria-current="page"` : null}
        >${label} (${number})</a
      >
    </li>`
  const more = found.length > MAX_JOBS ? html`<p>${t('Showing the next {count} jobs.', { count: MAX_JOBS })}</p>` : null
  return {
    main: html`<ul class="tabs">
        ${tab(undefined, t('jobs|All'), all.length)} ${tab('waiting', t('jobs|Waiting'), numberOf('waiting'))}
        ${tab('running', t('jobs|Running'), numberOf('running'))} ${tab('dead', t('jobs|Failed'), numberOf('dead'))}
      </ul>
      ${more} ${await table(view, found.slice(0, MAX_JOBS))}`,
  }
}

function table(view: AdminView, jobs: readonly Job[]) {
  const { t } = view
  const states = { waiting: t('jobs|Waiting'), running: t('jobs|Running'), dead: t('jobs|Failed') }
  return listHtml<Job>(view, {
    name: 'jobs',
    caption: t('Jobs'),
    items: jobs,
    idOf: ({ id }) => id,
    titleOf: ({ name }) => name,
    columns: [
      {
        name: 'name',
        label: 'Job',
        cell: ({ name, key }) => html`${name}${key === '' ? '' : html` <code>${key}</code>`}`,
      },
      { name: 'state', label: 'Status', cell: ({ state }) => states[state] },
      { name: 'due', label: 'Scheduled for', cell: ({ due }) => view.date(due.toISOString()) },
      {
        name: 'plugin',
        label: 'Plugin',
        cell: ({ plugin }) => html`<a href="${view.url(`plugins/${plugin}`)}">${plugin}</a>`,
      },
      {
        name: 'schedule',
        label: 'Recurs',
        cell: ({ schedule }) => (schedule === '' ? '' : html`<code>${schedule}</code>`),
      },
      { name: 'attempts', label: 'Attempts', cell: ({ attempts }) => attempts },
      { name: 'error', label: 'Last error', cell: ({ error }) => hideCredentials(error).slice(0, 500) },
      {
        name: 'actions',
        label: 'Actions',
        cell: ({ id, name, state }) => {
          const label = (text: string) => html` aria-label="${text}"`
          const again =
            state === 'running'
              ? null
              : view.button(t('Run now'), 'retry', { id }, label(t('Run {name} now', { name })))
          return html`<span class="actions">
            ${again}
            ${view.button(t('Cancel'), 'cancel', { id }, html` class="danger" data-confirm="${t('Cancel this job? This can’t be undone.')}" ${label(t('Cancel {name}', { name }))}`)}
          </span>`
        },
      },
    ],
    empty: t('No jobs found.'),
    orderby: 'due',
    order: 'asc',
    paging: { total: jobs.length, next: null, first: null },
  })
}

export const actions = {
  /** Runs a job immediately, with all its retries. */
  retry: (view: AdminView) =>
    change(view, (id) => view.plugin.services.jobs.retry(id), view.t('The job will run as soon as possible.')),
  cancel: (view: AdminView) => change(view, (id) => view.plugin.services.jobs.cancel(id), view.t('Job canceled.')),
}

async function change(view: AdminView, run: (id: number) => Promise<boolean>, text: string): Promise<SitePage> {
  const id = Number(view.text('id'))
  if (!Number.isSafeInteger(id) || !(await run(id))) throw errors.admin_job_not_found()
  return view.redirect(view.here(), { kind: 'done', text })
}

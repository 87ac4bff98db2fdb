import { HeaderMap, RestError, type SitePage } from '../../../../../kernel/index.ts'
import { piecesOf } from '../../../../requests/bodies/index.ts'
import { html, type PageHtml } from '../../../../library/markup/index.ts'
import {
  COMPARISONS,
  ownPhrase,
  type ImportFile,
  type ImportState,
  type LiveProbe,
  type LiveRunOptions,
} from '../../../../operations/importer/index.ts'
import { errors } from '../../errors.ts'
import type { AdminContent } from '../../admin.ts'
import { confirmFirst } from '../../frame/confirmation.ts'
import type { AdminView } from '../../frame/view.ts'
import { continueUrl } from '../welcome/setup.ts'
import { errorText } from './phrases.ts'
import { fileForm, liveForm } from './forms.ts'
import { durationText } from './live-report.ts'
import { percentOf, progressText, stateHtml } from './state.ts'

/** Share of the time of a request in which a check must end, so that the page can say that the old site is slow. */
const PROBE_SHARE = 0.8
/** Milliseconds before a check repeats a failed request. With the usual delay, one failing route would take all its time. */
const PROBE_RETRY_DELAY_MS = 100

/** Shows the current or last import, and the forms that start one. */
export async function show(view: AdminView): Promise<AdminContent | SitePage> {
  const state = await view.plugin.services.importRuns.state()
  // Polled by the script of the page.
  if (view.query.get('format') === 'json') return asJson(view, state)
  return page(view, state)
}

export const actions = {
  /** Starts an import of files. */
  async save(view: AdminView): Promise<AdminContent | SitePage> {
    const runs = view.plugin.services.importRuns
    const files = view.files.flatMap(({ name }, index) => fileOf(view, name, index))
    if (!files.some(({ use }) => use === undefined))
      return page(view, await runs.state(), { wrong: { wxr: view.t('Select an export file.') } })
    return attempt(view, 'wxr', () =>
      runs.start({
        name: files
          .map(({ name }) => name)
          .join(', ')
          .slice(0, 200),
        files,
        download: view.text('download') === '1',
        ...writingOf(view),
      }),
    )
  },

  /** Shows what an import from a running site would bring. */
  async probe(view: AdminView): Promise<AdminContent | SitePage> {
    const runs = view.plugin.services.importRuns
    const { url, user } = liveOf(view)
    const password = view.text('live_password').trim()
    const limitMs = view.plugin.config.limits.requestTimeout * PROBE_SHARE
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(), limitMs)
    try {
      const probe = await view.plugin.services.importer.probeLive({
        url,
        ...(user !== null && { user, password }),
        retryDelay: PROBE_RETRY_DELAY_MS,
        signal: AbortSignal.any([view.request.signal, limit.signal]),
      })
      return await page(view, await runs.state(), { probe })
    } catch (error) {
      // Errors after the limit can have other reasons, such as an index that was not found in time.
      if (!limit.signal.aborted) return await refused(view, error, 'live_url')
      const text = view.t(
        'The old site did not answer all requests of the check within {time}. Check it again, or start the import: it waits longer for each answer.',
        { time: durationText(view, limitMs / 1000) },
      )
      return await page(view, await runs.state(), { wrong: { live_url: text }, isSlow: true })
    } finally {
      clearTimeout(timer)
    }
  },

  /** Starts an import from a running site. */
  async live(view: AdminView): Promise<AdminContent | SitePage> {
    return startLive(view, liveOf(view))
  },

  /** Continues an interrupted import from a running site. */
  async resume(view: AdminView): Promise<AdminContent | SitePage> {
    const { live } = (await view.plugin.services.importRuns.state()) ?? {}
    return live === undefined ? view.redirect(view.url('import')) : startLive(view, live)
  },

  /** Cancels the current import. */
  async cancel(view: AdminView): Promise<SitePage> {
    await view.plugin.services.accountChanges.check('user')
    await view.plugin.services.importRuns.cancel()
    return view.redirect(view.url('import'), { kind: 'done', text: view.t('The import is being cancelled.') })
  },
}

/** The uploaded file at an index, with what it is for. */
function fileOf({ files }: AdminView, name: string, index: number): ImportFile[] {
  const file = files[index]!
  if (!['wxr', 'uploads', 'site'].includes(name)) return []
  const use = name === 'uploads' || name === 'site' ? ({ use: name } as const) : {}
  return [{ name: file.filename, bytes: piecesOf(file), ...use }]
}

function writingOf(view: AdminView): Pick<LiveRunOptions, 'rewrite' | 'trustHtml'> {
  return {
    rewrite: view.text('keep_addresses') !== '1',
    trustHtml: view.text('filter_html') !== '1' && view.can('unfiltered_html'),
  }
}

/** The options of an import from a running site in the form. */
function liveOf(view: AdminView): LiveRunOptions {
  const url = view.text('live_url').trim()
  return {
    url: /^[a-z]+:\/\//i.test(url) ? url : `https://${url}`,
    user: view.text('live_user').trim() || null,
    full: view.text('full') === '1',
    revisions: view.text('revisions') === '1',
    followDeletions: view.text('follow_deletions') === '1',
    download: view.text('live_download') === '1',
    compare: COMPARISONS.find((one) => one === view.text('compare')) ?? 'sample',
    ...writingOf(view),
  }
}

function startLive(view: AdminView, options: LiveRunOptions): Promise<AdminContent | SitePage> {
  const password = view.text('live_password').trim()
  return attempt(view, options.user !== null && password === '' ? 'live_password' : 'live_url', () =>
    view.plugin.services.importRuns.startLive({ ...options, ...(password !== '' && { password }) }),
  )
}

/** Starts an import. If it is refused for its input, the page shows why at a field. */
async function attempt(view: AdminView, at: string, start: () => Promise<void>): Promise<AdminContent | SitePage> {
  try {
    await start()
  } catch (error) {
    return refused(view, error, at)
  }
  return view.redirect(view.url('import'))
}

async function refused(view: AdminView, error: unknown, at: string): Promise<AdminContent | SitePage> {
  if (!(error instanceof RestError)) throw error
  if (error.code === 'import_runs_already') throw errors.admin_import_runs()
  if (!error.code.startsWith('IMPORT_')) throw error
  return page(view, await view.plugin.services.importRuns.state(), {
    wrong: { [at]: errorText(view, error.message, ownPhrase(error)) },
  })
}

/** What a page shows in addition to the state: mistakes by field, and the result of a probe. */
interface Result {
  readonly wrong?: Readonly<Record<string, string>>
  readonly probe?: LiveProbe
  /** Whether the old site was too slow for a probe. */
  readonly isSlow?: boolean
}

async function page(view: AdminView, state: ImportState | null, result: Result = {}): Promise<AdminContent> {
  const { wrong = {}, probe = null, isSlow = false } = result
  const isRunning = state?.status === 'running'
  const isConfirmed = await view.plugin.services.sessions.isConfirmed(view.user.session ?? '')
  const forms = isConfirmed ? html`${fileForm(view, wrong)} ${liveForm(view, wrong, probe, isSlow)}` : confirmHtml(view)
  const setup = isRunning ? null : await continueUrl(view)
  return {
    status: Object.keys(wrong).length > 0 ? 400 : 200,
    ...(setup !== null && { headingActions: html`<a class="button" href="${setup}">${view.t('Continue setup')}</a>` }),
    main: html`${state === null ? null : stateHtml(view, state)} ${isRunning ? null : forms}`,
  }
}

/** Asks for the password before the files are uploaded. */
function confirmHtml(view: AdminView): PageHtml {
  const { t } = view
  const text = t('An import can change users and roles. Confirm your password before you choose the files.')
  return html`<h2>${t('Import from WordPress')}</h2>
    ${confirmFirst(view, html`<p>${text}</p>`)}`
}

function asJson(view: AdminView, state: ImportState | null): SitePage {
  const headers = new HeaderMap({ 'Content-Type': 'application/json', 'Cache-Control': 'private, no-store' })
  const body = state && { status: state.status, percent: percentOf(state), text: progressText(view, state) }
  return { status: 200, headers, body: JSON.stringify(body) }
}

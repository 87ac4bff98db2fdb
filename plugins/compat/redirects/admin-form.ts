import { html, RestError, type AdminView, type PageHtml } from '../../public.ts'
import { textOf } from './fields.ts'

/** A redirect as the REST API shows it. */
export interface ShownRedirect {
  readonly id: number
  readonly url: string
  readonly match_data: { readonly source: Readonly<Record<string, unknown>> }
  readonly action_code: number
  readonly action_type: string
  readonly action_data: Readonly<Record<string, unknown>> | null
  readonly match_type: string
  readonly title: string
  readonly hits: number
  readonly group_id: number
  readonly position: number
  readonly last_access: string
  readonly enabled: boolean
}

/** A group as the REST API shows it. */
export interface ShownGroup {
  readonly id: number
  readonly name: string
}

const CODES = [301, 302, 303, 307, 308, 410, 404]
const ROUTE = '/redirection/v1/'

/** Returns all groups. */
export async function groupsOf(view: AdminView): Promise<readonly ShownGroup[]> {
  const { data } = await view.ask<{ items: ShownGroup[] }>('GET', `${ROUTE}group`, { query: { per_page: 200 } })
  return data.items
}

/** Renders the fields of a redirect. @param redirect the edited redirect; null for a new one */
export function fieldsHtml(view: AdminView, groups: readonly ShownGroup[], redirect: ShownRedirect | null): PageHtml {
  const { t } = view
  const source = redirect?.match_data.source ?? { flag_query: 'exact', flag_case: true, flag_trailing: true }
  const target = textOf(redirect?.action_data?.['url'])
  const option = (value: string | number, label: string, chosen: unknown) =>
    html`<option value="${value}" ${String(value) === String(chosen) ? html`selected` : null}>${label}</option>`
  const box = (name: string, label: string) =>
    html`<p>
      <label
        ><input type="checkbox" name="${name}" value="1" ${source[name] === true ? html`checked` : null} />
        ${label}</label
      >
    </p>`
  const queries = [
    ['exact', t('Must match')],
    ['ignore', t('Are ignored')],
    ['pass', t('Are ignored and added to the target URL')],
  ] as const
  return html`<p>
      <label for="url">${t('Source URL')}</label>
      <input id="url" name="url" required maxlength="2000" value="${redirect?.url ?? view.query.get('url') ?? ''}" />
    </p>
    <p>
      <label for="target">${t('Target URL')}</label>
      <input id="target" name="target" maxlength="2000" value="${target}" />
    </p>
    <p>
      <label for="code">${t('HTTP status')}</label>
      <select id="code" name="code">
        ${CODES.map((code) => option(code, String(code), redirect?.action_code ?? 301))}
      </select>
    </p>
    <p>
      <label for="flag_query">${t('Query parameters')}</label>
      <select id="flag_query" name="flag_query">
        ${queries.map(([value, label]) => option(value, label, source['flag_query']))}
      </select>
    </p>
    ${box('flag_case', t('Ignore case'))} ${box('flag_trailing', t('Ignore a slash at the end'))}
    ${box('flag_regex', t('The source URL is a regular expression'))}
    <p>
      <label for="group">${t('Group')}</label>
      <select id="group" name="group">
        ${groups.map(({ id, name }) => option(id, name, redirect?.group_id))}
      </select>
    </p>
    <p>
      <label for="title">${t('Title')}</label>
      <input id="title" name="title" maxlength="500" value="${redirect?.title ?? ''}" />
    </p>`
}

/** Returns the submitted fields as the REST API takes them. @param before the edited redirect */
export function submitted(view: AdminView, before: ShownRedirect | null): Record<string, unknown> {
  const code = Number(view.text('code'))
  const flag = (name: string) => view.text(name) === '1'
  // Conditions such as the login are edited by the REST API, and stay.
  const isPlain = before === null || before.match_type === 'url'
  const type = code >= 400 ? 'error' : before !== null && before.action_type !== 'error' ? before.action_type : 'url'
  return {
    url: view.text('url'),
    match_data: {
      source: {
        flag_query: view.text('flag_query'),
        flag_case: flag('flag_case'),
        flag_trailing: flag('flag_trailing'),
        flag_regex: flag('flag_regex'),
      },
    },
    match_type: before?.match_type ?? 'url',
    action_type: type,
    action_code: code,
    action_data: isPlain ? { url: view.text('target') } : before.action_data,
    group_id: Number(view.text('group')),
    title: view.text('title'),
    ...(before !== null && { position: before.position }),
  }
}

/** Runs a request to the routes of redirects. @returns its error, or null */
export async function attemptChange(
  view: AdminView,
  path: string,
  question: Parameters<AdminView['ask']>[2],
): Promise<RestError | null> {
  try {
    await view.ask('POST', `${ROUTE}${path}`, question)
    return null
  } catch (error) {
    if (error instanceof RestError && error.status < 500) return error
    throw error
  }
}

/** Renders an error above a form; nothing for null. */
export function alertHtml(view: AdminView, error: RestError | null): PageHtml | null {
  return error === null ? null : html`<div class="notice error" role="alert"><p>${view.t(error.message)}</p></div>`
}

import { isOnlySample, SETUP_OPTION, type SiteSetup } from '../../../../operations/first-run/index.ts'
import { html, type PageHtml } from '../../../../library/markup/index.ts'
import type { AdminView } from '../../frame/view.ts'

/** Names of the steps of the setup, in order. */
export const STEPS = ['site', 'appearance', 'content', 'account', 'post'] as const
export type StepName = (typeof STEPS)[number]

/** Returns the state of the setup; null on sites that did not begin with the sample, and for other users. */
export async function readSetup(view: AdminView): Promise<SiteSetup | null> {
  if (!view.can('manage_options')) return null
  return (await view.plugin.services.options.get<SiteSetup>(SETUP_OPTION)) ?? null
}

/** Changes the state of the setup, unless it is done. */
export async function writeSetup(
  { plugin }: AdminView,
  change: (setup: SiteSetup) => Partial<SiteSetup>,
): Promise<SiteSetup | null> {
  const { options, store } = plugin.services
  return store.inTurn(async () => {
    const { [SETUP_OPTION]: stored } = await options.fresh([SETUP_OPTION])
    if (!isSetup(stored) || stored.status === 'done') return null
    const setup = { ...stored, ...change(stored) }
    await options.set(SETUP_OPTION, setup)
    return setup
  })
}

function isSetup(value: unknown): value is SiteSetup {
  return typeof value === 'object' && value !== null && 'status' in value && 'steps' in value
}

/** Returns the names of the steps that the user may take. */
export function openSteps(view: AdminView): StepName[] {
  const { plugin } = view
  const isOpen: Readonly<Record<StepName, boolean>> = {
    site: true,
    appearance: plugin.has('global-styles') && plugin.has('themes') && view.can('edit_theme_options'),
    content: true,
    account: true,
    post: plugin.has('posts') && view.can('edit_posts'),
  }
  return STEPS.filter((name) => isOpen[name])
}

/** Returns the title of a step. */
export function stepTitle({ t }: AdminView, name: StepName): string {
  const titles: Readonly<Record<StepName, string>> = {
    site: t('Name your site'),
    appearance: t('Theme and colors'),
    content: t('Content'),
    account: t('Your account'),
    post: t('Your first post'),
  }
  return titles[name]
}

/** Returns the next step, after `after`, that was neither completed nor skipped; null if all steps were. */
export function nextStep(view: AdminView, { steps }: SiteSetup, after?: StepName): StepName | null {
  const open = openSteps(view)
  const at = after === undefined ? 0 : open.indexOf(after) + 1
  return [...open.slice(at), ...open.slice(0, at)].find((name) => !steps.includes(name)) ?? null
}

/** Returns the URL of a step; that of the dashboard without a step. */
export function stepUrl(view: AdminView, name: StepName | null): string {
  return view.url(name === null ? '' : `welcome/${name}`)
}

/**
 * Returns the URL of the setup for the first user who manages a new site; null for all other requests. On a site whose
 * content was changed or imported before, the setup counts as done.
 */
export async function firstSetupUrl(view: AdminView): Promise<string | null> {
  const setup = await readSetup(view)
  if (setup?.status !== 'new') return null
  const isUntouched = await isOnlySample(view.plugin.services.store)
  await writeSetup(view, () => ({ status: isUntouched ? 'started' : 'done' }))
  return isUntouched ? stepUrl(view, nextStep(view, setup)) : null
}

/** Returns the URL at which a user continues the setup; null if it is not in progress. */
export async function continueUrl(view: AdminView): Promise<string | null> {
  const setup = await readSetup(view)
  return setup?.status === 'started' ? stepUrl(view, nextStep(view, setup)) : null
}

/** Renders the box of the dashboard that continues or dismisses the setup; null if it is not in progress. */
export async function setupBox(view: AdminView): Promise<PageHtml | null> {
  const { t } = view
  const setup = await readSetup(view)
  if (setup?.status !== 'started') return null
  const open = openSteps(view)
  const done = open.filter((name) => setup.steps.includes(name)).length
  return html`<section class="card" aria-labelledby="setup-box">
    <h2 id="setup-box">${t('Set up your site')}</h2>
    <p>${t('{done} of {count} steps done.', { done, count: open.length })}</p>
    <div class="actions">
      <a class="button" href="${stepUrl(view, nextStep(view, setup))}">${t('Continue setup')}</a>
      ${view.formStart('dismiss', html` class="inline"`, 'welcome/site')}<button type="submit">${t('Dismiss')}</button></form>
    </div>
  </section>`
}

import type { SiteSetup } from '../../../../operations/first-run/index.ts'
import { html, type PageHtml } from '../../../../library/markup/index.ts'
import type { AdminAnswer, AdminContent, AdminHandler } from '../../admin.ts'
import { errors } from '../../errors.ts'
import { noticeHtml } from '../../frame/page.ts'
import type { AdminView } from '../../frame/view.ts'
import { accountStep } from './account-step.ts'
import { appearanceStep } from './appearance-step.ts'
import { contentStep } from './content-step.ts'
import { postStep } from './post-step.ts'
import { nextStep, openSteps, readSetup, stepTitle, stepUrl, writeSetup, type StepName } from './setup.ts'
import { siteStep } from './site-step.ts'
import type { Step, StepForm } from './step.ts'

const STEPS: Readonly<Record<StepName, Step>> = {
  site: siteStep,
  appearance: appearanceStep,
  content: contentStep,
  account: accountStep,
  post: postStep,
}

/** Shows a step of the setup; redirects to the dashboard if the site has no setup in progress. */
export async function show(view: AdminView): Promise<AdminAnswer> {
  const setup = await startedSetup(view)
  if (setup === null) return view.redirect(view.url(''))
  const name = stepOf(view)
  return page(view, name, setup, await STEPS[name].show(view))
}

export const actions: Readonly<Record<string, AdminHandler>> = {
  async save(view) {
    const setup = await startedSetup(view)
    if (setup === null) return view.redirect(view.url(''))
    const name = stepOf(view)
    const answer = await STEPS[name].save(view, () => complete(view, name))
    if ('redirect' in answer) return answer.redirect
    return page(view, name, setup, await STEPS[name].show(view, answer))
  },
  async skip(view) {
    return view.redirect(await complete(view, stepOf(view)))
  },
  async dismiss(view) {
    await writeSetup(view, () => ({ status: 'done' }))
    return view.redirect(view.url(''))
  },
  theme: stepAction('theme'),
  variation: stepAction('variation'),
}

/** Returns the handler of a further form of a step. @throws admin_action_unknown if the step has no such form */
function stepAction(action: string): AdminHandler {
  return async (view) => {
    const handler = STEPS[stepOf(view)].actions?.[action]
    if (handler === undefined) throw errors.admin_action_unknown()
    return handler(view)
  }
}

/** Returns the state of a setup in progress, and stores that it was shown; null if the site has none. */
async function startedSetup(view: AdminView): Promise<SiteSetup | null> {
  const setup = await readSetup(view)
  if (setup === null || setup.status === 'done') return null
  return setup.status === 'started' ? setup : writeSetup(view, () => ({ status: 'started' }))
}

/** Returns the step of the path. @throws admin_page_not_found */
function stepOf(view: AdminView): StepName {
  const name = openSteps(view).find((step) => step === view.params['step'])
  if (name === undefined) throw errors.admin_page_not_found()
  return name
}

/** Marks a step as completed or skipped; the last one ends the setup. @returns the URL that follows */
async function complete(view: AdminView, name: StepName): Promise<string> {
  const setup = await writeSetup(view, ({ steps }) => {
    const done = [...new Set([...steps, name])]
    return { status: openSteps(view).every((step) => done.includes(step)) ? 'done' : 'started', steps: done }
  })
  return stepUrl(view, setup === null ? null : nextStep(view, setup, name))
}

function page(view: AdminView, name: StepName, setup: SiteSetup, form: StepForm): AdminContent {
  const { t } = view
  const { about, fields, further, button, isWrong = false } = form
  const skip = html` class="inline welcome-skip"`
  return {
    title: stepTitle(view, name),
    skipTo: 'form',
    ...(isWrong && { status: 400 }),
    main: html`${isWrong ? noticeHtml({ kind: 'error', text: t('Not saved. Please fix the highlighted fields.') }) : null}
      ${progressHtml(view, name, setup)}
      <div class="welcome">
        <div class="welcome-about">${about}</div>
        ${view.formStart('save', html` class="welcome-form" data-welcome="${name}" id="form" tabindex="-1"`)} ${fields}
        <p class="actions"><button type="submit" class="primary">${button}</button></p></form>
        ${further}
        <div class="actions welcome-others">
          ${view.formStart('skip', skip)}<button type="submit">${t('Skip this step')}</button></form>
          <a href="${view.url('')}">${t('Finish later')}</a>
        </div>
      </div>`,
  }
}

/** Renders the steps as links, with the current one and the completed ones marked. */
function progressHtml(view: AdminView, name: StepName, { steps }: SiteSetup): PageHtml {
  const { t } = view
  const open = openSteps(view)
  const items = open.map((step) => {
    const isDone = steps.includes(step)
    const mark = isDone ? html`${view.icon('check')} <span class="hidden">${t('Done:')}</span>` : null
    const current = step === name ? html` aria-current="step"` : null
    return html`<li><a href="${stepUrl(view, step)}" ${current}>${mark}${stepTitle(view, step)}</a></li>`
  })
  return html`<nav class="welcome-steps" aria-label="${t('Setup')}">
    <p>${t('Step {step} of {count}', { step: open.indexOf(name) + 1, count: open.length })}</p>
    <ol>
      ${items}
    </ol>
  </nav>`
}

import { definePlugin } from '../../../../kernel/index.ts'
import type { JobHandler, Jobs } from '../../../../plugins/foundation/jobs/index.ts'
import { until } from '../../../helpers/until.ts'
import type { Site } from '../../../kit/index.ts'

/** A plugin with handlers, and what else it does with the service. */
export function mailer(handlers: Record<string, JobHandler>, more: (jobs: Jobs) => void = () => {}) {
  return definePlugin({
    name: 'mailer',
    needs: ['jobs'],
    apply({ services: { jobs } }) {
      for (const [name, handler] of Object.entries(handlers)) jobs.handle(name, handler)
      more(jobs)
    },
  })
}

export const jobsOf = (site: Site): Jobs => site.kernel.services.jobs

/** The folder whose timers a stopped clock runs in the tests of jobs. */
export const TIMERS = 'plugins/foundation/jobs'

/** A plugin with a marker job: all jobs that are due earlier start before it. */
export function witness() {
  let onRun = () => {}
  const plugin = definePlugin({
    name: 'witness',
    needs: ['jobs'],
    apply: ({ services: { jobs } }) => jobs.handle('witness', { run: () => onRun() }),
  })
  /** Adds the job, and resolves once it has run and is gone. */
  const runWitness = async (site: Site) => {
    const started = new Promise<void>((resolve) => (onRun = resolve))
    await jobsOf(site).add('witness')
    await started
    await until(async () => (await jobsOf(site).list({ name: 'witness' })).length === 0)
  }
  return { plugin, runWitness }
}

/** A short label of a job. */
export async function summarizeJobs(site: Site) {
  return (await jobsOf(site).list()).map(({ name, state, attempts, error }) => ({ name, state, attempts, error }))
}

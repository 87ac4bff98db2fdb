import { definePlugin } from '../../../../kernel/index.ts'
import type { JobHandler, Jobs } from '../../../../plugins/operations/jobs/index.ts'
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

/** What tells one job from another in short. */
export async function brief(site: Site) {
  return (await jobsOf(site).list()).map(({ name, state, attempts, error }) => ({ name, state, attempts, error }))
}

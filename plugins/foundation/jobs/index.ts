import { definePlugin } from '../../../kernel/index.ts'
import type { Change } from '../../storage/store/index.ts'
import { addJobCommands } from './commands.ts'
import { Handlers } from './handlers.ts'
import type { Jobs } from './job.ts'
import { JOBS_TAG, Queue } from './queue.ts'
import { JobRunner } from './runner.ts'
import { Schedules } from './schedules.ts'
import { JobService } from './service.ts'

export type { Job, JobHandler, JobQuery, JobRun, Jobs, NewJobOptions, ScheduleOptions } from './job.ts'

/** Options for running jobs in each process. */
export interface JobsOptions {
  /** Number of jobs that a process runs concurrently. */
  concurrency: number
  /** Seconds without a heartbeat after which another process takes over a running job. */
  lease: number
  /** Days for which dead jobs are stored. */
  retention_days: number
}

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Work that one of the server processes does later.
     * @example
     * services.jobs.handle('greet', { run: (name, { log }) => log.info(`Hello ${String(name)}`) })
     * await services.jobs.add('greet', 'Ada', { in: 60 })
     */
    jobs: Jobs
  }
}

/** Maximum milliseconds for jobs to stop. */
const MAX_GRACE_MS = 10_000

/** Runs delayed and recurring jobs of plugins, each in one of the server processes. */
export default definePlugin<JobsOptions>({
  name: 'jobs',
  needs: ['store', 'changes', 'settings'],
  formerOptions: { at_once: 'concurrency', keep: 'retention_days' },
  options: {
    concurrency: { default: 5, type: 'integer', minimum: 1, maximum: 1000 },
    lease: { default: 30, type: 'number', minimum: 1, maximum: 3600 },
    retention_days: { default: 30, type: 'number', minimum: 0 },
  },
  apply(plugin, { concurrency, lease, retention_days: retentionDays }) {
    const { config, hooks, log, onRemove, provide, services } = plugin
    const queue = new Queue(services.store)
    const schedules = new Schedules(plugin, queue, () => runner.wakeSchedules())
    const options = {
      concurrency,
      lease: lease * 1000,
      retentionDays,
      grace: Math.min(config.limits.requestTimeout, MAX_GRACE_MS),
    }
    const runner = new JobRunner({ queue, schedules, changes: services.changes, log, options }, () => handlers)
    const handlers = new Handlers(
      () => runner.wake(),
      (handler) => runner.stopRunsOf(handler),
    )
    const jobs = new JobService(handlers, queue, schedules, runner)
    provide('jobs', jobs)
    addJobCommands(plugin, jobs, handlers)
    // Commands and imports add jobs but do not run them.
    hooks.server_listening.tapPromise({ name: 'jobs', stage: 100 }, () => runner.start())
    hooks.server_finishing.tapPromise('jobs', () => runner.finish())
    hooks.server_stopping.tapPromise({ name: 'jobs', stage: -100 }, () => runner.stop())
    onRemove(() => runner.stop(), 'runner of jobs')
    const handleChanges = (changes: readonly Change[] | null) => {
      const isChanged = (tag: string) => changes === null || changes.some(({ tags }) => tags.includes(tag))
      if (isChanged('option:timezone')) runner.wakeSchedules()
      else if (isChanged(JOBS_TAG)) runner.wake()
    }
    services.changes.onCommit(handleChanges)
    services.changes.onOthers(handleChanges)
  },
})

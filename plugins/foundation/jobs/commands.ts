import type { PluginContext } from '../../../kernel/index.ts'
import { errors } from './errors.ts'
import type { Handlers } from './handlers.ts'
import type { Job } from './job.ts'
import type { JobService } from './service.ts'

/** Adds the command `svc jobs` and its subcommands. */
export function addJobCommands({ addCommand }: PluginContext, jobs: JobService, handlers: Handlers): void {
  const shown = (job: Job) => {
    const { id, state, name, key, due, attempts, schedule, error, plugin } = job
    const isHandled = handlers.get(name) !== undefined
    return {
      id,
      state: state === 'waiting' && !isHandled ? `waits for ${plugin}` : state,
      name,
      key,
      due: due.toISOString(),
      attempts,
      schedule,
      error,
    }
  }
  addCommand('jobs', {
    summary: 'Lists waiting, running and dead jobs with their due time, attempts and last error.',
    flags: {
      name: { description: 'Lists only jobs of this name.', type: 'string' },
      state: { description: 'Lists only jobs in this state.', type: 'string', enum: ['waiting', 'running', 'dead'] },
    },
    json: true,
    async run({ flags: { name, state }, printData }) {
      const found = await jobs.list({ ...(name !== undefined && { name }), ...(state !== undefined && { state }) })
      printData(found.map(shown))
    },
  })
  const id = { description: 'ID of the job, from "svc jobs".', type: 'integer', required: true } as const
  addCommand('jobs run', {
    summary: 'Runs a job of this name now in this process: its scheduled job, or a new one.',
    args: { name: { description: 'Name of the job.', type: 'string', required: true } },
    flags: { payload: { description: 'Payload of a new job, as JSON.', type: 'string' } },
    async run({ operands: { name }, flags: { payload }, print }) {
      const failure = await jobs.runNow(name, payload === undefined ? undefined : (JSON.parse(payload) as unknown))
      if (failure !== null) throw errors.JOB_NOT_DONE(name, failure.message, { cause: failure })
      print(`${name} is done.`)
    },
  })
  addCommand('jobs retry', {
    summary: 'Runs a waiting or dead job now, with all its retries.',
    args: { id },
    async run({ operands, print }) {
      if (!(await jobs.retry(operands.id))) throw errors.JOB_NOT_THERE(operands.id)
      print(`The job ${operands.id} is tried as soon as a server runs.`)
    },
  })
  addCommand('jobs cancel', {
    summary: 'Removes a job, and aborts it if it is running.',
    args: { id },
    async run({ operands, print }) {
      if (!(await jobs.cancel(operands.id))) throw errors.JOB_NOT_THERE(operands.id)
      print(`The job ${operands.id} is cancelled.`)
    },
  })
}

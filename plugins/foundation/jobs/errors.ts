import { defineErrors, sentence } from '../../../kernel/index.ts'

export const errors = defineErrors({
  JOB_UNKNOWN: (name: string, near: string) =>
    `No running plugin handles jobs named ${name}${near === '' ? '.' : `: did you mean ${near}?`} Call jobs.handle() before jobs.add().`,
  JOB_HANDLER_INVALID: (name: string, reason: string) =>
    `The handler of jobs named ${name} cannot be registered: ${sentence(reason)}`,
  JOB_PAYLOAD_INVALID: (name: string, reason: string) => `The job ${name} cannot be added: ${sentence(reason)}`,
  JOB_TIME_INVALID: (name: string) =>
    `The time of the job ${name} is invalid: set "in" to seconds, or "at" to a Date in the years 1970 to 9999.`,
  JOB_OPTIONS_INVALID: (name: string, reason: string) =>
    `The job ${name} cannot be added: the argument "options" ${sentence(reason)}`,
  JOB_KEY_TOO_LONG: (name: string, max: number) => `The key of the job ${name} is longer than ${max} characters.`,
  JOB_SCHEDULE_INVALID: (name: string, pattern: string, reason: string) =>
    `The schedule "${pattern}" of the job ${name} is invalid: ${reason}. Write minute, hour, day, month and weekday: "0 3 * * *".`,
  JOB_TIMED_OUT: (seconds: number) => `The job took longer than ${seconds} seconds.`,
  JOB_CANCELLED: 'The job was cancelled.',
  JOB_STOPPED: 'The server is stopping, or the plugin of the job was removed. The job will run again later.',
  JOB_LOST: 'This process could not renew the lease of the job in time. Another process may run it.',
  JOB_ABANDONED: 'The process that ran the job has ended or stopped responding.',
  JOB_NOT_THERE: (id: number) => `There is no job with the ID ${id}. Run "svc jobs" to list all jobs.`,
  JOB_NOT_DONE: (name: string, reason: string) => `The job ${name} failed: ${reason}`,
})

import { defineErrors, sentence } from '../../../kernel/index.ts'

export const errors = defineErrors({
  JOB_UNKNOWN: (name: string, near: string) =>
    `No plugin that runs handles jobs named ${name}${near === '' ? '' : `: did you mean ${near}?`} A plugin says jobs.handle before jobs.add.`,
  JOB_HANDLER_INVALID: (name: string, why: string) =>
    `The handler of jobs named ${name} cannot be registered: ${sentence(why)}`,
  JOB_PAYLOAD_INVALID: (name: string, why: string) => `A job ${name} cannot be added: ${sentence(why)}`,
  JOB_TIME_INVALID: (name: string) =>
    `The time of the job ${name} is none: give seconds as "in", or a Date of the years 1970 to 9999 as "at".`,
  JOB_OPTIONS_INVALID: (name: string, why: string) =>
    `The job ${name} cannot be added: what it is added with ${sentence(why)}`,
  JOB_KEY_TOO_LONG: (name: string, most: number) =>
    `The key of the job ${name} is longer than the ${most} characters of a key.`,
  JOB_SCHEDULE_INVALID: (name: string, pattern: string, why: string) =>
    `The schedule "${pattern}" of the job ${name} cannot be used: ${why}. It is minute, hour, day, month and weekday: "0 3 * * *".`,
  JOB_TIMED_OUT: (seconds: number) => `The job took longer than ${seconds} seconds.`,
  JOB_CANCELLED: 'The job was cancelled.',
  JOB_STOPPED: 'The server stops, or the plugin of the job is removed: the job begins again later.',
  JOB_LOST: 'This process could not say for too long that it lives: another one may run the job.',
  JOB_ABANDONED: 'The process that ran it has ended, or has stood still.',
  JOB_NOT_THERE: (id: number) => `There is no job with the ID ${id}: svc jobs lists them.`,
  JOB_NOT_DONE: (name: string, why: string) => `The job ${name} is not done: ${why}`,
})

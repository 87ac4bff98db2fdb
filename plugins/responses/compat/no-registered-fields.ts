import { definePlugin } from '../../../kernel/index.ts'

/** The earliest revision knows no registered fields: a registration is told in the log, and has no effect. */
export default definePlugin({
  name: 'no-registered-fields',
  apply({ log, provide }) {
    provide('extraFields', {
      register: (types, attribute) =>
        log.warn({ types, attribute }, 'this revision of the REST API has no registered fields'),
      update: () => Promise.resolve(null),
      reindex: () => Promise.resolve(),
    })
  },
})

import { definePlugin } from '../../../kernel/index.ts'

/** Revision 4.4 has no registered fields: a registration has no effect and is logged. */
export default definePlugin({
  name: 'no-registered-fields',
  apply({ log, provide }) {
    provide('extraFields', {
      register: (types, attribute) =>
        log.warn({ types, attribute }, 'field ignored: this revision of the REST API has no registered fields'),
      update: () => Promise.resolve(null),
      reindex: () => Promise.resolve(),
    })
  },
})

import type { AnyPlugin } from '../../kernel/index.ts'
import jobs from './jobs/index.ts'
import outgoing from './outgoing/index.ts'
import settings from './settings/index.ts'

/** Plugins that every room above uses: options of the site, work for later, and requests to other servers. */
export default [settings, jobs, outgoing] satisfies AnyPlugin[]

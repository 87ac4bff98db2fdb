import type { AnyPlugin } from '../../kernel/index.ts'
import args from './arguments/index.ts'
import bodies from './bodies/index.ts'
import conditional from './conditional/index.ts'
import limits from './limits/index.ts'
import requestHooks from './request-hooks/index.ts'
import siteRequests from './site-requests/index.ts'

/** Plugins that read and check requests. */
export default [args, limits, bodies, conditional, requestHooks, siteRequests] satisfies AnyPlugin[]

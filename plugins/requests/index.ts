import type { AnyPlugin } from '../../kernel/index.ts'
import args from './arguments/index.ts'
import conditional from './conditional/index.ts'

/** Plugins that read and check requests. */
export default [args, conditional] satisfies AnyPlugin[]

import type { AnyPlugin } from '../../kernel/index.ts'
import actions from './actions/index.ts'
import importer from './import/index.ts'
import jobs from './jobs/index.ts'
import trace from './trace/index.ts'

/** For those who run or extend a site. */
const plugins: readonly AnyPlugin[] = [jobs, trace, importer, actions]
export default plugins

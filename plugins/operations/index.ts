import type { AnyPlugin } from '../../kernel/index.ts'
import importer from './import/index.ts'
import trace from './trace/index.ts'

/** For those who run or extend a site. */
const plugins: readonly AnyPlugin[] = [trace, importer]
export default plugins

import type { AnyPlugin } from '../../kernel/index.ts'
import firstRun from './first-run/index.ts'
import permalinks from './permalinks/index.ts'
import settings from './settings/index.ts'

/** What a site is: its settings, its URLs, and the sample of a new one. */
const plugins: readonly AnyPlugin[] = [settings, permalinks, firstRun]
export default plugins

import type { AnyPlugin } from '../../kernel/index.ts'
import admin from './admin/index.ts'
import crawlers from './crawlers/index.ts'
import editor from './editor/index.ts'
import feeds from './feeds/index.ts'
import firstRun from './first-run/index.ts'
import permalinks from './permalinks/index.ts'
import settings from './settings/index.ts'
import sitePages from './site-pages/index.ts'

/** What a site is: settings, URLs, the sample of a new one, the admin, the editor, and what visitors and robots see. */
const plugins: readonly AnyPlugin[] = [settings, permalinks, firstRun, admin, editor, sitePages, feeds, crawlers]
export default plugins

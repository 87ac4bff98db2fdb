import type { AnyPlugin } from '../../kernel/index.ts'
import admin from './admin/index.ts'
import crawlers from './crawlers/index.ts'
import editor from './editor/index.ts'
import feeds from './feeds/index.ts'
import sitePages from './site-pages/index.ts'
import urlDetails from './url-details/index.ts'

/** The admin, the editor, and the pages and feeds of the site. */
export default [admin, editor, urlDetails, sitePages, feeds, crawlers] satisfies AnyPlugin[]

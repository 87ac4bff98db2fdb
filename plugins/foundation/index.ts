import type { AnyPlugin } from '../../kernel/index.ts'
import jobs from './jobs/index.ts'
import optionalPlugins from './optional-plugins/index.ts'
import outgoing from './outgoing/index.ts'
import settings from './settings/index.ts'
import translations from './translations/index.ts'

/** Plugins that all rooms above use: options and texts of the site, jobs, and requests to other servers. */
export default [settings, translations, jobs, outgoing, optionalPlugins] satisfies AnyPlugin[]

import type { AnyPlugin } from '../../kernel/index.ts'
import actions from './actions/index.ts'
import changeFeed from './change-feed/index.ts'
import exporter from './exporter/index.ts'
import importer from './importer/index.ts'
import firstRun from './first-run/index.ts'
import transfer from './transfer/index.ts'
import urlReplacement from './url-replacement/index.ts'
import trace from './trace/index.ts'
import webhooks from './webhooks/index.ts'
import abilities from './abilities/index.ts'
import siteHealth from './site-health/index.ts'
import installedPlugins from './installed-plugins/index.ts'

/** Plugins for operators and developers of a site. */
const plugins: readonly AnyPlugin[] = [
  firstRun,
  trace,
  importer,
  exporter,
  transfer,
  urlReplacement,
  actions,
  changeFeed,
  webhooks,
  abilities,
  siteHealth,
  installedPlugins,
]
export default plugins

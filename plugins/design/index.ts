import type { AnyPlugin } from '../../kernel/index.ts'
import blockPatterns from './block-patterns/index.ts'
import fonts from './fonts/index.ts'
import globalStyles from './global-styles/index.ts'
import icons from './icons/index.ts'
import menus from './menus/index.ts'
import navigation from './navigation/index.ts'
import templates from './templates/index.ts'
import themes from './themes/index.ts'
import viewConfig from './view-config/index.ts'
import widgets from './widgets/index.ts'

/** Plugins that define the appearance of a site: themes with templates, styles, patterns and fonts, and menus. */
const plugins: readonly AnyPlugin[] = [
  themes,
  templates,
  globalStyles,
  blockPatterns,
  fonts,
  icons,
  viewConfig,
  menus,
  navigation,
  widgets,
]
export default plugins

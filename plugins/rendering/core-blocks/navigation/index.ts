import type { Renderer } from '../renderer.ts'
import { renderHomeLink, renderNavigationLink, renderNavigationSubmenu } from './links.ts'
import { renderNavigation } from './navigation.ts'
import { renderOverlayClose } from './overlay.ts'
import { renderPageList } from './page-list.ts'

/** Renderers of the navigation blocks, by name. */
export const navigationRenderers: Readonly<Record<string, Renderer>> = {
  'home-link': renderHomeLink,
  navigation: renderNavigation,
  'navigation-link': renderNavigationLink,
  'navigation-overlay-close': renderOverlayClose,
  'navigation-submenu': renderNavigationSubmenu,
  'page-list': renderPageList,
}

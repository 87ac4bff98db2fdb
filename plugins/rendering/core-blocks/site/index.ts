import type { Renderer } from '../renderer.ts'
import { renderIcon } from './icon.ts'
import { renderLoginout } from './loginout.ts'
import { renderSocialLink } from './social-link.ts'
import { renderSiteLogo, renderSiteTagline, renderSiteTitle } from './title.ts'

/** Renderers of blocks about the site, by name. */
export const siteRenderers: Readonly<Record<string, Renderer>> = {
  icon: renderIcon,
  loginout: renderLoginout,
  'site-logo': renderSiteLogo,
  'site-tagline': renderSiteTagline,
  'site-title': renderSiteTitle,
  'social-link': renderSocialLink,
}

import type { Renderer } from '../renderer.ts'
import { renderLoginout } from './loginout.ts'
import { renderReusableBlock } from './reusable-block.ts'
import { renderSocialLink } from './social-link.ts'
import { renderSiteLogo, renderSiteTagline, renderSiteTitle } from './title.ts'

/** The blocks that tell of the site, by name. */
export const siteRenderers: Readonly<Record<string, Renderer>> = {
  block: renderReusableBlock,
  loginout: renderLoginout,
  'site-logo': renderSiteLogo,
  'site-tagline': renderSiteTagline,
  'site-title': renderSiteTitle,
  'social-link': renderSocialLink,
}

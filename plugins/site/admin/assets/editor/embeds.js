// Providers of embeds, by the domain of their addresses.

/** @type {readonly [RegExp, string, string][]} domain, name and type */
const PROVIDERS = [
  [/(?:^|\.)(?:youtube\.com|youtu\.be)$/, 'youtube', 'video'],
  [/(?:^|\.)vimeo\.com$/, 'vimeo', 'video'],
  [/(?:^|\.)dailymotion\.com$/, 'dailymotion', 'video'],
  [/(?:^|\.)ted\.com$/, 'ted', 'video'],
  [/(?:^|\.)tiktok\.com$/, 'tiktok', 'video'],
  [/^(?:open\.)?spotify\.com$/, 'spotify', 'rich'],
  [/(?:^|\.)soundcloud\.com$/, 'soundcloud', 'rich'],
  [/(?:^|\.)mixcloud\.com$/, 'mixcloud', 'rich'],
  [/^(?:www\.)?(?:twitter|x)\.com$/, 'twitter', 'rich'],
  [/^bsky\.app$/, 'bluesky', 'rich'],
  [/(?:^|\.)reddit\.com$/, 'reddit', 'rich'],
  [/(?:^|\.)tumblr\.com$/, 'tumblr', 'rich'],
  [/(?:^|\.)flickr\.com$/, 'flickr', 'photo'],
  [/(?:^|\.)pinterest\.com$/, 'pinterest', 'rich'],
  [/(?:^|\.)slideshare\.net$/, 'slideshare', 'rich'],
  [/(?:^|\.)kickstarter\.com$/, 'kickstarter', 'rich'],
]

/**
 * Returns the embed block of an address, or null if the address is not of a known provider.
 * @param {string} url
 * @param {string} mark prefix of classes
 */
export function embedOf(url, mark) {
  const { hostname, pathname } = new URL(url)
  const found = PROVIDERS.find(([domain]) => domain.test(hostname))
  if (found === undefined || pathname === '/') return null
  const [, providerNameSlug, type] = found
  const isWide = type === 'video' && providerNameSlug !== 'tiktok'
  return {
    type: 'embed',
    attrs: {
      attributes: {
        url,
        type,
        providerNameSlug,
        responsive: true,
        ...(isWide && { className: `${mark}-embed-aspect-16-9 ${mark}-has-aspect-ratio` }),
      },
    },
  }
}

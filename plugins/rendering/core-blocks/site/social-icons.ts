/** Display names of social link services; for all others the capitalized key is used. */
const NAMES: Readonly<Record<string, string>> = {
  amazon: 'Amazon',
  bluesky: 'Bluesky',
  chain: 'Link',
  codepen: 'CodePen',
  deviantart: 'DeviantArt',
  feed: 'RSS Feed',
  fivehundredpx: '500px',
  github: 'GitHub',
  goodreads: 'Goodreads',
  lastfm: 'Last.fm',
  linkedin: 'LinkedIn',
  mail: 'Mail',
  skype: 'Skype',
  share: 'Share Icon',
  soundcloud: 'SoundCloud',
  tiktok: 'TikTok',
  tumblr: 'Tumblr',
  vk: 'VK',
  whatsapp: 'WhatsApp',
  wordpress: 'WordPress',
  youtube: 'YouTube',
}

/** Icons of services that are not brands. */
const SHAPES: Readonly<Record<string, string>> = {
  chain:
    '<path d="M10 8H7a4 4 0 0 0 0 8h3v-2H7a2 2 0 0 1 0-4h3V8Zm4 0v2h3a2 2 0 0 1 0 4h-3v2h3a4 4 0 0 0 0-8h-3Zm-5 3h6v2H9v-2Z"></path>',
  mail: '<path d="M3 5h18v14H3V5Zm2 3.2V17h14V8.2l-7 5-7-5ZM6 7l6 4.300L18 7H6Z"></path>',
  feed: '<path d="M5 5v2.500A11.5 11.5 0 0 1 16.5 19H19A14 14 0 0 0 5 5Zm0 5v2.500A6.5 6.5 0 0 1 11.5 19H14a9 9 0 0 0-9-9Zm1.8 5.400a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6Z"></path>',
  share:
    '<path d="M17 3a3 3 0 1 0 .1 6A3 3 0 0 0 17 3ZM6 9a3 3 0 1 0 .1 6A3 3 0 0 0 6 9Zm11 6a3 3 0 1 0 .1 6 3 3 0 0 0-.1-6ZM8 11l7-4 .9 1.6-7 4L8 11Zm.9 1.4 7 4-.9 1.6-7-4 .9-1.600Z"></path>',
}

/** Returns the display name of a service. */
export function nameOf(service: string): string {
  return (Object.hasOwn(NAMES, service) ? NAMES[service] : undefined) ?? service[0]!.toUpperCase() + service.slice(1)
}

/** Returns an SVG icon for a service: a shape, or the first two letters of its name. */
export function iconOf(service: string): string {
  const letters = nameOf(service)
    .replace(/[^\dA-Za-z]/g, '')
    .slice(0, 2)
  const text = `<text x="12" y="17" text-anchor="middle" font-family="sans-serif" font-size="14" font-weight="700">${letters}</text>`
  const shape = (Object.hasOwn(SHAPES, service) ? SHAPES[service] : undefined) ?? text
  return (
    '<svg width="24" height="24" viewBox="0 0 24 24" version="1.1" xmlns="http://www.w3.org/2000/svg" ' +
    `aria-hidden="true" focusable="false">${shape}</svg>`
  )
}

import { errors } from './errors.ts'

/** A site whose pages can be embedded. */
export interface OembedProvider {
  /** Display name, such as `Vimeo`. */
  readonly name: string
  /**
   * URL patterns of its pages; `*` matches any characters: `https://video.example/watch/*`,
   * `https://*.video.example/*`.
   */
  readonly urls: readonly string[]
  /** URL of its oEmbed endpoint: `https://video.example/oembed`. */
  readonly endpoint: string
  /** Hosts that its frames can come from; without any, embeds are shown as text. */
  readonly frames?: readonly string[] | undefined
}

const provider = (name: string, endpoint: string, urls: string, frames = ''): OembedProvider => {
  const words = (text: string) => text.split(' ').filter((word) => word !== '')
  return { name, endpoint, urls: words(urls).map((url) => `https://${url}`), frames: words(frames) }
}

/** Built-in providers, as documented by each of them. */
export const PROVIDERS: readonly OembedProvider[] = [
  provider(
    'YouTube',
    'https://www.youtube.com/oembed',
    'youtube.com/watch* *.youtube.com/watch* youtube.com/shorts/* *.youtube.com/shorts/* youtube.com/live/* *.youtube.com/live/* youtube.com/playlist* *.youtube.com/playlist* youtube.com/embed/* *.youtube.com/embed/* youtu.be/*',
    'www.youtube.com www.youtube-nocookie.com',
  ),
  provider('Vimeo', 'https://vimeo.com/api/oembed.json', 'vimeo.com/* *.vimeo.com/*', 'player.vimeo.com'),
  provider(
    'Dailymotion',
    'https://www.dailymotion.com/services/oembed',
    'www.dailymotion.com/video/* dailymotion.com/video/* dai.ly/*',
    'www.dailymotion.com geo.dailymotion.com',
  ),
  provider('Flickr', 'https://www.flickr.com/services/oembed/', 'flickr.com/photos/* *.flickr.com/photos/* flic.kr/*'),
  provider('SoundCloud', 'https://soundcloud.com/oembed', 'soundcloud.com/* *.soundcloud.com/*', 'w.soundcloud.com'),
  provider('Spotify', 'https://open.spotify.com/oembed', 'open.spotify.com/* play.spotify.com/*', 'open.spotify.com'),
  provider(
    'Mixcloud',
    'https://app.mixcloud.com/oembed/',
    'mixcloud.com/* www.mixcloud.com/*',
    'www.mixcloud.com player-widget.mixcloud.com',
  ),
  provider(
    'TED',
    'https://www.ted.com/services/v1/oembed.json',
    'ted.com/talks/* www.ted.com/talks/*',
    'embed.ted.com',
  ),
  provider('Reddit', 'https://www.reddit.com/oembed', 'reddit.com/r/* www.reddit.com/r/*'),
  provider(
    'X',
    'https://publish.twitter.com/oembed',
    'twitter.com/*/status/* *.twitter.com/*/status/* x.com/*/status/* www.x.com/*/status/*',
  ),
  provider('Bluesky', 'https://embed.bsky.app/oembed', 'bsky.app/profile/*/post/*'),
  provider('TikTok', 'https://www.tiktok.com/oembed', 'www.tiktok.com/*/video/* tiktok.com/*/video/*'),
  provider('Pinterest', 'https://www.pinterest.com/oembed.json', 'www.pinterest.com/pin/* pinterest.com/pin/*'),
  provider(
    'Kickstarter',
    'https://www.kickstarter.com/services/oembed',
    'www.kickstarter.com/projects/* kickstarter.com/projects/*',
    'www.kickstarter.com',
  ),
  provider('Issuu', 'https://issuu.com/oembed', 'issuu.com/*/docs/* www.issuu.com/*/docs/*', 'issuu.com e.issuu.com'),
  provider('Imgur', 'https://api.imgur.com/oembed', 'imgur.com/* i.imgur.com/*'),
  provider(
    'Speaker Deck',
    'https://speakerdeck.com/oembed.json',
    'speakerdeck.com/*/* www.speakerdeck.com/*/*',
    'speakerdeck.com',
  ),
  provider(
    'Scribd',
    'https://www.scribd.com/services/oembed',
    'www.scribd.com/doc/* www.scribd.com/document/* scribd.com/doc/*',
    'www.scribd.com',
  ),
  provider('CodePen', 'https://codepen.io/api/oembed', 'codepen.io/*/pen/* www.codepen.io/*/pen/*', 'codepen.io'),
  provider('Tumblr', 'https://www.tumblr.com/oembed/1.0', '*.tumblr.com/* www.tumblr.com/*'),
  provider('Wolfram', 'https://www.wolframcloud.com/oembed', 'www.wolframcloud.com/obj/*', 'www.wolframcloud.com'),
  provider('Pocket Casts', 'https://pca.st/oembed.json', 'pca.st/*', 'pca.st'),
  provider('Canva', 'https://www.canva.com/_oembed', 'www.canva.com/design/*', 'www.canva.com'),
  provider('Loom', 'https://www.loom.com/v1/oembed', 'www.loom.com/share/* loom.com/share/*', 'www.loom.com'),
  provider('Figma', 'https://www.figma.com/api/oembed', 'www.figma.com/*/* figma.com/*/*', 'www.figma.com'),
]

/** @throws OEMBED_PROVIDER_INVALID if its endpoint is not an http or https URL, or a URL pattern has no fixed host */
export function checkProvider({ name, endpoint, urls }: OembedProvider): void {
  if (!/^https?:$/.test(URL.parse(endpoint)?.protocol ?? '')) {
    throw errors.OEMBED_PROVIDER_INVALID(name, 'its endpoint must be an http or https URL.')
  }
  const invalid = urls.find((pattern) => !/^https?:\/\/(?:\*\.)?[^*/?#@]+\/[^#]*$/.test(pattern))
  if (invalid !== undefined) {
    throw errors.OEMBED_PROVIDER_INVALID(
      name,
      `"${invalid}" must start with a scheme and a host, such as https://video.example/*.`,
    )
  }
}

/** Returns the provider of a page, or undefined. Patterns with https also match http pages. */
export function providerOf(providers: readonly OembedProvider[], url: URL): OembedProvider | undefined {
  return providers.find(({ urls }) => urls.some((pattern) => isLike(pattern, url)))
}

function isLike(pattern: string, url: URL): boolean {
  const [, scheme = '', host = '', path = ''] = /^(https?):\/\/([^/]+)(\/.*)$/.exec(pattern) ?? []
  if (url.username !== '' || url.password !== '') return false
  if (url.protocol !== `${scheme}:` && !(scheme === 'https' && url.protocol === 'http:')) return false
  const isHost = host.startsWith('*.') ? url.host.endsWith(host.slice(1)) : url.host === host
  return isHost && isLikePath(path, url.pathname + url.search)
}

/** Whether a text matches a pattern with `*`, in linear time. */
function isLikePath(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  if (rest.length === 0) return text === first
  if (!text.startsWith(first)) return false
  const last = rest.pop()!
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    // Within the path, `*` matches the empty text too.
    if (found < 0) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}

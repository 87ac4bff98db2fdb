import { exportedNames } from '../../library/branding/index.ts'
import { escapeJson } from '../../rendering/html/index.ts'

/** How the pages of a provider follow from the URLs of its frames. */
interface FrameRule {
  readonly provider: string
  /** Matches host and path of a frame. */
  readonly frame: RegExp
  /** URL of the page; `$1` is the first group. */
  readonly page: string
}

/** Frames of known providers of embeds. */
const FRAMES: readonly FrameRule[] = [
  {
    provider: 'youtube',
    frame: /^(?:www\.)?youtube(?:-nocookie)?\.com\/embed\/([\w-]{6,20})$/,
    page: 'https://www.youtube.com/watch?v=$1',
  },
  { provider: 'vimeo', frame: /^player\.vimeo\.com\/video\/(\d{1,15})$/, page: 'https://vimeo.com/$1' },
  {
    provider: 'dailymotion',
    frame: /^(?:www\.)?dailymotion\.com\/embed\/video\/(\w{1,20})$/,
    page: 'https://www.dailymotion.com/video/$1',
  },
  {
    provider: 'spotify',
    frame: /^open\.spotify\.com\/embed\/((?:track|album|artist|playlist|episode|show)\/\w{1,40})$/,
    page: 'https://open.spotify.com/$1',
  },
  { provider: 'ted', frame: /^embed\.ted\.com\/talks\/([\w-]{1,200})$/, page: 'https://www.ted.com/talks/$1' },
]

const FRAME = /<iframe\s[^<>]*>(?:\s*<\/iframe>)?/gi
const SOURCE = /\ssrc\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)')/i
const { blockMark: MARK } = exportedNames

/**
 * Replaces frames of known providers with embed blocks, which the filter keeps: a frame would be removed. Other frames do
 * not change.
 */
export function framesToEmbeds(text: string): string {
  if (!text.includes('<iframe') && !text.includes('<IFRAME')) return text
  return text.replace(FRAME, (frame) => {
    const [, double, single = ''] = SOURCE.exec(frame) ?? []
    const embed = embedOf(double ?? single)
    return embed ?? frame
  })
}

function embedOf(source: string): string | null {
  const url = URL.parse(source.replaceAll('&amp;', '&'), 'https://frames.invalid')
  if (url === null || !/^https?:$/.test(url.protocol)) return null
  const place = url.host + url.pathname.replace(/\/$/, '')
  const rule = FRAMES.find(({ frame }) => frame.test(place))
  if (rule === undefined) return null
  const page = place.replace(rule.frame, rule.page)
  const attributes = escapeJson(JSON.stringify({ url: page, providerNameSlug: rule.provider }))
  const figure = `${MARK}-block-embed is-provider-${rule.provider}`
  return `<!-- ${MARK}:embed ${attributes} -->
<figure class="${figure}"><div class="${MARK}-block-embed__wrapper">
${page}
</div></figure>
<!-- /${MARK}:embed -->`
}

// Texts that are made to be slow, and every piece of work that is done on texts of others: run against each other, they
// tell what takes longer than in proportion. `npm test` runs a few of them, the audit as many as it has time for.
import { Readable } from 'node:stream'
import { readWxr } from '../../plugins/operations/import/wxr/reader.ts'
import { urlRewriter } from '../../plugins/operations/import/url-rewriter.ts'
import { slugOf } from '../../plugins/operations/import/users/users.ts'
import { namesUsersOrTerms } from '../../plugins/operations/import/posts/block-ids.ts'
import { mapTextIds } from '../../plugins/operations/import/posts/text-ids.ts'
import { readValue } from '../../plugins/operations/import/php-values.ts'
import { codePoints, numeric, splitList, toNumber } from '../../kernel/schema/cast.ts'
import { createLog } from '../../kernel/host.ts'
import {
  atOnce,
  decodePath,
  escapeHtml,
  isTimeZone,
  parseQuery,
  sanitizeValue,
  stringifyWithoutSecrets,
  trimEndSlashes,
  validateValue,
  type SchemaFormat,
} from '../../kernel/index.ts'
import { readAuthorization } from '../../plugins/people/application-passwords/basic.ts'
import { autolink, markLinks } from '../../plugins/content/comments/autolink.ts'
import { defaultAllowed, PROTOCOLS, STYLE_PROPERTIES, type HtmlContext } from '../../plugins/rendering/html/allowed.ts'
import { filterHtml } from '../../plugins/rendering/html/filter.ts'
import { captionShortcode } from '../../plugins/content/media/shortcodes/caption.ts'
import { attributesOf } from '../../plugins/content/media/images/content-images.ts'
import { fileName } from '../../plugins/content/media/files/file-name.ts'
import { playerShortcode } from '../../plugins/content/media/shortcodes/player.ts'
import { dispositionName } from '../../plugins/content/media/files/content-disposition.ts'
import { cutSlug, slugify } from '../../plugins/site/permalinks/slug.ts'
import { toSlug } from '../../plugins/content/posts/slugs.ts'
import { parseSearch } from '../../plugins/content/posts/search-terms.ts'
import { autop } from '../../plugins/rendering/rendering/autop.ts'
import { atLeastWords, firstWords, teaserOf } from '../../plugins/rendering/rendering/excerpt.ts'
import { changeText, htmlPieces, textOf } from '../../plugins/rendering/rendering/html.ts'
import { typography } from '../../plugins/rendering/rendering/typography.ts'
import { parseAttributes } from '../../plugins/rendering/shortcodes/attributes.ts'
import { parseShortcodes } from '../../plugins/rendering/shortcodes/parse.ts'
import { shortcodeTags } from '../../plugins/rendering/shortcodes/tags.ts'
import { parseBlocks, htmlOf } from '../../plugins/rendering/blocks/parse.ts'
import { excerptHtml } from '../../plugins/rendering/blocks/excerpt.ts'
import { laidOut } from '../../plugins/rendering/blocks/layout.ts'
import { loginProblem } from '../../plugins/people/users/credentials.ts'
import { randomOf } from './random.ts'

/** What is done with a text. */
export type TextWork = (text: string) => unknown

export interface GrowthOptions {
  /** Makes the same texts each time. */
  seed: number
  /** Texts of mixed parts for each piece of work, beside those of one part repeated. */
  rounds?: number
  /** Characters that are begun with. */
  size?: number
  /** What is looked at; all that is known by default. */
  works?: Readonly<Record<string, TextWork>>
  /** Milliseconds that a text of the first size may take without being looked at closer. */
  unseen?: number
}

export interface GrowthResult {
  /** How many texts have been tried. */
  tried: number
  /** What took longer than in proportion: the work, the text, the milliseconds of two sizes. */
  failures: string[]
}

/** How many times as long a text of twice the size may take. */
const LIMIT = 2.3
/** How often a text is doubled. */
const DOUBLINGS = 3
/** How often two sizes are measured before the longer counts as too slow. */
const TRIES = 3
const SIZE = 4096

/** Parts that texts are made of, by what they are parts of: what begins something, what ends it, and what neither does. */
const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  space: [' ', '\n', '\n\n', '\t', '\r\n', '\u00a0', 'a', 'a ', ' \n', '\u200b', '\u2028', '\ufeff'],
  text: [
    'é', '1', '1x', '1,', '.', '..', '...', '-', '--', '- ', '_', ',', ';', ':', '/', '//', '\\', '\\"', "'", '"', "' ", '" ',
    "'a", '"a', '``', "''", '(tm)', 'x', '2x2', '(', ')', '{', '}', '!', '?', '#', '=', '+', '*', '|', '~', '`', '$', '^',
  ],
  code: [
    '&', '&amp', '&amp;', '&#', '&#8217;', '&nbsp;', '%', '%e2', '%e2%82', '%41', '%%4', '\\u003c', '\u0000', '\u0001',
    '\ud800', '👍', '👩‍👩‍👧', '🏴\u{e0067}', '\u0301', '\u0327', '\u0301\u0327', 'a\u0300', 'ß', 'Σ', 'İ', 'ＡＡ', '한',
    '\u1100\u1161',
  ],
  url: [
    '@', 'a@', 'a@a.', '://', 'http://', 'http://a.b/ ', 'https://a.b/(', 'www.', ':)', ' :) ', ':-', 'a=1&', 'a[b]=1&',
    'a[', '=?', 'Basic ', 'password=', '"password":"', '; filename=', 'filename="', 'http:\\/\\/a.b\\/',
  ],
  shortcode: [
    '[', ']', '[[', ']]', '[caption', '[caption ', '[caption]', '[/caption]', '[gallery', '[gallery]', '[gallery ids="1,2"]',
    '[a ', '[a "', "[a ']", '[a]', '[/a]', '[[a]', '[a /]', '[a x="', '"]', "']", ' ',
  ],
  element: [
    '<', '>', '</', '<p', '<p>', '</p>', '<p ', '<a ', '<a href="', '<a b="c" ', '<a>', '</a>', '<b>', '</b>', '<br>', '<br />',
    '<div>', '</div>', '<pre>', '</pre>', '<code>', '</code>', '<blockquote>', '<li>', '</li>', '<ul>', '<h2>', '<table>',
    '<td>', '</td>', '<figcaption>', '<img ', '<img src="a">', '<script>', '</script>', '<style>', '<textarea>', '<object>',
    '<div class="', 'style="', 'color:', 'url(', 'rgb(', '/*', '*/', ';', '"', "'", '=', 'a', '\n', '\n\n', ' ',
  ],
  comment: [
    '<!', '<!-', '<!--', '-->', '--!>', '<!-- a -->', '<!-- wp:x -->', '<!-- /wp:x -->', '<!-- wp:x {"a":"', '<!-- wp:x /-->',
    '<!-- wp:group -->', '<!-- /wp:group -->', '<!-- wp:', '{"a":', '}', '[', ']', '<!--more-->', '<!--nextpage-->',
    '<![CDATA[', ']]>', '<?', '<p>', '\n', ' ', 'a', '-',
  ],
  value: ['i:1;', 's:1:"', 'a:1:{', 'O:', 'N;', '"', ';', '}', ':', '1'],
} // prettier-ignore

const PARTS: readonly string[] = [...new Set(Object.values(FAMILIES).flat())]

/** A text of about a size. */
interface Shape {
  name: string
  of: (size: number) => string
}

/** What is known of each of them: `A^n`. */
const repeated = (part: string): Shape => ({
  name: `${told(part)}^n`,
  of: (size) => part.repeat(Math.ceil(size / part.length)),
})

/** Mixtures of two or three parts, in one of several ways. */
const MIXTURES: readonly ((a: string, b: string, c: string) => Shape)[] = [
  (a, b) => ({ name: `(${told(a)} ${told(b)})^n`, of: (size) => fill(a + b, size) }),
  (a, b) => ({ name: `${told(a)}^n ${told(b)}^n`, of: (size) => fill(a, size / 2) + fill(b, size / 2) }),
  (a, b, c) => ({ name: `${told(b)} ${told(a)}^n ${told(c)}`, of: (size) => b + fill(a, size) + c }),
  (a, b, c) => ({ name: `(${told(a)} ${told(b)} ${told(c)})^n`, of: (size) => fill(a + b + c, size) }),
  (a, b, c) => ({
    name: `(${told(a)} ${told(b)})^n ${told(c)}^n`,
    of: (size) => fill(a + b, size / 2) + fill(c, size / 2),
  }),
  (a, b, c) => ({
    name: `${told(c)} ${told(a)}^n ${told(b)}^n ${told(a)}^n`,
    of: (size) => c + fill(a, size / 3) + fill(b, size / 3) + fill(a, size / 3),
  }),
  (a, b, c) => ({
    name: `(${told(a)} ${told(c)}^√n ${told(b)})^√n`,
    of: (size) => fill(a + c.repeat(Math.ceil(Math.sqrt(size) / c.length)) + b, size),
  }),
]

function fill(part: string, size: number): string {
  return part.repeat(Math.max(Math.ceil(size / part.length), 1))
}

function told(part: string): string {
  return JSON.stringify(part).slice(1, -1).replaceAll(' ', '␠')
}

/** Every text of one part repeated, and `rounds` of several parts, mostly of one family, of which a seed decides. */
export function shapesOf(seed: number, rounds: number): Shape[] {
  const random = randomOf(seed)
  const any = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const mixed = Array.from({ length: rounds }, () => {
    const family = FAMILIES[any(Object.keys(FAMILIES))]!
    const part = () => any(random() < 0.8 ? family : PARTS)
    return any(MIXTURES)(part(), part(), part())
  })
  return [...PARTS.map(repeated), ...mixed]
}

/**
 * Runs each piece of text work with each text of `shapesOf`, and refuses what takes more than 2.3 times as long for twice
 * the text. What counts is the processor
 * time of this thread, the least of several measurements.
 */
export async function growthFailures({
  seed,
  rounds = 20,
  size = SIZE,
  works = TEXT_WORKS,
  unseen = 4,
}: GrowthOptions): Promise<GrowthResult> {
  const result: GrowthResult = { tried: 0, failures: [] }
  for (const [index, [name, work]] of Object.entries(works).entries()) {
    for (const shape of shapesOf(seed + index, rounds)) {
      result.tried += 1
      const failure = await growth(work, shape, size, unseen)
      if (failure !== null) result.failures.push(`${name}, ${shape.name}: ${failure}`)
    }
  }
  return result
}

/** What is wrong with how long a work takes for a text; null where nothing is. */
async function growth(work: TextWork, shape: Shape, size: number, unseen: number): Promise<string | null> {
  if ((await quickest(work, shape.of(size), unseen)) < unseen) return null
  let [small, large] = [Infinity, Infinity]
  for (let again = 0; again < TRIES; again += 1) {
    small = Math.min(small, await cost(work, shape.of(size)))
    large = Math.min(large, await cost(work, shape.of(size * 2 ** DOUBLINGS)))
    // What one doubling costs depends too much on what else the machine does.
    if (large <= LIMIT ** DOUBLINGS * Math.max(small, unseen / 2)) return null
  }
  return `${small.toFixed(1)} ms for ${size} characters, ${large.toFixed(1)} ms for ${size * 2 ** DOUBLINGS}`
}

/** The least milliseconds that a work takes, as a clock on the wall sees it; no more often than it takes too long. */
async function quickest(work: TextWork, text: string, enough: number): Promise<number> {
  let least = Infinity
  for (let again = 0; again < 3 && least >= enough; again += 1) {
    const own = ownText(text)
    const before = performance.now()
    await work(own)
    least = Math.min(least, performance.now() - before)
  }
  return least
}

/** Milliseconds of processor time in which nothing is told: systems count them in steps of up to 10. */
const COUNTED = 15

/** Milliseconds of processor time that a work takes for a text. */
async function cost(work: TextWork, text: string): Promise<number> {
  const begun = process.threadCpuUsage()
  for (let times = 1; ; times += 1) {
    await work(ownText(text))
    const { user, system } = process.threadCpuUsage(begun)
    const spent = (user + system) / 1000
    if (spent >= COUNTED) return spent / times
  }
}

/** How many texts were made, so that none is the same: results of the same are remembered. */
let made = 0

function ownText(text: string): string {
  return `${text} ${(made += 1)}`
}

const HOME = 'https://site.test'
const allowed = defaultAllowed((url) => url.startsWith(`${HOME}/`))
const NAMES: ReadonlySet<string> = new Set(['a', 'caption', 'gallery', 'audio'])
const PLACE = { name: 'a', number: 1, post: { id: 1 } } as never

const filterIn = (text: string, context: HtmlContext) =>
  filterHtml(text, {
    elements: allowed[context],
    protocols: PROTOCOLS,
    properties: new Set(STYLE_PROPERTIES),
    mark: context === 'post' ? 'wp' : null,
    directives: new Set(['wp', 'svc']),
  })
const filtered =
  (context: HtmlContext): TextWork =>
  (text) =>
    filterIn(text, context)
/** As much of the plugin `media` as its captions need. */
const MEDIA = { services: { html: { filterLong: filterIn } } } as never
const format =
  (name: SchemaFormat): TextWork =>
  (text) => {
    validateValue(text, { type: 'string', format: name }, 'value')
    return sanitizeValue(text, { type: 'string', format: name })
  }
const rewriting = urlRewriter({ from: 'http://a.b', to: HOME, uploads: `${HOME}/uploads` })
const numbers = { item: () => 7, term: () => 7, user: () => 7, unclear: () => {} }
const log = createLog('info', { write: () => {} })

async function imported(xml: string): Promise<number> {
  let count = 0
  try {
    for await (const record of readWxr(Readable.from([Buffer.from(xml)]))) count += record.kind.length
  } catch {
    // Most of them are no XML: how long it takes to see that is what counts.
  }
  return count
}

/** Every piece of work that is done on texts of others, by itself. */
export const TEXT_WORKS: Readonly<Record<string, TextWork>> = {
  pieces: (text) => [...htmlPieces(text)].length,
  paragraphs: autop,
  typography: (text) => typography(`${text}"`, (part) => shortcodeTags(part, NAMES)),
  'text of HTML': textOf,
  'changed text': (text) => changeText(text, (part) => part, ['a']),
  'first words': (text) => atOnce(firstWords(text, 55, '…')),
  beginning: (text) => atOnce(atLeastWords(text, 220)),
  teaser: teaserOf,
  shortcodes: (text) => atOnce(parseShortcodes(text, NAMES, htmlPieces)),
  'attributes of shortcodes': (text) => parseAttributes(text, htmlPieces),
  blocks: (text) => htmlOf(laidOut(parseBlocks(text, 'wp'), 'wp', { last: 0 })),
  'blocks of an excerpt': (text) => excerptHtml(parseBlocks(text, 'wp'), new Set(['core/x']), new Set(['core/group'])),
  'filter of posts': filtered('post'),
  'filter of comments': filtered('comment'),
  'filter of all': filtered('strip'),
  'filter of a style': (text) => filtered('post')(`<p style="${text.replaceAll('"', '&quot;')}">`),
  'filter of a URL': (text) => filtered('post')(`<a href="${text.replaceAll('"', '&quot;')}">`),
  'filter of a block': (text) => filtered('post')(`<!-- wp:x ${JSON.stringify({ a: text, b: [text] })} -->`),
  'links of a comment': (text) => markLinks(filtered('comment')(text) as string, HOME),
  'a link of a comment': (text) =>
    markLinks(filtered('comment')(`<a href="//a" title="${text}">a</a>`) as string, HOME),
  'URLs in text': (text) => changeText(text, (part) => autolink(part, HOME), ['a']),
  caption: (text) => captionShortcode(MEDIA, 'wp')({ width: '3', id: text, class: text }, text, PLACE),
  'caption of an image': (text) => captionShortcode(MEDIA, 'wp')({ width: '3' }, `<a ${text}`, PLACE),
  player: (text) => playerShortcode('wp', 'video')({ src: `/${text}`, width: text }, null, PLACE),
  'attributes of images': (text) => attributesOf(`<img ${text}>`).size,
  'file name': fileName,
  'Content-Disposition': (text) => dispositionName(`attachment; filename="${text}"; ${text}`),
  Authorization: (text) => readAuthorization(`Basic ${text}`),
  slug: slugify,
  'slug as given': (text) => toSlug(text, slugify),
  'beginning of a slug': (text) => cutSlug(text),
  search: parseSearch,
  login: loginProblem,
  'one line': format('text-field'),
  'several lines': format('textarea-field'),
  URL: format('uri'),
  'e-mail address': format('email'),
  'IP address': format('ip'),
  date: format('date-time'),
  uuid: format('uuid'),
  colour: format('hex-color'),
  list: splitList,
  number: (text) => [numeric(text), toNumber(text)],
  'number of letters': codePoints,
  'time zone': isTimeZone,
  HTML: escapeHtml,
  query: parseQuery,
  path: (text) => [decodePath(text), trimEndSlashes(text)],
  'line of the log': (text) => log.info({ text, url: `/?${text}` }, text),
  'secrets in JSON': (text) => stringifyWithoutSecrets({ text }),
  'URLs of an import': rewriting,
  'IDs of an import': (text) => namesUsersOrTerms(text) || mapTextIds(text, numbers, HOME),
  'value of an import': readValue,
  'serialised value of an import': (text) => readValue(`a:1:{s:${Buffer.byteLength(text)}:"${text}";i:1;}`),
  'login of an import': slugOf,
  'export file': (text) => imported(`<rss><channel><item><title><![CDATA[${text}]]></title><link>${text}</link>`),
}

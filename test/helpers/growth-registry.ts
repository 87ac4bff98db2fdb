// Every function that processes texts of users, visitors and other servers, by its module. The growth test doubles the
// length of its texts. `test/threats/growth.long.test.ts` fails if a function is missing here. A key is the name of the
// export, followed by a colon and the role of the text if there are several.
import { Readable } from 'node:stream'
import { branding } from '../../plugins/library/branding/index.ts'
import { HookRegistry } from '../../kernel/hooks/registry.ts'
import { kernelHooks } from '../../kernel/hooks.ts'
import { createLog } from '../../bin/config/index.ts'
import {
  HeaderMap,
  RequestCache,
  type ArgumentSchema,
  cleanName,
  cleanText,
  decodePath,
  parseQuery,
  trimEndMarks,
  trimEndSlashes,
  trimMarks,
  RestError,
  Urls,
} from '../../kernel/index.ts'
import type { AdminView } from '../../plugins/public.ts'
import { treeOf } from '../../plugins/compat/custom-fields/form-tree.ts'
import { changedTree } from '../../plugins/compat/custom-fields/group-changes.ts'
import { copyOfGroup } from '../../plugins/compat/custom-fields/group-trees.ts'
import type { Field } from '../../plugins/compat/custom-fields/model.ts'
import { fieldInputs } from '../../plugins/compat/custom-fields/value-inputs.ts'
import { errorsOf as errorsOfDefinition } from '../../plugins/compat/custom-types/admin-form.ts'
import { configErrors } from '../../plugins/compat/forms/config-errors.ts'
import { Forms, isSet, settingsOf, type Form } from '../../plugins/compat/forms/forms.ts'
import { composeMail } from '../../plugins/compat/forms/mail.ts'
import { checkFields, rulesOf as formRulesOf } from '../../plugins/compat/forms/rules.ts'
import { cleanUnitTag } from '../../plugins/compat/forms/submissions.ts'
import { parseTemplate, tagsOf as tagsOfForm } from '../../plugins/compat/forms/tags.ts'
import { exportAs } from '../../plugins/compat/redirects/exports.ts'
import { plainText as plainRedirectText, readRedirect } from '../../plugins/compat/redirects/fields.ts'
import { readHtaccess } from '../../plugins/compat/redirects/htaccess.ts'
import { parseCsv, readExport } from '../../plugins/compat/redirects/imports.ts'
import { compile, Matcher } from '../../plugins/compat/redirects/matcher.ts'
import type { SchemaFormat } from '../../plugins/library/schemas/index.ts'
import { suggest } from '../../plugins/library/suggestions/index.ts'
import {
  cleanJson,
  editJson,
  escapeHtml,
  escapeHtmlOnce,
  html,
  normalize,
  PageHtml,
} from '../../plugins/library/markup/index.ts'
import { atOnce, type Steps } from '../../plugins/library/long-work/index.ts'
import { datePair, isTimeZone, localFromUtc, utcFromLocal, parseFields } from '../../plugins/resources/index.ts'
import { parseTimestamp, readTimestamp, sanitizeValue, validateValue } from '../../plugins/requests/arguments/index.ts'
import { isWildcard, parseHost } from '../../kernel/http/host.ts'
import { etagIn, includesEtag } from '../../plugins/requests/conditional/index.ts'
import { parseHttpDate } from '../../plugins/requests/conditional/http-date.ts'
import { hideSecretsIn, hideSecretsInUrl, stringifyWithoutSecrets } from '../../plugins/library/secrets/hide-secrets.ts'
import { placeIn } from '../../plugins/library/advice/place.ts'
import { namesOf } from '../../plugins/resources/field-set.ts'
import { codePoints, listOf, numeric, splitList, toInteger, toNumber } from '../../plugins/requests/arguments/cast.ts'
import { isEmail, sanitizeText, sanitizeTextarea, sanitizeUrl } from '../../plugins/requests/arguments/formats.ts'
import { linearPattern } from '../../plugins/requests/arguments/linear-pattern.ts'
import { countFields, parseForm } from '../../plugins/requests/bodies/form.ts'
import { parseJson } from '../../plugins/requests/bodies/json-body.ts'
import { ipv6Groups, networksOf } from '../../plugins/requests/limits/index.ts'
import { autolink, markLinks } from '../../plugins/content/comments/autolink.ts'
import { countLinks, withoutTags } from '../../plugins/content/comments/moderation.ts'
import { cleanAltText } from '../../plugins/content/media/alt-text.ts'
import { dispositionName } from '../../plugins/content/media/files/content-disposition.ts'
import { fileMentions } from '../../plugins/content/media/files/file-mentions.ts'
import { fileName } from '../../plugins/content/media/files/file-name.ts'
import { anyKind, kindOf } from '../../plugins/content/media/files/file-types.ts'
import { isVersion, originalPath, originalsOf } from '../../plugins/content/media/files/file-versions.ts'
import { parseRanges } from '../../plugins/content/media/files/ranges.ts'
import { attributesOf, completeImages } from '../../plugins/content/media/images/content-images.ts'
import { captionShortcode } from '../../plugins/content/media/shortcodes/caption.ts'
import { playerMarkup, playerShortcode } from '../../plugins/content/media/shortcodes/player.ts'
import { matchStructure } from '../../plugins/content/permalinks/match-structure.ts'
import { namesIn, partsOf } from '../../plugins/content/permalinks/post-finder.ts'
import { parseSearch } from '../../plugins/content/posts/query/search-terms.ts'
import { readPage } from '../../plugins/site/url-details/read-page.ts'
import { familyInCss, parseSettings } from '../../plugins/design/fonts/settings.ts'
import { darkStyles, styleSheet } from '../../plugins/design/global-styles/css.ts'
import { safeCss, safeValue } from '../../plugins/design/global-styles/safe-css.ts'
import { kebab, sanitizeThemeJson, withVariables } from '../../plugins/design/global-styles/theme-json.ts'
import { storedItem } from '../../plugins/design/menus/item.ts'
import { idIn } from '../../plugins/design/templates/controller.ts'
import { withoutTheme, withTheme } from '../../plugins/design/templates/markup.ts'
import { headerFields, splitPattern, splitStylesheet } from '../../plugins/design/themes/header.ts'
import { changeTexts, translateMarkup } from '../../plugins/design/themes/translate-markup.ts'
import { Words } from '../../plugins/foundation/translations/words.ts'
import { parseSize } from '../../plugins/operations/exporter/parse-size.ts'
import { htmlToMarkdown } from '../../plugins/operations/exporter/html-to-markdown.ts'
import { exportedSlug, headOf } from '../../plugins/operations/exporter/wxr/head.ts'
import { exportedValue, xmlText } from '../../plugins/operations/exporter/wxr/php.ts'
import { cdata, element, escapeXml, exactElement, plainElement } from '../../plugins/operations/exporter/wxr/xml.ts'
import { linksInHeader, linksInPage } from '../../plugins/operations/importer/live/discovery.ts'
import { readResponse, reportText } from '../../plugins/operations/importer/live/old-response.ts'
import { PermalinkFinder } from '../../plugins/operations/importer/old-sites/permalinks.ts'
import { phpText, words } from '../../plugins/operations/importer/live/values.ts'
import { canonicalValue } from '../../plugins/storage/store/transfer/canonical.ts'
import { changeSerialized, looksLikePhp } from '../../plugins/operations/url-replacement/serialized-text.ts'
import { changeValue } from '../../plugins/operations/url-replacement/stored-value.ts'
import { urlReplacer } from '../../plugins/operations/url-replacement/url-forms.ts'
import { mimeType, safeMetadata } from '../../plugins/operations/importer/media.ts'
import { addressesOf, addressOf } from '../../plugins/operations/importer/old-sites/addresses.ts'
import { rewriterOf } from '../../plugins/operations/importer/old-sites/media-urls.ts'
import { fromOptionDump } from '../../plugins/operations/importer/option-dump.ts'
import { formatDate, parseDate } from '../../plugins/compat/php-date.ts'
import { readPhp } from '../../plugins/compat/php-values.ts'
import { foreignPhrase, inEnglish, phraseOf, type ReportReason } from '../../plugins/operations/importer/phrases.ts'
import { withoutFolder } from '../../plugins/operations/importer/run-files.ts'
import { initialsOf } from '../../plugins/site/admin/frame/bar.ts'
import { kindLabel } from '../../plugins/site/admin/pages/import/kinds.ts'
import { looksSerialised, readValue } from '../../plugins/operations/importer/php-values.ts'
import { framesToEmbeds } from '../../plugins/operations/importer/frames.ts'
import { lossesOf } from '../../plugins/operations/importer/html-losses.ts'
import { normalizeGuid, normalizeHome } from '../../plugins/operations/importer/old-sites/fingerprint.ts'
import { mapBlockIds } from '../../plugins/operations/importer/posts/block-ids.ts'
import { Tokens } from '../../plugins/compat/jwt/tokens.ts'
import { oneLine } from '../../plugins/compat/seo/texts.ts'
import { replaceVariables } from '../../plugins/compat/seo/variables.ts'
import { isSlugOrNumbered, revisionSlug } from '../../plugins/operations/importer/posts/slugs.ts'
import { mapTextIds } from '../../plugins/operations/importer/posts/text-ids.ts'
import { registrableName } from '../../plugins/operations/importer/type-names.ts'
import { urlRewriter } from '../../plugins/operations/importer/url-rewriter.ts'
import { phpToJson, serializePhp, unserializePhp } from '../../plugins/library/php/index.ts'
import { cleanCharacters, decodeReferences, detached } from '../../plugins/operations/importer/wxr/characters.ts'
import { Decoder } from '../../plugins/operations/importer/wxr/decoder.ts'
import { Prolog, skipToFurther } from '../../plugins/operations/importer/wxr/prolog.ts'
import { toLoginName } from '../../plugins/people/users/index.ts'
import { date, feedDate, integer, signed } from '../../plugins/operations/importer/wxr/element.ts'
import { readTag, tagNameAt } from '../../plugins/operations/importer/wxr/tags.ts'
import { TextBuffer } from '../../plugins/operations/importer/wxr/text-buffer.ts'
import { readWxr } from '../../plugins/operations/importer/wxr/reader.ts'
import { plainHost } from '../../plugins/foundation/outgoing/allow-list.ts'
import { checkedHeaders, firstHop } from '../../plugins/foundation/outgoing/hop.ts'
import { secretFault } from '../../plugins/operations/webhooks/signature.ts'
import { isLocalHost, readCredentials } from '../../plugins/people/application-passwords/basic.ts'
import { hashApplicationPassword, isSecretShaped } from '../../plugins/people/application-passwords/model.ts'
import { decodeFeed } from '../../plugins/rendering/feed-reader/decode-feed.ts'
import { parseFeed } from '../../plugins/rendering/feed-reader/parse-feed.ts'
import { hasAge, findClientTag, withinAge } from '../../plugins/responses/response-cache/conditions.ts'
import { readCookie, writeCookie } from '../../plugins/people/cookie-auth/site-cookie.ts'
import { createNonces } from '../../plugins/people/cookie-auth/nonces.ts'
import { loginProblem } from '../../plugins/people/users/credentials.ts'
import { arrangedHtml, NO_THEME } from '../../plugins/rendering/blocks/arrangement.ts'
import { excerptHtml } from '../../plugins/rendering/blocks/excerpt.ts'
import { withLegacyLayout } from '../../plugins/rendering/blocks/layout.ts'
import { addLayoutRules } from '../../plugins/rendering/blocks/layout-rules.ts'
import {
  addElementRules,
  pageStylesOf,
  presetValue,
  safeDeclarations,
  slugOf,
} from '../../plugins/rendering/blocks/page-rules.ts'
import { declarationsIn, numberIn, numberOf } from '../../plugins/rendering/core-blocks/attributes.ts'
import { htmlOf, parseBlocks } from '../../plugins/rendering/blocks/parse.ts'
import { contentParts, withoutMoreComment } from '../../plugins/rendering/core-blocks/post/content-parts.ts'
import { focusableCode } from '../../plugins/rendering/core-blocks/post/scrollable.ts'
import {
  attributesIn,
  changedTag,
  findTag,
  replacePieces,
  tagWithClass,
} from '../../plugins/rendering/core-blocks/stored-html.ts'
import { defaultAllowed, PROTOCOLS, STYLE_PROPERTIES, type HtmlContext } from '../../plugins/rendering/html/allowed.ts'
import { filterComment } from '../../plugins/rendering/html/blocks.ts'
import { escapeText, withoutControls } from '../../plugins/rendering/html/escape.ts'
import { filterHtml, filterSteps } from '../../plugins/rendering/html/filter.ts'
import { plainText } from '../../plugins/rendering/html/plain-text.ts'
import { filterStyle } from '../../plugins/rendering/html/styles.ts'
import { readTags } from '../../plugins/rendering/html/tags.ts'
import { isSafeAttribute, isSafeUrl, isScript } from '../../plugins/rendering/html/url-attributes.ts'
import { autop, autopSteps } from '../../plugins/rendering/content-rendering/autop.ts'
import { atLeastWords, firstWords, teaserOf } from '../../plugins/rendering/content-rendering/excerpt.ts'
import {
  changeText,
  changeTextSteps,
  htmlPieces,
  textOf,
  textSteps,
} from '../../plugins/rendering/content-rendering/html.ts'
import { typography, typographySteps } from '../../plugins/rendering/content-rendering/typography.ts'
import { uniqueIds } from '../../plugins/rendering/content-rendering/unique-ids.ts'
import { parseAttributes } from '../../plugins/rendering/shortcodes/attributes.ts'
import { parseShortcodes } from '../../plugins/rendering/shortcodes/parse.ts'
import { shortcodeTags } from '../../plugins/rendering/shortcodes/tags.ts'
import { createPicker } from '../../plugins/responses/compression/negotiate.ts'
import { discoveredEndpoint, frameIn } from '../../plugins/rendering/oembed/markup.ts'
import { feedUrl } from '../../plugins/site/feeds/feed-url.ts'
import { xml } from '../../plugins/site/feeds/xml.ts'
import { changesOf } from '../../plugins/site/admin/pages/writing/changes.ts'
import { blockComments } from '../../plugins/site/admin/pages/writing/block-markup.ts'
import {
  editedBlocks,
  markdownOfBlocks,
  markdownPieces,
} from '../../plugins/site/admin/pages/writing/blocks-to-markdown.ts'
import { blocksOfMarkdown } from '../../plugins/site/admin/pages/writing/markdown.ts'
import { cutSlug, decodeName, encodeName, normalizeSlug, slugify, slugsOfName } from '../../plugins/resources/slug.ts'
import { preferredLocale } from '../../plugins/site/admin/pages/welcome/preferred-locale.ts'
import { documentOf } from '../../plugins/site/site-pages/document.ts'
import { otherSite } from '../../plugins/site/site-pages/other-site.ts'
import { firstImageIn } from '../../plugins/site/site-pages/share-image.ts'
import { keepPreview, previewUrls } from '../../plugins/site/site-pages/theme-preview.ts'
import { textQuery } from '../../plugins/storage/store/sqlite/text-index.ts'

/** Processes a text. */
export type TextWork = (text: string) => unknown

const formOf = (text: string): Form => ({
  id: 1,
  slug: 'a',
  title: text,
  locale: 'en_US',
  hash: '',
  form: text,
  mail: { subject: text, sender: text, recipient: text, body: text, additional_headers: `Reply-To: ${text}` },
  mail_2: {},
  messages: {},
  additional_settings: text,
})
const noForms = new Forms({
  services: { posts: { get: async () => undefined, query: async () => ({ items: [] }) } },
} as never)
const REDIRECT_FORMATS = ['json', 'csv', 'apache', 'nginx']
const redirectOf = (text: string, isPattern = false) => ({
  ...readRedirect(
    { url: text, match_type: 'url', action_type: 'url', action_data: { url: text }, group_id: 1, title: text },
    { flag_query: 'exact', flag_case: true, flag_trailing: true, flag_regex: isPattern },
    0,
  ),
  id: 1,
})
const redirectsOf = (text: string) => ({ redirects: [redirectOf(text)], groups: [], hits: new Map() })

const HOME = 'https://site.test'
const allowed = defaultAllowed((url) => url.startsWith(`${HOME}/`))
const NAMES: ReadonlySet<string> = new Set(['a', 'caption', 'gallery', 'audio'])
const RULES = { mark: 'wp', gapSize: '1em' }
const PLACE = { name: 'a', number: 1, post: { id: 1 }, scope: new RequestCache() } as never
const IDS = { item: () => 7, term: () => 7, user: () => 7, unclear: () => {} }
const properties = new Set(STYLE_PROPERTIES)
const rulesOf = (context: HtmlContext) => ({
  elements: allowed[context],
  protocols: PROTOCOLS,
  properties,
  mark: context === 'post' ? 'wp' : null,
  directives: new Set(['wp', 'svc']),
})
const filterIn = (text: string, context: HtmlContext) => filterHtml(text, rulesOf(context))
/** The part of a plugin context that images in content need. */
const PLUGIN = {
  services: { html: { filterLong: filterIn }, contentRendering: { pieces: htmlPieces } },
  branding: { blockMark: 'wp' },
} as never
const ARRANGEMENT = { mark: 'wp', theme: NO_THEME, themeGapWins: true, numbers: { last: 0 }, rules: { count: 0 } }
const GROUP = { name: 'core/group', supports: { layout: true } } as never
const asAttribute = (text: string) => text.replaceAll('"', '&quot;')
const format =
  (name: SchemaFormat): TextWork =>
  (text) => {
    validateValue(text, { type: 'string', format: name }, 'value')
    return sanitizeValue(text, { type: 'string', format: name })
  }
const asArgument =
  (schema: ArgumentSchema): TextWork =>
  (text) => [validateValue(text, schema, 'value'), sanitizeValue(text, schema)]
const all = (steps: Steps<unknown>) => atOnce(steps)
const bytesOf = (text: string) => Buffer.from(text)
/** Returns styles of a user as they are stored, without unknown properties. */
const stylesOf = (text: string) => {
  const part = { color: { text, background: { ref: text } }, css: text }
  const families = [{ slug: 'a', fontFamily: text, fontFace: [{ src: text, fontFamily: text }] }]
  return sanitizeThemeJson({
    version: 3,
    title: text,
    settings: {
      color: { palette: { custom: [{ slug: text, color: text, name: text }] } },
      custom: { [text]: text, a: `var:${text}` },
      typography: { fontFamilies: { custom: families } },
    },
    styles: {
      ...part,
      elements: { [text]: part, link: { ':hover': part } },
      blocks: { [text]: part, 'core/group': { ...part, elements: { link: part }, variations: { [text]: part } } },
    },
  })
}
const PLAIN_URLS = { basePath: '', isSecure: false }
const nonces = createNonces(Buffer.alloc(32), 86_400)
const picked = createPicker(['br', 'gzip'])
const pageUrl = (text: string) => ({ path: `/${text}/feed`, query: new URLSearchParams({ feed: text }) })
const rewriting = urlRewriter({ from: 'http://a.b', to: HOME, uploads: `${HOME}/uploads` })
const log = createLog('info', { write: () => {} })
const urls = new Urls(new HookRegistry('svc', kernelHooks).hooks, branding('svc'), HOME, 'pretty')
const previewPage = previewUrls({ branding: branding('svc'), urls }, 'magazine', HOME)

function bufferOf(text: string): TextBuffer {
  const buffer = new TextBuffer()
  buffer.add(text)
  buffer.end()
  return buffer
}

async function imported(text: string): Promise<number> {
  let count = 0
  try {
    for await (const record of readWxr(Readable.from([bytesOf(text)]))) count += record.kind.length
  } catch {
    // Most texts are not XML. The test measures how long the parser takes to reject them.
  }
  return count
}

const readOldResponse = (text: string) => {
  try {
    readResponse({ status: 200, headers: new Map() as never, url: HOME, text: () => text } as never, '')
  } catch {
    // Most texts are not JSON.
  }
}

/** By module: the name of each function, and a function that calls it with a text. */
/** The parts of a view that forms of the admin use. */
const adminView = {
  t: (text: string) => text,
  plugin: {
    branding: { namespace: () => 'svc/v2' },
    server: { routes: new Map() },
    services: { contentTypes: new Map(), taxonomies: new Map() },
  },
} as unknown as AdminView

const fieldNamed = (text: string): Field => ({
  id: 1,
  key: text,
  name: text,
  label: text,
  type: 'text',
  isRequired: true,
  settings: new Map([['instructions', text]]),
  choices: [],
  fields: [],
  layouts: [],
})

export const REGISTRY: Readonly<Record<string, Readonly<Record<string, TextWork>>>> = {
  'plugins/requests/arguments/timestamps.ts': {
    parseTimestamp: (text) => parseTimestamp(text, {}),
    readTimestamp: (text) => readTimestamp(text, false),
  },
  'plugins/resources/dates.ts': {
    datePair: (text) => datePair(text, 'UTC', 'date' as never),
    localFromUtc: (text) => localFromUtc(text, 'UTC'),
    utcFromLocal: (text) => utcFromLocal(text, 'UTC'),
    isTimeZone,
  },
  'kernel/http/host.ts': { parseHost, isWildcard },
  'plugins/requests/conditional/http-date.ts': { parseHttpDate },
  'plugins/requests/bodies/json-body.ts': {
    parseJson: (text) => parseJson(bytesOf(text)),
    'parseJson: a string': (text) => parseJson(bytesOf(JSON.stringify([text, { [text]: text }]))),
  },
  'plugins/requests/limits/networks.ts': { networksOf, ipv6Groups },
  'kernel/http/query-string.ts': {
    parseQuery,
    'parseQuery: a value': (text) => parseQuery(`a=${encodeURIComponent(text.toWellFormed())}`),
  },
  'plugins/requests/bodies/form.ts': {
    parseForm: (text) => parseForm(bytesOf(text)),
    countFields: (text) => countFields(bytesOf(text)),
  },
  'plugins/library/secrets/hide-secrets.ts': {
    createLog: (text) => log.info({ text, url: `/?${text}` }, text),
    hideSecretsIn,
    hideSecretsInUrl,
    stringifyWithoutSecrets: (text) => stringifyWithoutSecrets({ text }),
  },
  'plugins/library/advice/place.ts': { placeIn },
  'plugins/requests/conditional/etag.ts': {
    includesEtag: (text) => includesEtag(text, '"a"', 'weak'),
    etagIn: (text) => etagIn(text, '"a"', 'strong'),
  },
  'plugins/resources/field-set.ts': {
    parseFields,
    namesOf: (text) => namesOf('_embed', text, /[\s,]+/),
  },
  'plugins/requests/arguments/cast.ts': {
    numeric,
    toNumber,
    toInteger,
    splitList,
    listOf: (text) => listOf(text, true, true),
    codePoints,
  },
  'plugins/requests/arguments/formats.ts': { isEmail, sanitizeText, sanitizeTextarea, sanitizeUrl },
  'plugins/requests/arguments/linear-pattern.ts': {
    linearPattern: (text) => linearPattern('^(?:a|b+c*)+$').test(text),
  },
  'plugins/requests/arguments/validate.ts': {
    'sanitizeValue: text-field': format('text-field'),
    'sanitizeValue: textarea-field': format('textarea-field'),
    'sanitizeValue: uri': format('uri'),
    'sanitizeValue: email': format('email'),
    'sanitizeValue: ip': format('ip'),
    'sanitizeValue: date-time': format('date-time'),
    'sanitizeValue: uuid': format('uuid'),
    'sanitizeValue: hex-color': format('hex-color'),
    sanitizeValue: asArgument({ type: 'array', items: { type: 'integer' } }),
    'sanitizeValue: a pattern': asArgument({ type: 'string', pattern: '^[a-z]+(?:-[a-z]+)*$' }),
  },
  'kernel/text/clean-text.ts': { cleanText, cleanName },
  'plugins/library/markup/clean-json.ts': { cleanJson: (text) => cleanJson({ [text]: [text] }) },
  'plugins/library/markup/escape-html.ts': { escapeHtml, escapeHtmlOnce },
  'plugins/library/markup/json-edit.ts': {
    'editJson: a string': (text) => {
      const values = { a: text, b: 1 }
      return editJson(JSON.stringify(values), values, { ...values, b: 2 })
    },
    'editJson: members': (text) => {
      // One member for 16 characters: the time for tens of thousands of keys depends on the garbage collector.
      const parts = text.match(/[^]{1,16}/g) ?? []
      const values = Object.fromEntries(parts.map((part, index) => [`${index}${part}`, [part]]))
      return editJson(JSON.stringify(values), values, { ...values, '': 2 })
    },
  },
  'plugins/library/markup/normalize.ts': {
    normalize: (text) => [normalize(text, 'NFC'), normalize(text, 'NFD'), normalize(text, 'NFKD')],
  },
  'plugins/library/markup/page-html.ts': { html: (text) => html`<p>${text}</p>` },
  'plugins/library/suggestions/suggest.ts': { suggest: (text) => suggest(text, ['title', 'content']) },
  'kernel/text/trim.ts': {
    trimMarks: (text) => trimMarks(text, ' .'),
    trimEndMarks: (text) => trimEndMarks(text, ' .'),
  },
  'kernel/urls.ts': {
    trimEndSlashes,
    decodePath,
    'Urls.pathOf': (text) => urls.pathOf(`${HOME}/${text}`),
    'Urls.rest': (text) => urls.rest(text),
    'Urls.read': (text) => urls.read(text),
  },
  'plugins/content/comments/autolink.ts': {
    autolink: (text) => changeText(text, (part) => autolink(part, HOME), ['a']),
    markLinks: (text) => markLinks(filterIn(text, 'comment'), HOME),
    'markLinks: an attribute': (text) => markLinks(filterIn(`<a href="//a" title="${text}">a</a>`, 'comment'), HOME),
  },
  'plugins/content/comments/moderation.ts': { countLinks, withoutTags },
  'plugins/content/media/alt-text.ts': { cleanAltText },
  'plugins/content/media/files/content-disposition.ts': {
    dispositionName: (text) => dispositionName(`attachment; filename="${text}"; ${text}`),
  },
  'plugins/content/media/files/file-mentions.ts': { fileMentions },
  'plugins/content/media/files/file-name.ts': { fileName },
  'plugins/content/media/files/file-types.ts': {
    kindOf: (text) => kindOf('txt', bytesOf(text), { txt: 'text/plain' }),
    'kindOf: an ending': (text) => kindOf(text, bytesOf('a'), { txt: 'text/plain' }),
    anyKind,
  },
  'plugins/content/media/files/file-versions.ts': { originalPath, isVersion, originalsOf },
  'plugins/content/media/files/ranges.ts': { parseRanges: (text) => parseRanges(`bytes=${text}`, 1000) },
  'plugins/content/media/images/content-images.ts': {
    attributesOf: (text) => attributesOf(`<img ${text}>`).size,
    completeImages: (text) => completeImages(PLUGIN, `<img src="a">${text}`, new Map() as never),
    'completeImages: a tag': (text) => completeImages(PLUGIN, `<img ${text}>`, new Map() as never),
  },
  'plugins/content/media/shortcodes/caption.ts': {
    captionShortcode: (text) => captionShortcode(PLUGIN, 'wp')({ width: '3', id: text, class: text }, text, PLACE),
    'captionShortcode: an image': (text) => captionShortcode(PLUGIN, 'wp')({ width: '3' }, `<a ${text}`, PLACE),
  },
  'plugins/content/media/shortcodes/player.ts': {
    playerShortcode: (text) => playerShortcode('wp', 'video', true)({ src: `/${text}`, width: text }, null, PLACE),
    playerMarkup: (text) => playerMarkup('wp', 'audio', { urls: [`/${text}`, text], number: 1 } as never, { a: text }),
  },
  'plugins/content/permalinks/match-structure.ts': {
    matchStructure: (text) =>
      matchStructure(['/', 'category', '-', 'author', '/', 'postname', '-', 'post_id', ''], text),
  },
  'plugins/content/permalinks/post-finder.ts': { partsOf, namesIn: (text) => namesIn(text, null) },
  'plugins/content/posts/query/search-terms.ts': { parseSearch },
  'plugins/site/url-details/read-page.ts': { readPage: (text) => readPage(text, HOME) },
  'plugins/design/fonts/settings.ts': {
    familyInCss,
    parseSettings: (text) =>
      parseSettings(
        JSON.stringify({ name: text }),
        { properties: { name: { type: 'string' } }, required: [] } as never,
        'font_family_settings',
        true,
      ),
  },
  'plugins/design/global-styles/css.ts': {
    styleSheet: (text) => styleSheet(stylesOf(text), 'wp'),
    darkStyles: (text) => darkStyles(stylesOf(text), 'wp'),
  },
  'plugins/design/global-styles/safe-css.ts': { safeValue, safeCss },
  'plugins/design/global-styles/theme-json.ts': {
    kebab,
    withVariables: (text) => withVariables({ [text]: [text] }, 'wp'),
  },
  'plugins/design/menus/item.ts': {
    storedItem: (text) =>
      storedItem({ id: 1 } as never, { get: () => text, has: () => true } as unknown as ReadonlyMap<string, unknown>),
  },
  'plugins/design/templates/controller.ts': { idIn },
  'plugins/design/templates/markup.ts': {
    withTheme: (text) => withTheme(text, 'theme', 'wp'),
    'withTheme: attributes': (text) =>
      withTheme(`<!-- wp:template-part {"a":${JSON.stringify(text)}} /-->`, 'theme', 'wp'),
    withoutTheme: (text) => withoutTheme(text, 'theme', 'wp'),
  },
  'plugins/design/themes/translate-markup.ts': {
    changeTexts: (text) => changeTexts(text, (one) => `${one}!`),
    translateMarkup: (text) => translateMarkup(text, new Words('de', { a: 'b' }, 'UTC')),
  },
  'plugins/design/themes/header.ts': {
    headerFields,
    splitStylesheet,
    'splitStylesheet: a header': (text) => splitStylesheet(`/* Theme name: ${text} */${text}`),
    splitPattern,
  },
  'plugins/operations/exporter/parse-size.ts': {
    parseSize: (text) => {
      try {
        parseSize(text)
      } catch {
        // Not a size.
      }
    },
  },
  'plugins/operations/exporter/html-to-markdown.ts': {
    htmlToMarkdown: (text) => htmlToMarkdown(text, (url) => url),
    'htmlToMarkdown: a list': (text) => htmlToMarkdown(`<ul><li>${text}</li></ul>`, (url) => url),
    'htmlToMarkdown: a table': (text) => htmlToMarkdown(`<table><tr><td>${text}</td></tr></table>`, (url) => url),
    'htmlToMarkdown: code': (text) => htmlToMarkdown(`<pre>${text}</pre><code>${text}</code>`, (url) => url),
  },
  'plugins/operations/exporter/wxr/php.ts': {
    xmlText,
    exportedValue: (text) => exportedValue({ value: text, json: 0 }),
    'exportedValue: JSON': (text) => exportedValue({ value: JSON.stringify({ [text]: [text] }), json: 1 }),
  },
  'plugins/operations/exporter/wxr/xml.ts': {
    escapeXml,
    cdata,
    element: (text) => element('title', text),
    exactElement: (text) => exactElement('title', text),
    plainElement: (text) => plainElement('title', text),
  },
  'plugins/operations/exporter/wxr/head.ts': {
    headOf: (text) => headOf({ title: text, description: text, language: text, home: text, date: new Date(0) }),
    exportedSlug,
  },
  'plugins/operations/importer/live/discovery.ts': {
    linksInHeader,
    'linksInHeader: a link': (text) => linksInHeader(`<${text}>; rel="${text}"`),
    linksInPage,
    'linksInPage: an element': (text) => linksInPage(`<link rel="${text}" href='${text}'>`),
  },
  'plugins/operations/importer/live/old-response.ts': {
    readResponse: (text) => readOldResponse(text),
    'readResponse: messages before JSON': (text) => readOldResponse(`<br>${text}\n[]`),
    reportText,
  },
  'plugins/operations/importer/old-sites/permalinks.ts': {
    'PermalinkFinder.constructor': (text) => {
      const finder = new PermalinkFinder(`http://${text}`)
      const names = { slug: text, author: text, categories: [text] }
      finder.add({ id: 1, status: 'publish', link: `http://${text}/${text}/`, date: text, ...names })
    },
  },
  'plugins/operations/importer/live/values.ts': { phpText: (text) => phpText([text]), words },
  'plugins/storage/store/transfer/canonical.ts': {
    canonicalValue: (text) => {
      for (const kind of ['text', 'integer', 'real', 'boolean', 'time', 'json', 'bytes'] as const)
        canonicalValue(text, kind)
      canonicalValue(JSON.stringify({ [text]: [text] }), 'json')
    },
  },
  'plugins/operations/url-replacement/url-forms.ts': {
    urlReplacer: (text) => {
      const replacer = urlReplacer('http://my-old.example/blog', 'https://new--site.example')
      replacer.replace(text)
      replacer.replace(`//my-old.example ${text}`)
    },
    'urlReplacer: a URL': (text) => {
      try {
        urlReplacer(`http://${text}`, 'https://new.example')
      } catch {
        // Not a URL.
      }
    },
  },
  'plugins/operations/url-replacement/serialized-text.ts': {
    looksLikePhp,
    changeSerialized: (text) => changeSerialized(text, (one) => `${one}!`),
    'changeSerialized: a list': (text) =>
      changeSerialized(`a:1:{i:0;s:${Buffer.byteLength(text)}:"${text}";}`, (one) => `${one}!`),
  },
  'plugins/operations/url-replacement/stored-value.ts': {
    changeValue: (text) => changeValue(text, false, (one) => `${one}!`),
    'changeValue: JSON': (text) => changeValue(JSON.stringify({ [text]: [text] }), true, (one) => `${one}!`),
  },
  'plugins/operations/importer/media.ts': {
    mimeType: (text) => mimeType({ attachmentUrl: text, guid: text } as never, ''),
    safeMetadata: (text) => safeMetadata({ original_image: text, sizes: { a: { file: text } } }, 'a.jpg'),
  },
  'plugins/operations/importer/old-sites/addresses.ts': {
    addressOf: (text) => addressOf(text, text),
    addressesOf: (text) => addressesOf(`https://old.test/${text}`, 'https://old.test'),
  },
  'plugins/operations/importer/old-sites/media-urls.ts': {
    rewriterOf: rewriterOf(['cdn.test'], new Map([['cdn.test/a', 'a.png']]), 'https://new.test/uploads'),
    'rewriterOf: a path': (text) =>
      rewriterOf(['cdn.test'], new Map(), 'https://new.test/uploads')(`//cdn.test/${text}`.repeat(3)),
  },
  'plugins/operations/importer/phrases.ts': {
    foreignPhrase: (text) => foreignPhrase(text),
    inEnglish: (text) => inEnglish({ text: text as ReportReason }),
    phraseOf: (text) => phraseOf(new Error(text)),
  },
  'plugins/operations/importer/option-dump.ts': {
    fromOptionDump: (text) => fromOptionDump({ options: { blogname: text, stylesheet: text }, [text]: [] }),
  },
  'plugins/compat/php-date.ts': { parseDate, formatDate: (text) => formatDate(new Date(0), text) },
  'plugins/compat/custom-fields/form-tree.ts': { treeOf: (text) => treeOf({ [`acf.${text}`]: text }, 'acf') },
  'plugins/compat/custom-fields/group-changes.ts': {
    changedTree: (text) => changedTree(treeOf({ 'group.fields.0.label': text }, 'group')!, text),
  },
  'plugins/compat/custom-fields/group-trees.ts': {
    copyOfGroup: (text) => copyOfGroup({ key: text, fields: [{ key: text, label: text }] }, text),
  },
  'plugins/compat/custom-fields/value-inputs.ts': {
    fieldInputs: (text) =>
      fieldInputs(
        adminView,
        [fieldNamed(text)],
        treeOf({ [`acf.${text}`]: text }, 'acf')!,
        {},
        {
          prefix: 'acf',
          files: new Map(),
        },
      ),
  },
  'plugins/compat/custom-types/admin-form.ts': {
    errorsOf: (text) =>
      errorsOfDefinition(
        adminView,
        {
          kind: 'type',
          name: text,
          labels: text,
          values: { rest_base: text, rewrite_slug: text, menu_position: text },
        },
        new Map(),
        true,
      ),
  },
  'plugins/compat/forms/config-errors.ts': { configErrors: (text) => configErrors(formOf(text)) },
  'plugins/compat/forms/forms.ts': {
    settingsOf: (text) => settingsOf(formOf(text)),
    isSet: (text) => isSet(formOf(text), 'a'),
    'Forms.named': (text) => noForms.named(text, text, new RequestCache()),
    'Forms.changed': (text) =>
      noForms.changed(formOf(text), { form: text, mail: { body: text }, messages: { [text.slice(0, 9)]: text } }),
  },
  'plugins/compat/forms/mail.ts': {
    composeMail: (text) =>
      composeMail({ body: text }, { form: formOf(text), values: new Map([['a', text]]), files: [], special: {} }),
  },
  'plugins/compat/forms/rules.ts': {
    checkFields: (text) =>
      checkFields(
        formRulesOf(formOf('[email a][url b][tel c][number d][date e]')),
        new Map(['a', 'b', 'c', 'd', 'e'].map((name) => [name, text])),
        new Map(),
      ),
  },
  'plugins/compat/forms/submissions.ts': { cleanUnitTag },
  'plugins/compat/forms/tags.ts': { parseTemplate, tagsOf: tagsOfForm },
  'plugins/compat/redirects/exports.ts': {
    exportAs: (text) => REDIRECT_FORMATS.map((format) => exportAs(format, redirectsOf(text))),
  },
  'plugins/compat/redirects/fields.ts': {
    plainText: plainRedirectText,
    readRedirect: (text) => redirectOf(text),
  },
  'plugins/compat/redirects/htaccess.ts': { readHtaccess },
  'plugins/compat/redirects/imports.ts': {
    parseCsv,
    readExport: (text) => ['a.csv', 'a.json', '.htaccess'].map((name) => readExport(name, text)),
  },
  'plugins/compat/redirects/matcher.ts': {
    Matcher: (text) => [...new Matcher([redirectOf('(a+)+$', true)]).find({ path: `/${text}`, query: text })],
    compile: (text) => compile(text, true),
  },
  'plugins/compat/php-values.ts': {
    readPhp: (text) => [readPhp(text), readPhp(`a:1:{i:0;s:1:"${text}";}`)],
  },
  'plugins/operations/importer/type-names.ts': { registrableName },
  'plugins/operations/importer/php-values.ts': {
    readValue,
    'readValue: a string': (text) => readValue(`a:1:{s:${Buffer.byteLength(text)}:"${text}";i:1;}`),
    looksSerialised,
  },
  'plugins/operations/importer/frames.ts': { framesToEmbeds },
  'plugins/operations/importer/html-losses.ts': { lossesOf: (text) => lossesOf(text, '') },
  'plugins/operations/importer/old-sites/fingerprint.ts': { normalizeGuid, normalizeHome },
  'plugins/operations/importer/posts/block-ids.ts': {
    mapBlockIds: (text) => mapBlockIds(text, IDS),
    'mapBlockIds: attributes': (text) => mapBlockIds(`<!-- wp:x {"ids":[1],"a":${JSON.stringify(text)}} -->`, IDS),
  },
  'plugins/operations/importer/posts/slugs.ts': {
    revisionSlug: (text) => revisionSlug(text, 7),
    isSlugOrNumbered: (text) => isSlugOrNumbered(`a-${text}`, 'a'),
  },
  'plugins/compat/jwt/tokens.ts': {
    'Tokens.verify': (text) => {
      try {
        return new Tokens('secret').verify(`${text}.${text}.${text}`, 0)
      } catch {
        return null
      }
    },
  },
  'plugins/compat/seo/texts.ts': { oneLine },
  'plugins/compat/seo/variables.ts': {
    replaceVariables: (text) => replaceVariables(text, '-', () => Promise.resolve('')),
  },
  'plugins/operations/importer/posts/text-ids.ts': { mapTextIds: (text) => mapTextIds(text, IDS, HOME) },
  'plugins/operations/importer/url-rewriter.ts': { urlRewriter: rewriting },
  'plugins/library/php/unserialize.ts': {
    unserializePhp,
    'unserializePhp: a list': (text) => unserializePhp(`a:2:{i:0;s:5:"${text}";i:1;s:9:"${text}";}`),
    phpToJson,
  },
  'plugins/library/php/serialize.ts': { serializePhp: (text) => serializePhp({ [text]: text }) },
  'plugins/operations/importer/wxr/characters.ts': {
    decodeReferences: (text) => decodeReferences(text, () => {}),
    cleanCharacters: (text) => cleanCharacters(text, () => {}),
    detached,
  },
  'plugins/operations/importer/wxr/decoder.ts': {
    'Decoder.decode': (text) => new Decoder(bytesOf(text)).decode(bytesOf(text)),
    'Decoder.decode: windows-1252': (text) => {
      const bytes = Buffer.from(text, 'latin1')
      return new Decoder(bytes).decode(bytes)
    },
  },
  'plugins/operations/importer/wxr/prolog.ts': {
    'Prolog.junkIn': (text) => new Prolog().junkIn(text, true),
    'Prolog.skip': (text) => new Prolog().skip(bufferOf(text)),
    skipToFurther: (text) => skipToFurther(bufferOf(text)),
  },
  'plugins/operations/importer/wxr/text-buffer.ts': {
    'TextBuffer.add': bufferOf,
    'TextBuffer.lineOfNext': (text) => bufferOf(text).lineOfNext(text, text.length),
  },
  'plugins/people/users/login-name.ts': { toLoginName },
  'plugins/operations/importer/wxr/element.ts': { date, feedDate, integer, signed },
  'plugins/operations/importer/wxr/tags.ts': {
    tagNameAt: (text) => tagNameAt(`<${text}`, 0),
    readTag: (text) => readTag(bufferOf(`<category ${text}`), 0, () => {}),
    'readTag: a value': (text) => readTag(bufferOf(`<category domain="${text}`), 0, () => {}),
  },
  'plugins/operations/importer/wxr/reader.ts': {
    readWxr: (text) => imported(`<rss><channel><item><title><![CDATA[${text}]]></title><link>${text}</link>`),
    'readWxr: a file': imported,
    'readWxr: a content': (text) => imported(`<rss><channel><item><content:encoded>${text}`),
    'readWxr: elements': (text) => imported(`<rss><channel><item><title><![CDATA[x</title>${text}`),
  },
  'plugins/foundation/outgoing/allow-list.ts': { plainHost },
  'plugins/foundation/outgoing/hop.ts': {
    checkedHeaders: (text) => checkedHeaders({ [text]: text, a: text }),
    firstHop: (text) => firstHop(`${HOME}/${text}`, { method: 'GET', headers: { a: text } }),
  },
  'plugins/operations/webhooks/signature.ts': { secretFault },
  'plugins/people/application-passwords/basic.ts': {
    readCredentials: (text) => readCredentials(`Basic ${text}`),
    'readCredentials: a scheme': readCredentials,
    isLocalHost,
  },
  'plugins/people/application-passwords/model.ts': { hashApplicationPassword, isSecretShaped },
  'plugins/rendering/feed-reader/decode-feed.ts': {
    decodeFeed: (text) => decodeFeed(bytesOf(text), `text/xml; charset=${text}`),
  },
  'plugins/rendering/feed-reader/parse-feed.ts': {
    parseFeed,
    'parseFeed: an entry': (text) => parseFeed(`<rss><channel><item><title>${text}</title></item></channel></rss>`),
    'parseFeed: Atom': (text) => parseFeed(`<feed><entry><link href="${text}"/>${text}</entry></feed>`),
  },
  'plugins/responses/response-cache/conditions.ts': {
    findClientTag: (text) => findClientTag({ ifNoneMatch: text, ifModifiedSince: text }, { etag: '"a"', modified: 1 }),
    withinAge: (text) => withinAge(text, 1000),
    hasAge,
  },
  'plugins/people/cookie-auth/site-cookie.ts': {
    readCookie: (text) => readCookie(new HeaderMap({ cookie: `a=${text}; b=1` }), 'b', PLAIN_URLS),
    writeCookie: (text) => writeCookie('a', text, PLAIN_URLS, { secure: true, sameSite: 'lax' }),
  },
  'plugins/people/cookie-auth/nonces.ts': { createNonces: (text) => nonces.verify(text, 'a', { id: 1 }) },
  'plugins/people/users/credentials.ts': { loginProblem },
  'plugins/rendering/blocks/arrangement.ts': {
    arrangedHtml: (text) => arrangedHtml(text, GROUP, { layout: { type: text } }, ARRANGEMENT),
    'arrangedHtml: classes': (text) => arrangedHtml(`<p class="${text}">`, GROUP, {}, ARRANGEMENT),
  },
  'plugins/rendering/blocks/excerpt.ts': {
    excerptHtml: (text) => excerptHtml(parseBlocks(text, 'wp'), new Set(['core/x']), new Set(['core/group'])),
  },
  'plugins/rendering/blocks/layout.ts': {
    withLegacyLayout: (text) => withLegacyLayout(parseBlocks(text, 'wp'), 'wp', { last: 0 }),
  },
  'plugins/rendering/blocks/page-rules.ts': {
    safeDeclarations: (text) => safeDeclarations({ color: text, width: `var:${text}` }, 'wp'),
    presetValue: (text) => presetValue(`var:${text}`, 'wp'),
    slugOf,
    pageStylesOf: (text) => pageStylesOf([`block-rule:${text}`]),
    addElementRules: (text) => addElementRules('.a', { link: { color: { text } } }, 'wp'),
  },
  'plugins/rendering/blocks/layout-rules.ts': {
    addLayoutRules: (text) =>
      addLayoutRules('.a', 'grid', { columnCount: text, minimumColumnWidth: text }, { blockGap: text }, RULES),
  },
  'plugins/rendering/core-blocks/attributes.ts': {
    declarationsIn,
    numberIn,
    numberOf: (text) => numberOf({ a: text }, 'a', 0),
  },
  'plugins/rendering/core-blocks/stored-html.ts': {
    findTag: (text) => findTag(text, () => false),
    replacePieces: (text) => replacePieces(text, () => null),
    attributesIn: (text) => [...attributesIn(text)],
    changedTag: (text) => changedTag(text, { id: 'a' }),
    tagWithClass: (text) => tagWithClass(text, 'a'),
  },
  'plugins/rendering/blocks/parse.ts': { parseBlocks: (text) => htmlOf(parseBlocks(text, 'wp')) },
  'plugins/rendering/core-blocks/post/content-parts.ts': {
    contentParts: (text) => contentParts(text, 'wp'),
    withoutMoreComment: (text) => withoutMoreComment(text, 'wp'),
  },
  'plugins/rendering/core-blocks/post/scrollable.ts': {
    focusableCode: (text) => focusableCode(`<pre>${text}</pre>${text}<pre>`, 'Code'),
  },
  'plugins/rendering/html/blocks.ts': {
    filterComment: (text) => all(filterComment(text, 'wp', (part) => filterSteps(part, rulesOf('post')))),
    'filterComment: a block': (text) =>
      all(filterComment(` wp:x ${JSON.stringify({ a: text })} `, 'wp', (part) => filterSteps(part, rulesOf('post')))),
  },
  'plugins/rendering/html/escape.ts': { withoutControls, escapeText },
  'plugins/rendering/html/filter.ts': {
    filterHtml: (text) => filterIn(text, 'post'),
    'filterHtml: comment': (text) => filterIn(text, 'comment'),
    'filterHtml: strip': (text) => filterIn(text, 'strip'),
    'filterHtml: a style': (text) => filterIn(`<p style="${asAttribute(text)}">`, 'post'),
    'filterHtml: a URL': (text) => filterIn(`<a href="${asAttribute(text)}">`, 'post'),
    'filterHtml: a block': (text) => filterIn(`<!-- wp:x ${JSON.stringify({ a: text, b: [text] })} -->`, 'post'),
    filterSteps: (text) => all(filterSteps(text, rulesOf('user_description'))),
  },
  'plugins/rendering/html/plain-text.ts': { plainText },
  'plugins/rendering/html/styles.ts': { filterStyle: (text) => filterStyle(text, properties, PROTOCOLS) },
  'plugins/rendering/html/tags.ts': {
    readTags: (text) => readTags(text, () => false, { open() {}, text() {}, close() {} }),
  },
  'plugins/rendering/html/url-attributes.ts': {
    isSafeAttribute: (text) => isSafeAttribute('srcset', text, PROTOCOLS),
    isSafeUrl: (text) => isSafeUrl(text, PROTOCOLS),
    isScript,
  },
  'plugins/rendering/oembed/markup.ts': {
    frameIn: (text) => frameIn(text, () => true),
    discoveredEndpoint: (text) => discoveredEndpoint(text, HOME),
  },
  'plugins/rendering/content-rendering/autop.ts': { autop, autopSteps: (text) => all(autopSteps(text)) },
  'plugins/rendering/content-rendering/excerpt.ts': {
    atLeastWords: (text) => all(atLeastWords(text, 220)),
    firstWords: (text) => all(firstWords(text, 55, '…')),
    teaserOf,
  },
  'plugins/rendering/content-rendering/html.ts': {
    htmlPieces: (text) => [...htmlPieces(text)].length,
    changeText: (text) => changeText(text, (part) => part, ['a']),
    changeTextSteps: (text) => all(changeTextSteps(text, (part) => part)),
    textOf,
    textSteps: (text) => all(textSteps(text)),
  },
  'plugins/rendering/content-rendering/typography.ts': {
    typography: (text) => typography(`${text}"`, (part) => shortcodeTags(part, NAMES)),
    typographySteps: (text) => all(typographySteps(text, null)),
  },
  'plugins/rendering/content-rendering/unique-ids.ts': { uniqueIds: (text) => uniqueIds(`${text} id="a"><i id="a">`) },
  'plugins/rendering/shortcodes/attributes.ts': { parseAttributes: (text) => parseAttributes(text, htmlPieces) },
  'plugins/rendering/shortcodes/parse.ts': { parseShortcodes: (text) => all(parseShortcodes(text, NAMES, htmlPieces)) },
  'plugins/rendering/shortcodes/tags.ts': { shortcodeTags: (text) => [...shortcodeTags(text, NAMES)].length },
  'plugins/responses/compression/negotiate.ts': { createPicker: picked },
  // A separate test compares texts that need the whole budget, which would take minutes here.
  'plugins/site/admin/pages/writing/changes.ts': { changesOf: (text) => changesOf([[text, `${text.slice(1)}x`]]) },
  'plugins/site/admin/pages/writing/markdown.ts': { blocksOfMarkdown: (text) => blocksOfMarkdown(text, 'wp') },
  'plugins/site/admin/pages/writing/block-markup.ts': { blockComments: (text) => blockComments(text, 'wp') },
  'plugins/site/admin/pages/writing/blocks-to-markdown.ts': {
    editedBlocks: (text) => editedBlocks(text, 'wp', text),
    markdownOfBlocks: (text) => markdownOfBlocks(text, 'wp'),
    markdownPieces: (text) => markdownPieces(text, 'wp'),
  },
  'plugins/site/admin/frame/bar.ts': { initialsOf },
  'plugins/site/admin/pages/import/kinds.ts': { kindLabel: (text) => kindLabel(adminView, text) },
  'plugins/operations/importer/run-files.ts': {
    withoutFolder: (text) => withoutFolder(new RestError('a', `/x/${text}`, { status: 400 }), '/x'),
  },
  'plugins/site/feeds/feed-url.ts': { feedUrl: (text) => feedUrl(pageUrl(text)) },
  'plugins/site/feeds/xml.ts': { xml },
  'plugins/resources/slug.ts': { slugify, cutSlug, normalizeSlug, encodeName, decodeName, slugsOfName },
  'plugins/site/site-pages/document.ts': {
    documentOf: (body) =>
      documentOf({
        language: 'en',
        title: body,
        head: [],
        bodyClasses: [],
        body,
        above: [new PageHtml(body)],
        below: [new PageHtml(`<style>${body}</style>`)],
        style: '',
        skip: '',
        rootClass: 'a',
      }),
  },
  'plugins/site/admin/pages/welcome/preferred-locale.ts': {
    preferredLocale: (text) => preferredLocale(text, ['de_DE', text]),
  },
  'plugins/site/site-pages/theme-preview.ts': {
    keepPreview: (text) => keepPreview(`${text}<a href="${text}">`, 'magazine', previewPage),
    previewUrls: (text) => previewPage(`${HOME}/${text}`),
  },
  'plugins/site/site-pages/share-image.ts': { firstImageIn: (text) => firstImageIn(`${text}<img ${text}>`, HOME) },
  'plugins/site/site-pages/other-site.ts': {
    otherSite: (text) =>
      otherSite(HOME, { path: `/${text.toWellFormed()}`, query: new URLSearchParams({ [text]: text }) } as never),
  },
  'plugins/storage/store/sqlite/text-index.ts': { textQuery: (text) => textQuery([text]) },
}

/** Functions that the growth test does not call, by reason: `FILE NAME`, or `FILE *` for all functions of a module. */
export const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  'reads the config, the command line, the environment, or files of the operator': [
    'kernel/http/host.ts formatAddress',
    'kernel/http/host.ts homeUrl',
    'plugins/library/secrets/hide-secrets.ts keepSecret',
    'plugins/content/previews/front-ends.ts readFrontEnds',
    'plugins/design/themes/folder.ts *',
    'plugins/operations/exporter/site-file.ts *',
    'plugins/operations/exporter/uploads.ts *',
    'plugins/operations/importer/theme-files.ts *',
    'plugins/operations/importer/run-files.ts stageFiles',
    'plugins/operations/importer/sources/sources.ts findSources',
    'plugins/operations/importer/sources/zip.ts ZipArchive.open',
    'plugins/foundation/outgoing/allow-list.ts AllowList.constructor',
    'plugins/site/admin/frame/assets.ts AdminAssets.importMap',
    'plugins/site/admin/frame/assets.ts AdminAssets.urlOf',
    'plugins/foundation/translations/catalog-files.ts *',
    'plugins/site/editor/install.ts *',
    'plugins/storage/store/open.ts *',
  ],
  'reads names, routes, schemas and SQL that the code of plugins contains': [
    'plugins/library/advice/check-path.ts *',
    'plugins/library/advice/check-route.ts *',
    'plugins/library/advice/route-advice.ts *',
    'kernel/rest/route-pattern.ts *',
    'kernel/rest/routes.ts *',
    'plugins/requests/arguments/check-schema.ts *',
    'plugins/library/advice/shapes.ts *',
    'plugins/content/rest-bases.ts *',
    'plugins/design/block-patterns/service.ts *',
    'plugins/design/fonts/collections.ts *',
    'plugins/design/icons/service.ts *',
    'plugins/operations/actions/registry.ts *',
    'plugins/foundation/jobs/schedules.ts *',
    'plugins/rendering/blocks/types/registry.ts *',
    'plugins/rendering/core-blocks/revisions.ts *',
    'plugins/rendering/shortcodes/check.ts *',
    'plugins/site/admin/admin.ts *',
    'plugins/site/admin/parts/fields.ts *',
    'plugins/foundation/translations/words.ts *',
    'plugins/storage/store/plugin-tables/control-words.ts *',
    'plugins/storage/store/plugin-tables/migrate-plugin.ts *',
    'plugins/storage/store/plugin-tables/prefix.ts *',
    'plugins/storage/store/sql-tables.ts *',
    'plugins/storage/store/sqlite/reader.ts *',
  ],
  'works on items, not on the letters of a text': [
    'plugins/resources/field-set.ts FieldSet.constructor',
    'plugins/resources/field-set.ts FieldSet.includes',
    'plugins/library/long-work/map-in-slices.ts *',
    'plugins/operations/importer/context.ts *',
    'plugins/operations/importer/findings.ts *',
    'plugins/operations/importer/lists.ts *',
    'plugins/operations/importer/live/compare/differences.ts Differences.add',
    'plugins/operations/importer/transfer.ts transfer',
    'plugins/operations/importer/downloads.ts *',
    'plugins/operations/importer/old-sites/old-site.ts *',
    'plugins/site/admin/pages/settings/permalinks.ts show',
    'plugins/site/admin/parts/changes.ts *',
    'plugins/site/admin/parts/list.ts *',
    'plugins/content/permalinks/permalinks.ts *',
  ],
  'passes its text to registered functions': [
    'plugins/requests/arguments/validate.ts sanitize',
    'plugins/content/media/attachment-queries.ts *',
    'plugins/content/media/files/file-server.ts *',
    'plugins/content/media/files/file-usage.ts *',
    'plugins/content/media/files/upload-storage.ts *',
    'plugins/content/media/writer.ts MediaWriter.storeIn',
    'plugins/content/media/shortcodes/gallery-images.ts *',
    'plugins/content/permalinks/post-finder.ts PostFinder.byPath',
    'plugins/design/fonts/files.ts *',
    'plugins/operations/importer/record-values.ts *',
    'plugins/people/application-passwords/authorize.ts authorizePage',
    'plugins/people/application-passwords/model.ts ApplicationPasswords.find',
    'plugins/rendering/core-blocks/navigation/navigation.ts *',
    'plugins/rendering/core-blocks/post/featured-image.ts *',
    'plugins/rendering/core-blocks/post/time-to-read.ts *',
    'plugins/rendering/core-blocks/post/video.ts *',
    'plugins/rendering/core-blocks/site/icon.ts *',
    'plugins/rendering/core-blocks/site/social-link.ts *',
    'plugins/rendering/core-blocks/widgets/calendar.ts *',
    'plugins/rendering/core-blocks/widgets/latest-comments.ts *',
    'plugins/rendering/core-blocks/widgets/rss.ts *',
    'plugins/site/admin/frame/assets.ts AdminAssets.respond',
  ],
  'limits the text itself, or is called with a short one': [
    'plugins/operations/importer/live/discovery.ts discover',
    'plugins/operations/importer/live/old-plugins.ts pluginsOf',
    'plugins/operations/importer/live/spool.ts *',
    'plugins/operations/importer/live/survey.ts *',
    'plugins/content/media/fetch-image.ts *',
    'plugins/content/media/files/staging.ts *',
    'plugins/content/previews/front-ends.ts fillTemplate',
    'plugins/operations/importer/report.ts *',
    'plugins/operations/webhooks/attempt.ts *',
    'plugins/people/passwords/portable.ts *',
  ],
  'threats/growth-bodies sends it hostile bodies': ['plugins/requests/bodies/multipart.ts *'],
  'packs and unpacks in a stream': [
    'plugins/design/templates/export/archive.ts *',
    'plugins/operations/importer/uploads.ts *',
  ],
}

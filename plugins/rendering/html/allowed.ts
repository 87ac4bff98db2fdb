/** Kinds of filtered HTML: post content, comments, user biographies, or plain text without elements. */
export type HtmlContext = 'post' | 'comment' | 'user_description' | 'strip'

/** Requirements for an allowed attribute. */
export interface AttributeRule {
  /** Whether the element is removed if the attribute is missing. */
  readonly required?: boolean
  /** Allowed values, in lower case. */
  readonly values?: readonly string[]
  /** Decides whether a value is allowed; called with the decoded text. */
  readonly check?: (value: string) => boolean
}

/** Allowed attributes by lower-case name; `data-*` and `aria-*` allow all attributes with that prefix. */
export type AllowedAttributes = Readonly<Record<string, true | AttributeRule>>

/**
 * Allowed elements by lower-case name, with their attributes. The content of `script`, `style`, `iframe`, `title` and
 * similar elements is always treated as text, so allowing one of these elements yields an empty element.
 */
export type AllowedHtml = Readonly<Record<string, AllowedAttributes>>

/** Attributes allowed on every element of a post. */
const EVERYWHERE = 'aria-* class data-* dir hidden id lang role style title xml:lang'

const CELL = 'abbr align axis bgcolor char charoff colspan headers height nowrap rowspan scope valign width'
const COLUMN = 'align char charoff span valign width'
const ROWS = 'align char charoff valign'

/** Elements allowed in posts, with their attributes in addition to `EVERYWHERE`. */
const POST_ELEMENTS: Readonly<Record<string, string>> = {
  a: 'download href name rel rev target',
  area: 'alt coords href nohref shape target',
  audio: 'autoplay controls loop muted preload src',
  bdo: 'dir',
  blockquote: 'cite',
  button: 'disabled name type value',
  col: COLUMN,
  colgroup: COLUMN,
  del: 'cite datetime',
  details: 'align open',
  font: 'color face size',
  hr: 'align noshade size width',
  img: 'align alt border height hspace loading longdesc src usemap vspace width',
  ins: 'cite datetime',
  label: 'for',
  li: 'align value',
  map: 'name',
  menu: 'type',
  ol: 'reversed start type',
  pre: 'width',
  q: 'cite',
  table: 'align bgcolor border cellpadding cellspacing rules summary width',
  tbody: ROWS,
  td: CELL,
  textarea: 'cols disabled name readonly rows',
  tfoot: ROWS,
  th: CELL,
  thead: ROWS,
  tr: `bgcolor ${ROWS}`,
  track: 'default kind label src srclang',
  ul: 'type',
  video: 'autoplay controls height loop muted playsinline poster preload src width',
}

/** Elements of posts that allow `align`, and elements without specific attributes. */
const ALIGNED =
  'article aside caption div figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup legend main nav p section span summary'
const PLAIN =
  'abbr acronym address b big br cite code dd dfn dl dt em fieldset i kbd mark rb rp rt rtc ruby s samp small strike ' +
  'strong sub sup tt u var'

/** Elements allowed in comments, with their attributes. */
const COMMENT_ELEMENTS: Readonly<Record<string, string>> = {
  a: 'href title',
  abbr: 'title',
  acronym: 'title',
  b: '',
  blockquote: 'cite',
  cite: '',
  code: '',
  del: 'datetime',
  em: '',
  i: '',
  q: 'cite',
  s: '',
  strike: '',
  strong: '',
}

const words = (text: string) => text.split(' ').filter((word) => word !== '')
const attributes = (names: string): AllowedAttributes => Object.fromEntries(words(names).map((name) => [name, true]))

const COMMENT: AllowedHtml = Object.fromEntries(
  Object.entries(COMMENT_ELEMENTS).map(([element, names]) => [element, attributes(names)]),
)

/**
 * Returns the allow-list of each context before plugins change it, as WordPress documents it for posts and comments.
 * @param isDocument whether `<object>` can show this URL
 */
export function defaultAllowed(isDocument: (url: string) => boolean): Readonly<Record<HtmlContext, AllowedHtml>> {
  const names: Record<string, string> = { ...POST_ELEMENTS }
  for (const element of words(ALIGNED)) names[element] = 'align'
  for (const element of words(PLAIN)) names[element] = ''
  const post = Object.fromEntries(
    Object.entries(names).map(([element, names]) => [element, attributes(`${names} ${EVERYWHERE}`)]),
  )
  return {
    post: {
      ...post,
      object: {
        ...attributes(EVERYWHERE),
        data: { required: true, check: isDocument },
        type: { required: true, values: ['application/pdf'] },
      },
    },
    comment: COMMENT,
    user_description: { ...COMMENT, a: { ...COMMENT['a'], rel: true } },
    strip: {},
  }
}

/** Schemes allowed in URLs of attributes and styles. URLs without a scheme are relative and always allowed. */
export const PROTOCOLS: readonly string[] = words(
  'http https ftp ftps mailto news irc irc6 ircs gopher nntp feed telnet mms rtsp sms svn tel fax xmpp webcal urn',
)

/** Properties allowed in `style` attributes, in addition to custom properties (`--name`). */
export const STYLE_PROPERTIES: readonly string[] = words(
  'background background-attachment background-blend-mode background-color background-image background-position ' +
    'background-repeat background-size border border-bottom border-bottom-color border-bottom-left-radius ' +
    'border-bottom-right-radius border-bottom-style border-bottom-width border-collapse border-color border-left ' +
    'border-left-color border-left-style border-left-width border-radius border-right border-right-color ' +
    'border-right-style border-right-width border-spacing border-style border-top border-top-color ' +
    'border-top-left-radius border-top-right-radius border-top-style border-top-width border-width align-content ' +
    'align-items align-self caption-side clear color column-count column-fill column-gap column-rule column-span ' +
    'column-width columns cursor direction filter flex flex-basis flex-direction flex-flow flex-grow flex-shrink ' +
    'flex-wrap float font font-family font-size font-style font-variant font-weight gap grid-auto-columns ' +
    'grid-auto-rows grid-column-end grid-column-gap grid-column-start grid-gap grid-row-end grid-row-gap ' +
    'grid-row-start grid-template-columns grid-template-rows height justify-content justify-items justify-self ' +
    'letter-spacing line-height list-style-type margin margin-block-end margin-block-start margin-bottom ' +
    'margin-inline-end margin-inline-start margin-left margin-right margin-top max-height max-width min-height ' +
    'min-width object-fit object-position overflow padding padding-block-end padding-block-start padding-bottom ' +
    'padding-inline-end padding-inline-start padding-left padding-right padding-top row-gap text-align ' +
    'text-decoration text-indent text-transform vertical-align width',
)

import type { Random } from '../helpers/random.ts'

/** Ids of what texts may name. */
export interface Named {
  image: number
  block: number
  /** Where the file of the image is. */
  url: string
}

const list = (text: string) => text.split(' ¦ ')

const QUOTES = list(
  '" ¦ \' ¦ ` ¦ &quot; ¦ &#34; ¦ &#34 ¦ &#x22; ¦ &apos; ¦ &#039; ¦ &#39 ¦ &#8220; ¦ &#8221; ¦ &#8243; ¦ &#8216; ¦ ' +
    '&#8217; ¦ &rdquo; ¦ ” ¦ “ ¦ ’ ¦ \'\' ¦ `` ¦ &amp;quot; ¦ &amp;#8221; ¦ \\" ¦ \\u0022 ¦ &QUOT ¦ \u201d" ¦ ″',
)
const BRACKETS = list('[ ¦ ] ¦ [[ ¦ ]] ¦ [/ ¦ /] ¦ &#91; ¦ &#93; ¦ &lsqb; ¦ &lbrack;')
const ANGLES = list(
  '< ¦ > ¦ </ ¦ /> ¦ <!-- ¦ --> ¦ --!> ¦ <!--> ¦ <!---> ¦ <!--- ¦ <!- ¦ <![CDATA[ ¦ ]]> ¦ <? ¦ ?> ¦ <!doctype x ¦ &lt; ¦ ' +
    '&gt; ¦ &lt ¦ &gt ¦ &amp;lt; ¦ &#60; ¦ &#x3c ¦ <\0 ¦ <\u00a0 ¦ ＜ ¦ \\u003c ¦ \\u003e ¦ <% ¦ </% ¦ <x:y> ¦ <a<b> ¦ <!x> ¦ </ >',
)
const SPACES = list(
  ' ¦ \t ¦ \n ¦ \n\n ¦ \r ¦ \f ¦ \v ¦ \0 ¦ \u0001 ¦ \u00a0 ¦ \u200b ¦ \u2028 ¦ \ufeff ¦ / ¦ \\ ¦ &nbsp; ¦ &Tab; ¦ &NewLine;',
)
const SCRIPT = list(
  'javascript:alert(1) ¦ JaVaScRiPt:alert(1) ¦ java\tscript:alert(1) ¦ java&Tab;script:alert(1) ¦ javascript&colon;alert(1) ¦ ' +
    'javascript&colon alert(1) ¦ javascript&#58;alert(1) ¦ javascript&#0000058alert(1) ¦ javascript&#x3a;alert(1) ¦ ' +
    '&#106;avascript:alert(1) ¦ \u0001javascript:alert(1) ¦ &#1;javascript:alert(1) ¦ java\0script:alert(1) ¦ vbscript:x ¦ ' +
    'data:text/html,<script>alert(1)</script> ¦ data:text/html;base64,PHNjcmlwdD4= ¦ data:image/svg+xml,<svg/onload=alert(1)> ¦ ' +
    'java&NewLine;script:alert(1) ¦ javascript&amp;colon;alert(1) ¦ //x.test/javascript:a ¦ http://x.test/a.mp4?" onerror=alert(1) ¦ ' +
    'blob:x ¦ \u00a0javascript:alert(1) ¦ java\u00adscript:a ¦ feed:javascript:alert(1) ¦ /a.mp3 ¦ /a.png ¦ #x ¦ http://x.test/a.mp4',
)
const ATTRIBUTES = list(
  'onerror ¦ onclick ¦ ONLOAD ¦ onmouseover ¦ onfocus ¦ ontoggle ¦ on ¦ style ¦ href ¦ src ¦ srcdoc ¦ srcset ¦ formaction ¦ ' +
    'action ¦ alt ¦ title ¦ class ¦ id ¦ name ¦ rel ¦ target ¦ data-wp-bind--src ¦ data-wp-on--click ¦ data-x-bind ¦ data-id ¦ ' +
    'data-svc-x ¦ width ¦ height ¦ poster ¦ data ¦ type ¦ cite ¦ xlink:href ¦ xmlns ¦ background ¦ ping ¦ is ¦ loading ¦ ' +
    'decoding ¦ aria-label ¦ hidden ¦ popovertarget ¦ autofocus ¦ contenteditable ¦ http-equiv ¦ content ¦ sizes',
)
const VALUES = list(
  'alert(1) ¦ x ¦ 1 ¦ 100 ¦ a b ¦ wp-image-IMAGE ¦ wp-block-group ¦ position:fixed;top:0 ¦ color:red ¦ width:expression(alert(1)) ¦ ' +
    'background:url(javascript:alert(1)) ¦ background:url("data:text/html,x") ¦ color:red;behavior:url(x) ¦ -moz-binding:url(x) ¦ ' +
    'co\\6cor:red ¦ color:/**/red ¦ --x:url(javascript:a) ¦ ----><x ¦ :) ¦  :) ¦ "quoted" ¦ 2x3 ¦ it\'s ¦ a--b ¦ ... ¦ ' +
    'http://x.test/ ¦ www.x.test ¦ a@b.test ¦ class="x" ¦ &#8221; onerror=alert(1) ¦ \u201d onerror=alert(1) ¦ ]>',
)
const ELEMENTS = list(
  'a ¦ b ¦ p ¦ img ¦ div ¦ span ¦ pre ¦ code ¦ textarea ¦ table ¦ td ¦ tr ¦ caption ¦ figure ¦ figcaption ¦ button ¦ ' +
    'video ¦ audio ¦ object ¦ li ¦ ul ¦ br ¦ details ¦ q ¦ blockquote ¦ map ¦ area ¦ h2 ¦ svg ¦ math ¦ style ¦ script ¦ noscript ¦ template ¦ ' +
    'select ¦ option ¦ title ¦ xmp ¦ plaintext ¦ iframe ¦ noembed ¦ noframes ¦ frameset ¦ form ¦ input ¦ embed ¦ base ¦ meta ¦ ' +
    'link ¦ foreignObject ¦ annotation-xml ¦ mtext ¦ mglyph ¦ desc ¦ image ¦ animate ¦ set ¦ use ¦ isindex ¦ keygen ¦ listing ¦ ' +
    'marquee ¦ dialog ¦ slot ¦ portal ¦ body ¦ html ¦ head ¦ col ¦ track ¦ source ¦ font ¦ rtc ¦ nobr ¦ summary ¦ center',
)
const SHORTCODES = list('caption ¦ gallery ¦ audio ¦ video ¦ caption ¦ wp_caption ¦ embed ¦ playlist ¦ x')
const SHORTCODE_ATTRIBUTES = list(
  'caption ¦ width ¦ id ¦ class ¦ align ¦ caption_id ¦ src ¦ mp3 ¦ mp4 ¦ poster ¦ preload ¦ loop ¦ ids ¦ columns ¦ size ¦ link ¦ ' +
    'orderby ¦ include ¦ height ¦ style ¦ onerror ¦ ogv ¦ exclude ¦ order',
)
const BLOCKS = list(
  'paragraph ¦ group ¦ columns ¦ column ¦ image ¦ gallery ¦ html ¦ shortcode ¦ block ¦ buttons ¦ social-links ¦ quote ¦ list ¦ ' +
    'x/y ¦ freeform ¦ table ¦ video ¦ core/group',
)
/** Elements and attributes that every filter lets through. */
const PLAIN_ELEMENTS = list(
  'p ¦ b ¦ a ¦ div ¦ span ¦ textarea ¦ pre ¦ code ¦ td ¦ figure ¦ q ¦ h2 ¦ li ¦ details ¦ button',
)
const PLAIN_ATTRIBUTES = list('title ¦ class ¦ id ¦ href ¦ alt ¦ data-a ¦ aria-label ¦ style ¦ lang')
/** What shortcodes are made of: none of it is anything to a filter of HTML. */
const OVERLAYS = list(
  '[caption width=1 caption=\' ¦ [caption width=1 caption=" ¦ [caption width="1"] ¦ [/caption] ¦ [[caption width=1 ¦ [gallery ids="IMAGE" x=\' ¦ ' +
    '[audio src="/a.mp3" class=\' ¦ [video mp4=/a.mp4 poster="// ¦ \'] ¦ "] ¦ ] ¦ ]] ¦ /] ¦ [ ¦ \' ¦ " ¦  x=\' ¦  caption=" ¦ &#8221; ¦ &#8217; ¦ ” ¦ ’ ¦ ″ ¦ ' +
    '\u00a0 ¦ :) ¦ -- ¦ ... ¦ \n\n ¦ \n ¦ http://x.test/a ¦ 9" ¦  onerror=alert(1) ¦  src=x ¦ -> ¦ = ¦ &',
)
const TYPED = list(
  ':) ¦  :) ¦ ;-) ¦ 8O ¦ :??? ¦ -- ¦ --- ¦ ... ¦ (tm) ¦ 2x3 ¦ \'tis ¦ " ¦ \'80s ¦ & ¦ &x; ¦ http://x.test/" onmouseover=alert(1) ¦ ' +
    "http://x.test/<b> ¦ http://x.test/&quot;onclick=alert(1) ¦ www.x.test/'onclick=alert(1) ¦ a@b.test ¦ \nhttp://x.test/\n ¦ " +
    '<!--more--> ¦ <!--nextpage--> ¦ <!--more " onload=x--> ¦ <br> ¦ <br/> ¦ <br / ¦ <p> ¦ </p> ¦ <div> ¦ </div> ¦ alert(1)',
)
/** What has broken filters before, here or elsewhere. */
const KNOWN_BYPASSES = list(
  '[caption width="1" caption=\'<img alt="\'] ">…<img src=x onerror=alert(1)>[/caption] ¦ ' +
    '[caption width="1" caption=\'<img alt="&#8221; onerror=alert(1) src=x ">\']<img src="x">[/caption] ¦ ' +
    '<a href="[caption width=1 caption=\'"onmouseover=alert(1) \']">x</a> ¦ <img alt="[audio src=/a.mp3]"> ¦ ' +
    '[caption width=1 caption="<a title=\']"] onclick=alert(1) \'>[/caption] ¦ [[caption width=1]<img alt="]">[/caption]] ¦ ' +
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;"> ¦ ' +
    '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>"> ¦ <noscript><p title="</noscript><img src=x onerror=alert(1)>"> ¦ ' +
    '<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)> ¦ ' +
    '<textarea></textarea><img src=x onerror=alert(1)> ¦ <textarea>[gallery x=\'</textarea>\']<p title="</textarea><img src=x onerror=alert(1)>">k</p> ¦ ' +
    '<p title="</title><img src=x onerror=alert(1)>"> ¦ <!--><img src=x onerror=alert(1)>--> ¦ <!-- --!><img src=x onerror=alert(1)> --> ¦ ' +
    '<!-- wp:group {"a":"\\u003cimg src=x onerror=alert(1)\\u003e"} --><div class="x">k</div><!-- /wp:group --> ¦ ' +
    '<!-- wp:group --><div title=\' class="\' id="onload=alert(1)">k</div><!-- /wp:group --> ¦ ' +
    '<!-- wp:image {"align":"left"} --><figure class="wp-block-image alignleft"><img src="x" alt="</figure><img src=x onerror=alert(1)>"></figure><!-- /wp:image --> ¦ ' +
    '<!-- wp:shortcode -->[caption width=1 caption="a"]<img src=x>[/caption]<!-- /wp:shortcode --> ¦ ' +
    '<img class="wp-image-IMAGE" src="x" alt="a > b \' onerror=alert(1) ¦ <a href="x" title="a"title="b" onclick = alert(1)>k</a> ¦ ' +
    '<img src=`x`onerror=alert(1)> ¦ <img src="x"/onerror="alert(1)"> ¦ <a\thref\n=\r"javascript:alert(1)">k ¦ ' +
    '<style>@import "javascript:alert(1)";</style> ¦ <table><td background=javascript:alert(1)>k ¦ <p style="color:red\\;position:fixed">k ¦ ' +
    '<!-- wp:block {"ref":BLOCK} /--> ¦ [gallery ids="IMAGE" link="javascript:alert(1)" size="\'><img src=x onerror=alert(1)>"] ¦ ' +
    '[video mp4="http://x.test/a.mp4&quot; onerror=alert(1)" poster="//x.test/\' onerror=alert(1)" class="a\' onclick=alert(1)"] ¦ ' +
    '<a title="[caption caption=" href="\' onmouseover=alert(1) ]x">k</a> ¦ [audio "<a href=\'" src=/a.mp3 \' onclick=alert(1)>"] ¦ ' +
    '<pre><script>alert(1)</pre></script> ¦ <a title=" rel=" href="http://x.test/ onmouseover=alert(1) ">k</a> ¦ ' +
    '<code>[caption width=1 caption="</code><b title=\'"]\'>[/caption] ¦ <select><template><style></select><img src=x onerror=alert(1)>',
)

/** Texts that mix markup, shortcodes, blocks, entities and halves of them, of which nothing may run. */
export class HostileTexts {
  readonly #random: Random
  readonly #named: Named

  constructor(random: Random, named: Named) {
    this.#random = random
    this.#named = named
  }

  next(): string {
    const kind = this.#random()
    const text =
      kind < 0.2
        ? this.#soup(2 + this.#below(16))
        : kind < 0.4
          ? this.#many(1 + this.#below(4), () => this.#part(3))
          : kind < 0.55
            ? this.#broken(this.#of(KNOWN_BYPASSES))
            : kind < 0.7
              ? this.#broken(this.#many(1 + this.#below(3), () => this.#part(3)))
              : this.#overlaid(this.#many(1 + this.#below(3), () => this.#harmless(3)))
    const { url, block, image } = this.#named
    return text.replaceAll('IMAGE', String(image)).replaceAll('BLOCK', String(block)).replaceAll('ADDRESS', url)
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }

  #of<T>(choices: readonly T[]): T {
    return choices[this.#below(choices.length)]!
  }

  #many(count: number, make: () => string): string {
    return Array.from({ length: count }, make).join('')
  }

  /** Pieces in no order. */
  #soup(count: number): string {
    const pools = [QUOTES, QUOTES, BRACKETS, ANGLES, SPACES, SCRIPT, VALUES, TYPED]
    return this.#many(count, () => {
      const kind = this.#random()
      if (kind < 0.12) return `<${this.#of(ELEMENTS)} `
      if (kind < 0.17) return `</${this.#of(ELEMENTS)}>`
      if (kind < 0.32) return ` ${this.#of(ATTRIBUTES)}=`
      if (kind < 0.42) return `[${this.#of(SHORTCODES)} `
      if (kind < 0.46) return `[/${this.#of(SHORTCODES)}]`
      if (kind < 0.56) return ` ${this.#of(SHORTCODE_ATTRIBUTES)}=`
      if (kind < 0.6) return this.#mark()
      return this.#of(this.#of(pools))
    })
  }

  /** Something that is nearly well-formed, with the same inside; now and then something else in its place. */
  #part(depth: number): string {
    const kind = this.#random()
    if (depth === 0 || kind < 0.12) return this.#of(this.#of([TYPED, VALUES, QUOTES, ANGLES, SCRIPT]))
    if (kind < 0.5) return this.#element(depth)
    if (kind < 0.8) return this.#shortcode(depth)
    if (kind < 0.95) return this.#block(depth)
    return this.#of(KNOWN_BYPASSES)
  }

  #element(depth: number): string {
    const name = this.#of(ELEMENTS)
    const attributes = this.#many(this.#below(4), () => this.#attribute(ATTRIBUTES, depth))
    const end = this.#of(['>', '>', '>', '>', '/>', ' />', '', '\n>', '<'])
    const inside = this.#random() < 0.7 ? this.#part(depth - 1) : ''
    return `<${name}${attributes}${end}${inside}${this.#random() < 0.8 ? `</${name}>` : ''}`
  }

  #shortcode(depth: number): string {
    const name = this.#of(SHORTCODES)
    const width = this.#random() < 0.6 ? ' width="9"' : ''
    const attributes = this.#many(this.#below(4), () => this.#attribute(SHORTCODE_ATTRIBUTES, depth))
    const begin = `[${name}${width}${attributes}${this.#of([']', ']', ']', ']', '/]', '', ']]'])}`
    if (this.#random() < 0.4) return begin
    const image = this.#random() < 0.5 ? `<img src="/a.png"${this.#attribute(ATTRIBUTES, depth)}>` : ''
    return `${begin}${image}${this.#part(depth - 1)}${this.#random() < 0.8 ? `[/${name}]` : ''}`
  }

  #block(depth: number): string {
    const end = this.#random() < 0.8 ? `<!-- /wp:${this.#of(BLOCKS)} -->` : ''
    return `${this.#mark()}${this.#random() < 0.5 ? '<div class="wp-block-group">' : ''}${this.#part(depth - 1)}${end}`
  }

  #mark(): string {
    const name = this.#of(BLOCKS)
    const json = this.#of([
      '',
      '{"ref":BLOCK} ',
      '{"id":IMAGE} ',
      '{"align":"left"} ',
      `{"className":${JSON.stringify(this.#of(VALUES))}} `,
      `{"a":${JSON.stringify(this.#of(this.#of([SCRIPT, KNOWN_BYPASSES, ANGLES])))}} `,
      '{"layout":{"type":"flex","justifyContent":"left","flexWrap":"nowrap"}} ',
      `{"layout":{"type":${JSON.stringify(this.#of(QUOTES))},"orientation":"vertical"}} `,
      `{"${this.#of(ANGLES)}":1} `,
    ])
    return `<!-- ${this.#of(['', '', '', '/'])}wp:${name} ${json}${this.#of(['', '', '/'])}-->`
  }

  #attribute(names: readonly string[], depth: number): string {
    const quote = this.#of(['"', '"', "'", "'", '', '&#8221;', '`', '&quot;'])
    const kind = this.#random()
    const value =
      kind < 0.25
        ? this.#of(SCRIPT)
        : kind < 0.5
          ? this.#of(VALUES)
          : kind < 0.75
            ? this.#part(depth - 1)
            : this.#soup(1 + this.#below(4))
    const end = this.#random() < 0.92 ? quote : this.#of(QUOTES)
    return `${this.#of([' ', ' ', ' ', '/', '\n', '\t', ''])}${this.#of(names)}${this.#of(['=', '=', '=', ' = ', ''])}${quote}${value}${end}`
  }

  /** Markup that may stay as it is. */
  #harmless(depth: number): string {
    if (depth === 0 || this.#random() < 0.2) return this.#of(['k', 'k k', this.#of(TYPED), this.#of(OVERLAYS)])
    if (this.#random() < 0.2) return `<img class="wp-image-IMAGE" src="ADDRESS"${this.#harmlessAttribute()} />`
    const name = this.#of(PLAIN_ELEMENTS)
    const attributes = this.#many(this.#below(3), () => this.#harmlessAttribute())
    const inside = this.#many(1 + this.#below(2), () => this.#harmless(depth - 1))
    const html = `<${name}${attributes}>${inside}</${name}>`
    return this.#random() < 0.15 ? `${this.#mark()}${html}<!-- /wp:group -->` : html
  }

  #harmlessAttribute(): string {
    const quote = this.#of(['"', "'"])
    const value = this.#many(1 + this.#below(3), () => this.#of(this.#of([OVERLAYS, VALUES, TYPED])))
    return ` ${this.#of(PLAIN_ATTRIBUTES)}=${quote}${value.replaceAll(quote, '')}${quote}`
  }

  /** A text with what shortcodes are made of put in anywhere, which no filter of HTML sees. */
  #overlaid(text: string): string {
    let overlaid = text
    for (let time = this.#below(6); time > 0; time -= 1) {
      const at = this.#below(overlaid.length + 1)
      overlaid = overlaid.slice(0, at) + this.#of(OVERLAYS) + overlaid.slice(at)
    }
    return overlaid
  }

  /** A text with some of it taken out, doubled, or replaced. */
  #broken(text: string): string {
    let broken = text
    for (let time = this.#below(4); time > 0; time -= 1) {
      const at = this.#below(broken.length + 1)
      const length = 1 + this.#below(6)
      const kind = this.#random()
      const piece =
        kind < 0.25
          ? ''
          : kind < 0.4
            ? broken.slice(at, at + length * 2)
            : this.#of(this.#of([QUOTES, BRACKETS, ANGLES, SPACES]))
      const after = kind < 0.7 && kind >= 0.4 ? at : at + length
      broken = broken.slice(0, at) + piece + (kind >= 0.25 && kind < 0.4 ? broken.slice(at) : broken.slice(after))
    }
    return broken
  }
}

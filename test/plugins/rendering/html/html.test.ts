import fc from 'fast-check'
import { Parser } from 'htmlparser2'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../kernel/index.ts'
import {
  defaultAllowed,
  PROTOCOLS,
  STYLE_PROPERTIES,
  type HtmlContext,
} from '../../../../plugins/rendering/html/allowed.ts'
import { filterHtml } from '../../../../plugins/rendering/html/filter.ts'
import { growsLinearly } from '../../../helpers/growth.ts'
import { serve } from '../../../helpers/site.ts'
import { removePlugin } from '../../../helpers/remove-plugin.ts'

const HOME = 'https://site.test'
const allowed = defaultAllowed((url) => url.startsWith(`${HOME}/`))

const filter = (html: string, context: HtmlContext = 'post') =>
  filterHtml(html, {
    elements: allowed[context],
    protocols: PROTOCOLS,
    properties: new Set(STYLE_PROPERTIES),
    mark: context === 'post' ? 'wp' : null,
    directives: new Set(['wp', 'svc']),
  })

/** Checks the filtered form of each text, and that filtering is idempotent. */
const becomes = (pairs: readonly (readonly [html: string, filtered: string])[], context: HtmlContext = 'post') => {
  for (const [html, filtered] of pairs) {
    assert.is(filter(html, context), filtered, html)
    assert.is(filter(filtered, context), filtered, html)
  }
}
/** Checks that filtering does not change these texts. */
const stay = (...texts: readonly string[]) => becomes(texts.map((text) => [text, text] as const))

const html = suite('HTML filter')

html('keeps harmless markup unchanged', () => {
  stay(
    '<p class="has-text-align-center" id="x">Hello <b>you</b> &amp; <a href="/about?a=1&amp;b=2#c">me</a></p>',
    '<ul><li>One<li>Two</ul>',
    '<figure class="image" style="width:20%"><img src="https://x.test/a.png" alt="" width="3" /></figure>',
    '<table><tr><td colspan="2">1</td></tr></table>',
    '<video controls src="/a.mp4"></video>',
    '<a href="mailto:a@b.test">a</a><a href="tel:+123">b</a><a href="//x.test/">c</a>',
    '<textarea rows="2">&lt;b&gt;</textarea>',
    'Tea &nbsp;&#8230; &hellip; &mdash;',
  )
})

html('removes elements and keeps their content', () => {
  becomes([
    ['<b>T</b><script>x</script>', '<b>T</b>x'],
    ['<p onclick="a()">k</p><script>alert(1)</script><iframe src="https://e.test"></iframe>', '<p>k</p>alert(1)'],
    ['<STYLE>p{color:red}</STYLE>', 'p{color:red}'],
    ['<svg onload=a()><script>alert(1)</script></svg>', 'alert(1)'],
    ['<math><mi xlink:href="javascript:a()">x</mi></math>', 'x'],
    ['<form action="/x"><input name="a"><select><option>1</select></form>', '1'],
    ['<script>a && b < c</script>', 'a &amp;&amp; b &lt; c'],
    ['<title><b>x</b></title>', '&lt;b&gt;x&lt;/b&gt;'],
    ['<?php echo 1 ?>x<!doctype html>y<![CDATA[z]]>', 'xy'],
    ['<scr<script>ipt>a</script>', 'ipt&gt;a'],
    ['<scr\0ipt>a</scr\0ipt>', 'a'],
  ])
})

html('escapes text that looks like markup', () => {
  becomes([
    ['1 < 2 > 0 & AT&T &x;', '1 &lt; 2 &gt; 0 &amp; AT&amp;T &amp;x;'],
    ['&nonsense; &notit; &fjlig; &AMP; &#8;', '&amp;nonsense; &amp;notit; &fjlig; &AMP; &#8;'],
    ['I <3 you', 'I &lt;3 you'],
    ['&lt;script&gt;', '&lt;script&gt;'],
    ['&l<i></i>t;b>', '&amp;l<i></i>t;b&gt;'],
  ])
})

html('removes attributes that could run scripts', () => {
  becomes([
    ['<p ONCLICK=a() onmouseover=\'b()\' title="x">k</p>', '<p title="x">k</p>'],
    ['<p/onclick="a()"/class="x">k</p>', '<p class="x">k</p>'],
    ['<img src=x onerror=a()>', '<img src="x">'],
    ['<a href="/x" srcdoc="y" formaction="z" ping="q">k</a>', '<a href="/x">k</a>'],
    ["<p title='\"><script>a</script>'>k</p>", '<p title="&quot;&gt;&lt;script&gt;a&lt;/script&gt;">k</p>'],
    ['<p title="a" title="b">k</p>', '<p title="a">k</p>'],
    ['<p __proto__="x" constructor="y" toString>k</p>', '<p>k</p>'],
    ['<constructor>k</constructor><__proto__>', 'k&lt;__proto__&gt;'],
  ])
})

html('removes data attributes that are directives for scripts of the page', () => {
  becomes([
    [
      '<div data-wp-bind--src="x" data-svc-on--click="y" data-x-bind="z" data-a--b="1" DATA-Wp-Interactive=n></div>',
      '<div></div>',
    ],
    [
      '<div data-id="1" data-full-width aria-label="x">k</div>',
      '<div data-id="1" data-full-width aria-label="x">k</div>',
    ],
  ])
})

html('removes URLs with other schemes in any spelling', () => {
  for (const url of [
    'javascript:a()',
    'JaVaScRiPt:a()',
    ' \n\t javascript:a()',
    'java\tscript:a()',
    'java&#10;script:a()',
    'java&#x0A;script&#58;a()',
    '&#106;&#97;vascript&colon;a()',
    'javascript&amp;colon;a()',
    'javascript&amp;#58;a()',
    '\u0001javascript:a()',
    '&#1;javascript:a()',
    'java\u200bscript:a()',
    'vbscript:a()',
    'data:text/html,<script>a()</script>',
    'view-source:javascript:a()',
    'blob:https://x.test/1',
    'x:y',
    ':a',
  ]) {
    assert.is(filter(`<a href="${url}">k</a>`), '<a>k</a>', url)
    assert.is(filter(`<img src='${url}'>`), '<img>', url)
    assert.is(filter(`<q cite=${url.replace(/[\s>]/g, '')}>k</q>`, 'comment'), '<q>k</q>', url)
  }
  becomes([
    ['<a href="HTTPS://X.test/?a:b">k</a>', '<a href="HTTPS://X.test/?a:b">k</a>'],
    [
      '<a href="/a:b">k</a><a href="#a:b">k</a><a href="?a:b">k</a>',
      '<a href="/a:b">k</a><a href="#a:b">k</a><a href="?a:b">k</a>',
    ],
  ])
})

html('keeps the safe declarations of a style', () => {
  const style = (text: string) => /style="(.*)"/.exec(filter(`<p style="${text}">k</p>`))?.[1] ?? ''
  const safe = [
    'color:red',
    'margin: 0 auto !important',
    'color:#fff;background-color: rgb(1, 2, 3)',
    'width:calc(100% - (2 * var(--gap)))',
    "background:url('/a;b.png') no-repeat",
    'background-image:url(https://x.test/a.png)',
    'background:linear-gradient(135deg,rgb(6,147,227) 0%,#9b51e0 100%)',
    "font-family:'Open Sans',serif",
    '--gap:2px',
  ]
  for (const text of safe) assert.is(style(text), text)
  const unsafe = [
    'behavior:url(/x.htc)',
    '-moz-binding:url(/x)',
    'position:fixed',
    'color:expression(a())',
    'width:expression',
    'color:e\\78pression(a())',
    'color:ex/**/pression(a())',
    'background:url(javascript:a())',
    'background:url( &quot;javascript:a()&quot; )',
    "background:url('java\nscript:a()')",
    'background:url(data:image/svg+xml,x)',
    'background:url(x',
    'background:url(var(--x))',
    'color:url(/x.png)',
    '--x:url(/x.png)',
    'color:red}p{color:blue',
    'color:"x',
    'color:@import',
    'color:',
    'color',
  ]
  for (const text of unsafe) assert.is(style(text), '', text)
  assert.is(style('COLOR:Red; position:fixed ;;width : 1px;'), 'COLOR:Red;width : 1px')
})

html('closes open elements and removes stray end tags', () => {
  becomes([
    ['</div></p>x<div><b>y', 'x<div><b>y</b></div>'],
    ['<div><em>x</div>y</em>', '<div><em>x</em></div>y'],
    ['<div><p>x<p>y</div>', '<div><p>x<p>y</div>'],
    ['<textarea>a', '<textarea>a</textarea>'],
    ['<div/>x', '<div>x</div>'],
    ['a<img src="x" onerror="a()', 'a&lt;img src="x" onerror="a()'],
    ['a</b', 'a&lt;/b'],
    ['a<!-- b', 'a'],
  ])
})

html('allows only PDF documents of the site in object elements', () => {
  const object = (data: string, type: string) => `<object data="${data}" type="${type}"></object>`
  stay(object(`${HOME}/uploads/a.pdf`, 'application/pdf'))
  becomes([
    [object('https://other.test/a.pdf', 'application/pdf'), ''],
    [object(`${HOME}/uploads/a.pdf`, 'text/html'), ''],
    [`<object data="${HOME}/a.pdf"></object>`, ''],
  ])
})

html('keeps block comments and other comments', () => {
  stay(
    '<!-- wp:paragraph -->\n<p>x</p>\n<!-- /wp:paragraph -->',
    '<!-- wp:my-plugin/hello-world {"a":[1,{"b":"c \\u003cb\\u003ed\\u003c/b\\u003e"}],"url":"https://x.test/?a=1&b=2"} /-->',
    '<p>a</p><!--more--><p>b</p><!--nextpage-->',
  )
  assert.is(filter('<!-- wp:x --><!--more-->a', 'comment'), 'a')
})

html('leaves the bytes of attributes of a block that it does not filter', () => {
  const block = (alt: string) =>
    String.raw`<!-- wp:x { "z":1.0,"url" : "https:\/\/x.test\/a", "e":1e3,"a":[ 1, {"alt": "${alt}" } ],"b":"\u002d\u002d \u00e9&","big":12345678901234567890,"z":2} /-->`
  const unsafe = String.raw`\u003cb onclick=\"a\"\u003ec\u003c\/b\u003e`
  assert.is(filter(block(unsafe)), block(String.raw`\u003cb\u003ec\u003c\/b\u003e`))
})

html('filters nested block attributes', () => {
  const marked = (attributes: unknown) =>
    `<!-- wp:x ${JSON.stringify(attributes).replaceAll('--', '\\u002d\\u002d')} -->`
  const attributesOf = (text: string) => JSON.parse(/^<!-- wp:x ([\s\S]*) -->$/.exec(text)![1]!) as unknown
  const attributes = {
    content: '<b onclick="a()">x</b><script>y</script>',
    url: ' java\tscript:a()',
    deep: [{ html: '<img src=x onerror=a()>', n: 1.5, no: null, yes: true }],
    '<svg onload=a()>k': 'v',
    inner: '<!-- wp:y {"c":"<iframe>"} --><p>z</p>',
  }
  const filtered = filter(marked(attributes))
  assert.equal(attributesOf(filtered), {
    content: '<b>x</b>y',
    url: '',
    deep: [{ html: '<img src="x">', n: 1.5, no: null, yes: true }],
    k: 'v',
    inner: '<!-- wp:y {"c":""} --><p>z</p>',
  })
  assert.not.match(filtered.slice(4, -3), /[<>]|--/)
  assert.is(filter(filtered), filtered)
})

html('removes comments that imitate other markup', () => {
  becomes([
    ['<!-- wp:x {"a":"-->"} --><img src=x onerror=a()>', '"} --&gt;<img src="x">'],
    ['<!-- wp:x {"a":1,} -->', ''],
    ['<!-- wp:x {"a":1}-->', ''],
    ['<!-- wp:x -- ><b -->', ''],
    ['<!--wp:x -->', ''],
    ['<!-- WP:x -->', ''],
    ['<!-- / wp:x -->', ''],
    ['<!-- wp:X -->', ''],
    ['<!-- wp:x --!>a', 'a'],
    ['<!--><img src=x onerror=a()>-->', '<img src="x">--&gt;'],
    ['<!---><img src=x onerror=a()>-->', '<img src="x">--&gt;'],
    ['<!--[if IE]><b>x</b><![endif]-->', ''],
    ['<!-- a -- b -->', ''],
    ['<!-- a --->', ''],
    ['<!-- wp:x {"a":"--\\u003e"} -->', '<!-- wp:x {"a":"\\u002d\\u002d\\u003e"} -->'],
    ['</ wp:x><? wp:x ?><! wp:x>', ''],
  ])
})

html('S24: treats names of built-in properties as plain names', () => {
  const filtered = filter(
    '<!-- wp:x {"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":"<i>"} -->',
  )
  assert.is(
    filtered,
    '<!-- wp:x {"constructor":{"prototype":{"polluted":1}},"toString":"\\u003ci\\u003e\\u003c/i\\u003e"} -->',
  )
  assert.is(({} as { polluted?: number }).polluted, undefined)
})

html('allows fewer elements in comments, and none in plain text', () => {
  const text = '<p class="x">a <b>b</b> <a href="/x" rel="me" title="t">c</a><img src="/y"></p><!-- wp:x -->'
  assert.is(filter(text, 'comment'), 'a <b>b</b> <a href="/x" title="t">c</a>')
  assert.is(filter(text, 'user_description'), 'a <b>b</b> <a href="/x" rel="me" title="t">c</a>')
  assert.is(filter(text, 'strip'), 'a b c')
})

/** Fragments that random attacks are composed of. */
const PARTS = [
  `< ¦ > ¦ </ ¦ /> ¦ " ¦ ' ¦ = ¦ & ¦ &lt; ¦ &#60; ¦ &colon; ¦ -- ¦ --> ¦ <!-- ¦ <! ¦ --!> ¦ <![CDATA[ ¦ ]]> ¦ <?`,
  '<b> ¦ </b> ¦ <p> ¦ <div ¦ </div> ¦ <a href= ¦ <img src= ¦ onerror=a() ¦ javascript: ¦ java\tscript: ¦ data:text/html,',
  '<script> ¦ </script> ¦ <style> ¦ </style> ¦ <svg> ¦ <math> ¦ <title> ¦ <textarea> ¦ </textarea> ¦ <iframe> ¦ <xmp>',
  '<plaintext> ¦ <template> ¦ <select> ¦ <table><tr> ¦ style=" ¦ color:red; ¦ background:url( ¦ expression( ¦ )',
  'data-wp-bind--src= ¦ data-x= ¦ srcdoc= ¦ K ¦ İ ¦ <!-- wp:p ¦ <!-- wp:p {"a":" ¦ "} --> ¦ } /--> ¦ { ¦ \\u003c ¦ \\" ¦ x',
].flatMap((line) => line.split(' ¦ '))
const parts = fc.oneof(
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 4 }) },
  { weight: 6, arbitrary: fc.constantFrom(...PARTS, ' ', '\n', '\0', '\ud800', 'é😀') },
)
const texts = fc.array(parts, { maxLength: 20 }).map((list) => list.join(''))
const contexts = fc.constantFrom<HtmlContext>('post', 'comment', 'user_description', 'strip')

html('S31: removes script URLs hidden by markup in block attributes', () => {
  const hidden = '<!-- wp:p {"a":"<select>javascript:alert(1)"} -->'
  assert.is(filter(hidden, 'post'), '<!-- wp:p {"a":""} -->')
})

html('S31: removes block comments whose name could end the comment in another parser', () => {
  for (const mark of ['<!-- /wp:gro--up -->', '<!-- wp:a--b {"x":1} /-->']) assert.is(filter(`k${mark}`, 'post'), 'k')
})

html('S31: is idempotent', () => {
  fc.assert(
    fc.property(texts, contexts, (text, context) => {
      const once = filter(text, context)
      return filter(once, context) === once
    }),
    { numRuns: 3000 },
  )
})

html('S31: leaves only allowed elements and attributes, as read by an HTML parser', () => {
  fc.assert(
    fc.property(texts, contexts, (text, context) => {
      const problems: string[] = []
      const parser = new Parser({
        onopentag(name, attributes) {
          const rules = Object.hasOwn(allowed[context], name) ? allowed[context][name]! : null
          if (rules === null) return void problems.push(name)
          for (const [attribute, value] of Object.entries(attributes)) {
            const isAllowed = Object.hasOwn(rules, attribute) || /^(?:data|aria)-(?!wp)/.test(attribute)
            if (!isAllowed || attribute.startsWith('on')) problems.push(attribute)
            if (/^(?:href|src|cite)$/.test(attribute) && /^\s*(?:java|data:)/i.test(value) && value.includes(':'))
              problems.push(value)
            if (attribute === 'style' && /javascript|expression/i.test(value)) problems.push(value)
          }
        },
        oncomment: (data) => void (/[<>]|--/.test(data) && problems.push(data)),
        onprocessinginstruction: (name) => void problems.push(name),
      })
      parser.end(filter(text, context))
      assert.equal(problems, [])
    }),
    { numRuns: 3000 },
  )
})

html('S31: preserves the meaning of plain text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      // oxlint-disable-next-line no-control-regex -- these are the characters
      const plain = text.toWellFormed().replace(/[\0-\x08\v\f\x0e-\x1f\x7f]+/g, '')
      const escaped = plain.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
      return filter(escaped) === escaped
    }),
  )
})

html('S29: runs in linear time for any text', async () => {
  const repeat =
    (unit: string, before = '', after = '') =>
    (size: number) =>
      before + unit.repeat(size / unit.length) + after
  const units =
    '< ¦ <b> ¦ </b> ¦ <!-- ¦ <!-- wp: ¦ <![CDATA[ ¦ </ ¦ <? ¦ & ¦ &# ¦ &#x ¦ &am ¦ <script> ¦ <textarea>& ¦ <a a=" ¦ ' +
    '<b a=b ¦ <div><p> ¦ <div></p> ¦ <a href=javascript&colon;'
  const texts = units.split(' ¦ ').map((unit) => repeat(unit))
  texts.push(
    (size) => repeat('<b>')(size / 2) + repeat('</x>')(size / 2),
    repeat(' ', '<!--', 'x-->'),
    repeat(' ', '<!-- wp:p ', 'x -->'),
    repeat('} ', '<!-- wp:p {', 'x -->'),
    repeat('[', '<!-- wp:p {"a":', '} -->'),
    (size) => repeat('{"a":', '<!-- wp:p ', `1${'}'.repeat(size / 5)} -->`)(size),
    repeat('(', '<p style="color:', '">'),
    repeat('a', '<p style="color:', '">'),
    repeat('url( ', '<p style="background:', '">'),
    repeat('color:red;', '<p style="', '">'),
    repeat('"', "<p style='color:", "'>"),
    repeat('j&amp;', '<a href="', '">'),
    repeat('a-', '<p data-', '=1>'),
    repeat('\\u003c', '<!-- wp:p {"a":"', '"} -->'),
  )
  for (const text of texts) {
    await growsLinearly(text(40), (size) => filter(text(size)))
  }
})

html('lets plugins extend and restrict the allow-lists', async () => {
  const more = definePlugin({
    name: 'more',
    needs: ['html'],
    apply({ hooks }) {
      hooks.allowed_html.tap('more', (elements, context) => {
        if (context !== 'post') return elements
        const { font: _, ...others } = elements
        return { ...others, dialog: { open: true, 'data-*': true, size: { values: ['big'] } } }
      })
      hooks.allowed_protocols.tap('more', (protocols) => [...protocols, 'geo'])
      hooks.safe_style_css.tap('more', (properties) => [...properties, 'position'])
    },
  })
  await using site = await serve({ add: [more] })
  const { html: service } = site.kernel.services
  assert.is(
    service.filter(
      '<dialog open data-x=1 size=BIG id=x><font><a href=geo:1,2 style=position:fixed>k</a></font></dialog>',
      'post',
    ),
    '<dialog open data-x="1" size="BIG"><a href="geo:1,2" style="position:fixed">k</a></dialog>',
  )
  assert.is(service.filter('<dialog>k</dialog>', 'comment'), 'k')
  await removePlugin(site.kernel, 'more')
  assert.is(service.filter('<dialog><font>k</font></dialog>', 'post'), '<font>k</font>')
})

html.run()

import { model, schema } from '../../../../helpers/editor-model.ts'

/** Returns classic content as blocks. */
export function converted(content: string): string {
  const blocks = model.readDocument(content, schema).children.flatMap((node) => model.convertClassic(node))
  return model.writeDocument(schema.node('doc', null, blocks))
}

const paragraph = (text: string) => `<!-- wp:paragraph -->\n<p>${text}</p>\n<!-- /wp:paragraph -->`
const html = (text: string) => `<!-- wp:html -->\n${text}\n<!-- /wp:html -->`

/** Classic content, and its blocks. */
export const CONVERSIONS: readonly [what: string, content: string, blocks: string][] = [
  [
    'paragraphs and line breaks',
    'One\ntwo &amp; <em>three</em>\n\n<p>Four</p>\n<p style="text-align: center">Five</p>',
    '<!-- wp:paragraph -->\n<p>One<br>two &amp; <em>three</em></p>\n<!-- /wp:paragraph -->\n\n' +
      '<!-- wp:paragraph -->\n<p>Four</p>\n<!-- /wp:paragraph -->\n\n' +
      '<!-- wp:paragraph {"align":"center"} -->\n<p class="has-text-align-center">Five</p>\n<!-- /wp:paragraph -->',
  ],
  [
    'headings and lists',
    '<h3>Title</h3>\n<ul>\n<li>a</li>\n<li>b</li>\n</ul>',
    '<!-- wp:heading {"level":3} -->\n<h3 class="wp-block-heading">Title</h3>\n<!-- /wp:heading -->\n\n' +
      '<!-- wp:list -->\n<ul class="wp-block-list"><!-- wp:list-item -->\n<li>a</li>\n<!-- /wp:list-item -->\n\n' +
      '<!-- wp:list-item -->\n<li>b</li>\n<!-- /wp:list-item --></ul>\n<!-- /wp:list -->',
  ],
  [
    'quotes and lines',
    '<blockquote>Said\n\nagain</blockquote>\n<hr />',
    '<!-- wp:quote -->\n<blockquote class="wp-block-quote"><!-- wp:paragraph -->\n<p>Said</p>\n<!-- /wp:paragraph -->\n\n' +
      '<!-- wp:paragraph -->\n<p>again</p>\n<!-- /wp:paragraph --></blockquote>\n<!-- /wp:quote -->\n\n' +
      '<!-- wp:separator -->\n<hr class="wp-block-separator has-alpha-channel-opacity"/>\n<!-- /wp:separator -->',
  ],
  [
    'images, shortcodes and the teaser',
    '<a href="/b.jpg"><img class="alignleft size-medium wp-image-7" src="/a.jpg" alt="A" /></a>\n\n[gallery ids="1,2"]\n<!--more-->',
    '<!-- wp:image {"id":7,"sizeSlug":"medium","linkDestination":"custom","align":"left"} -->\n' +
      '<figure class="wp-block-image alignleft size-medium"><a href="/b.jpg"><img src="/a.jpg" alt="A" class="wp-image-7"/></a></figure>\n' +
      '<!-- /wp:image -->\n\n<!-- wp:shortcode -->\n[gallery ids="1,2"]\n<!-- /wp:shortcode -->\n\n' +
      '<!-- wp:more -->\n<!--more-->\n<!-- /wp:more -->',
  ],
  [
    'what no other block contains, as HTML',
    '<div class="x">a</div>\n\nb <b>c\n\nd',
    `${html('<div class="x">a</div>')}\n\n${html('b <b>c')}\n\n${paragraph('d')}`,
  ],
  [
    'line breaks, as the site shows them',
    '<p>a\nb<br />\nc <em>d\ne</em></p>\n<ul>\n\t<li>f\ng</li>\n</ul>',
    `${paragraph('a<br>b<br>c <em>d<br>e</em>')}\n\n<!-- wp:list -->\n<ul class="wp-block-list"><!-- wp:list-item -->\n<li>f<br>g</li>\n<!-- /wp:list-item --></ul>\n<!-- /wp:list -->`,
  ],
  [
    'IDs, classes, alignments and colors of texts',
    '<h2 id="a">b</h2><h3 class="x" align="center">c</h3><p id="d" class="y" style="text-align: right; color: #f00">e</p>',
    '<!-- wp:heading -->\n<h2 class="wp-block-heading" id="a">b</h2>\n<!-- /wp:heading -->\n\n' +
      '<!-- wp:heading {"level":3,"className":"x","textAlign":"center"} -->\n<h3 class="wp-block-heading has-text-align-center x">c</h3>\n<!-- /wp:heading -->\n\n' +
      '<!-- wp:paragraph {"className":"y","align":"right","style":{"color":{"text":"#f00"}}} -->\n<p class="has-text-align-right has-text-color y" style="color:#f00" id="d">e</p>\n<!-- /wp:paragraph -->',
  ],
  [
    'texts with attributes that no block has, as HTML',
    '<p dir="rtl">a</p><h2 style="margin: 0">b</h2><p align="justify">c</p><ul><li value="2">d</li></ul>',
    ['<p dir="rtl">a</p>', '<h2 style="margin: 0">b</h2>', '<p align="justify">c</p>', '<ul><li value="2">d</li></ul>']
      .map(html)
      .join('\n\n'),
  ],
  [
    'numbered lists',
    '<ol start="4" reversed type="A" class="x">\n<li id="i">a\n<ul>\n<li>b</li>\n</ul>\n</li>\n</ol>',
    '<!-- wp:list {"className":"x","ordered":true,"start":4,"reversed":true,"type":"upper-alpha"} -->\n' +
      '<ol class="wp-block-list x" style="list-style-type:upper-alpha" start="4" reversed><!-- wp:list-item -->\n<li id="i">a<!-- wp:list -->\n<ul class="wp-block-list"><!-- wp:list-item -->\n<li>b</li>\n<!-- /wp:list-item --></ul>\n<!-- /wp:list --></li>\n<!-- /wp:list-item --></ol>\n<!-- /wp:list -->',
  ],
  [
    'citations of quotes',
    '<blockquote>a <cite>b <b>c</b></cite></blockquote>\n<blockquote><p>d</p>\n<p><cite>e</cite></p></blockquote>',
    ['a', 'd']
      .map(
        (text, index) =>
          `<!-- wp:quote -->\n<blockquote class="wp-block-quote">${paragraph(text)}<cite>${['b <b>c</b>', 'e'][index]}</cite></blockquote>\n<!-- /wp:quote -->`,
      )
      .join('\n\n')
      .replace('<p>a</p>', '<p>a </p>'),
  ],
  [
    'images with captions',
    '[caption id="attachment_5" align="alignright" width="300"]<a href="/b" target="_blank"><img class="size-medium wp-image-5" src="/a.jpg" alt="A" width="300" height="200" /></a> Some <em>text</em>[/caption]\n' +
      '<figure class="alignleft"><img src="/c.jpg" alt=""><figcaption>C</figcaption></figure>',
    '<!-- wp:image {"id":5,"width":"300px","height":"200px","sizeSlug":"medium","linkDestination":"custom","align":"right"} -->\n' +
      '<figure class="wp-block-image alignright size-medium is-resized"><a href="/b" target="_blank"><img src="/a.jpg" alt="A" class="wp-image-5" style="width:300px;height:200px"/></a><figcaption class="wp-element-caption">Some <em>text</em></figcaption></figure>\n<!-- /wp:image -->\n\n' +
      '<!-- wp:image {"align":"left"} -->\n<figure class="wp-block-image alignleft"><img src="/c.jpg" alt=""/><figcaption class="wp-element-caption">C</figcaption></figure>\n<!-- /wp:image -->',
  ],
  [
    'tables',
    '<table class="x alignleft"><caption>C</caption>\n<tr><th scope="row">a</th><td align="right" colspan="2">b\nc</td></tr></table>\n<table border="1"><tr><td>d</td></tr></table>',
    '<!-- wp:table {"align":"left","className":"x","hasFixedLayout":false} -->\n<figure class="wp-block-table alignleft x"><table><tbody><tr><th scope="row">a</th><td class="has-text-align-right" data-align="right" colspan="2">b<br>c</td></tr></tbody></table><figcaption class="wp-element-caption">C</figcaption></figure>\n<!-- /wp:table -->\n\n' +
      html('<table border="1"><tr><td>d</td></tr></table>'),
  ],
  [
    'embeds and shortcodes',
    '[embed]https://a.example/x[/embed]\n\nhttps://vimeo.com/1\n\n[gallery ids="1,2"]\n\n[embed width="3"]https://a.example/x[/embed]',
    '<!-- wp:embed {"url":"https://a.example/x"} -->\n<figure class="wp-block-embed"><div class="wp-block-embed__wrapper">\nhttps://a.example/x\n</div></figure>\n<!-- /wp:embed -->\n\n' +
      '<!-- wp:embed {"url":"https://vimeo.com/1","type":"video","providerNameSlug":"vimeo","responsive":true,"className":"wp-embed-aspect-16-9 wp-has-aspect-ratio"} -->\n<figure class="wp-block-embed is-type-video is-provider-vimeo wp-block-embed-vimeo wp-embed-aspect-16-9 wp-has-aspect-ratio"><div class="wp-block-embed__wrapper">\nhttps://vimeo.com/1\n</div></figure>\n<!-- /wp:embed -->\n\n' +
      '<!-- wp:shortcode -->\n[gallery ids="1,2"]\n<!-- /wp:shortcode -->\n\n' +
      '<!-- wp:shortcode -->\n[embed width="3"]https://a.example/x[/embed]\n<!-- /wp:shortcode -->',
  ],
  [
    'marks of the text',
    'a<!--more Go on--><!--noteaser-->\nb\n<!--nextpage-->\n<p><!--more--></p>\nc <!-- d --> e\n\n<!-- f -->',
    `${paragraph('a')}\n\n<!-- wp:more {"customText":"Go on","noTeaser":true} -->\n<!--more Go on-->\n<!--noteaser-->\n<!-- /wp:more -->\n\n${paragraph('b')}\n\n` +
      `<!-- wp:nextpage -->\n<!--nextpage-->\n<!-- /wp:nextpage -->\n\n<!-- wp:more -->\n<!--more-->\n<!-- /wp:more -->\n\n${paragraph('c <!-- d --> e')}\n\n${html('<!-- f -->')}`,
  ],
  [
    'code and frames',
    '<pre class="x">a\n\nb</pre>\n<pre><code>c</code></pre>\n<pre lang="js">d</pre>\n<iframe src="/e"></iframe>',
    '<!-- wp:preformatted {"className":"x"} -->\n<pre class="wp-block-preformatted x">a\n\nb</pre>\n<!-- /wp:preformatted -->\n\n' +
      '<!-- wp:code -->\n<pre class="wp-block-code"><code>c</code></pre>\n<!-- /wp:code -->\n\n' +
      `${html('<pre lang="js">d</pre>')}\n\n${html('<iframe src="/e"></iframe>')}`,
  ],
]

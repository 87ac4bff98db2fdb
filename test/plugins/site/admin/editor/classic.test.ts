import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fixtureContents, model, schema } from '../../../../helpers/editor-model.ts'

const classic = suite('classic content in the rich editor')

/** Returns classic content as blocks. */
function converted(content: string): string {
  const blocks = model.readDocument(content, schema).children.flatMap((node) => model.convertClassic(node))
  return model.writeDocument(schema.node('doc', null, blocks))
}

/** The characters of a content without its markup. */
function lettersOf(content: string): string {
  return content.replace(/<!--[^]*?-->|<[^>]*>|&#?\w+;|[^\p{L}\d]/gu, '')
}

const CONVERSIONS: readonly [what: string, content: string, blocks: string][] = [
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
    '<!-- wp:html -->\n<div class="x">a</div>\n<!-- /wp:html -->\n\n<!-- wp:html -->\nb <b>c\n\nd\n<!-- /wp:html -->',
  ],
]

for (const [what, content, blocks] of CONVERSIONS) {
  classic(`becomes blocks: ${what}`, () => {
    assert.is(converted(content), blocks)
  })
}

classic('becomes valid blocks with the same text in every content of the fixtures', () => {
  let count = 0
  for (const { content, place } of fixtureContents()) {
    if (content.includes('<!-- wp:') || content.trim() === '') continue
    count += 1
    const blocks = converted(content)
    const read = model.readDocument(blocks, schema)
    read.check()
    assert.is(model.writeDocument(read), blocks, place)
    assert.ok(
      read.children.every(({ type }) => !['classic', 'unknownBlock'].includes(type.name)),
      place,
    )
    assert.is(lettersOf(blocks), lettersOf(content), place)
  }
  assert.ok(count > 0)
})

classic.run()

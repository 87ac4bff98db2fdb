import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fixtureContents, model, schema } from '../../../../helpers/editor-model.ts'

const untouched = suite('untouched content in the rich editor')

/** Reads and writes a content without a change. */
function rewritten(content: string): string {
  return model.writeDocument(model.readDocument(content, schema))
}

untouched('keeps its bytes in every content of the fixtures', () => {
  for (const { place, content } of fixtureContents()) assert.is(rewritten(content), content, place)
})

untouched('makes a valid document of every content of the fixtures', () => {
  for (const { content } of fixtureContents()) model.readDocument(content, schema).check()
})

untouched('keeps its bytes when the document is copied as JSON', () => {
  for (const { place, content } of fixtureContents()) {
    const json = JSON.parse(JSON.stringify(model.readDocument(content, schema).toJSON())) as object
    assert.is(model.writeDocument(schema.nodeFromJSON(json)), content, place)
  }
})

const PARAGRAPH = '<!-- wp:paragraph -->\n<p>Text</p>\n<!-- /wp:paragraph -->'

const STRANGE: Readonly<Record<string, string>> = {
  nothing: '',
  spaces: ' \n\t\r\n ',
  'a byte order mark': `\uFEFF${PARAGRAPH}`,
  'carriage returns': PARAGRAPH.replaceAll('\n', '\r\n'),
  'NUL characters': `<!-- wp:paragraph -->\n<p>a\0b</p>\n<!-- /wp:paragraph -->\0`,
  'emoji and a lone surrogate': PARAGRAPH.replace('Text', '👩‍👩‍👧 \uD83D end'),
  'no line breaks':
    '<!-- wp:paragraph --><p>a</p><!-- /wp:paragraph --><!-- wp:paragraph --><p>b</p><!-- /wp:paragraph -->',
  'an unclosed block': `${PARAGRAPH}<!-- wp:group --><div>${PARAGRAPH}`,
  'a closing comment alone': `<!-- /wp:group -->${PARAGRAPH}<!-- /wp:paragraph -->`,
  'crossing comments': '<!-- wp:group --><!-- wp:quote --><!-- /wp:group --><!-- /wp:quote -->',
  'an unclosed comment': `${PARAGRAPH}<!-- wp:paragraph {"a":1}`,
  'void blocks': '<!-- wp:latest-posts /--> <!-- wp:acme/x {"a":[1,2]} /--><!--wp:spacer/-->',
  'void comments of blocks with content': '<!-- wp:paragraph /--><!-- wp:list /--><!-- wp:image {"id":1} /-->',
  'JSON with escapes':
    '<!-- wp:paragraph {"content":"\\u002d\\u002d \\u003cb\\u003e","url":"a\\/b"} --><p>x</p><!-- /wp:paragraph -->',
  'JSON with a literal tag': '<!-- wp:paragraph {"className":"<b> &"} --><p>x</p><!-- /wp:paragraph -->',
  'JSON that is invalid': '<!-- wp:paragraph {"a":} --><p>x</p><!-- /wp:paragraph -->',
  'JSON with the prototype': '<!-- wp:paragraph {"__proto__":{"a":1}} --><p>x</p><!-- /wp:paragraph -->',
  'JSON that is a list': '<!-- wp:paragraph [1] --><p>x</p><!-- /wp:paragraph -->',
  'numbers that JavaScript rounds': '<!-- wp:image {"id":12345678901234567890, "x":1.0} --><p>x</p><!-- /wp:image -->',
  'nested blocks of one name': `<!-- wp:group --><div class="wp-block-group"><!-- wp:group --><div class="wp-block-group">${PARAGRAPH}</div><!-- /wp:group --></div><!-- /wp:group -->`,
  'HTML that browsers repair': '<!-- wp:paragraph --><p>a<p>b</b></p><table><div><!-- /wp:paragraph -->',
  'an odd paragraph': '<!-- wp:paragraph -->text<p>a</p><div>b</div><!-- /wp:paragraph -->',
  entities: '<!-- wp:paragraph --><p>&copy &nbsp;&nosuch; &#128512; &#x80; AT&T &amp;lt;</p><!-- /wp:paragraph -->',
  'deeply nested blocks': `${'<!-- wp:group --><div>'.repeat(5000)}${'</div><!-- /wp:group -->'.repeat(5000)}`,
  'deeply nested elements': `<!-- wp:paragraph --><p>${'<b>'.repeat(5000)}x${'</b>'.repeat(5000)}</p><!-- /wp:paragraph -->`,
  'many unclosed blocks': '<!-- wp:group -->'.repeat(3000),
  'classic content around blocks': `Hello\n\nworld\n${PARAGRAPH}\n<b>and</b> more\n\n`,
}

for (const [name, content] of Object.entries(STRANGE)) {
  untouched(`keeps its bytes with ${name}`, () => {
    model.readDocument(content, schema).check()
    assert.is(rewritten(content), content)
  })
}

untouched.run()

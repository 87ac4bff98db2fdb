import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { autop } from '../../../../plugins/rendering/content-rendering/autop.ts'
import { htmlPieces, textOf } from '../../../../plugins/rendering/content-rendering/html.ts'
import { growsLinearly } from '../../../helpers/growth.ts'

const paragraphs = suite('paragraphs')

/** Checks the result of each input. */
function becomes(cases: Readonly<Record<string, string>>): void {
  for (const [text, html] of Object.entries(cases)) assert.is(autop(text), html, JSON.stringify(text))
}

paragraphs('end at blank lines, and lines end at breaks', () => {
  becomes({
    one: '<p>one</p>\n',
    'one\ntwo': '<p>one<br />\ntwo</p>\n',
    'one\n\ntwo': '<p>one</p>\n<p>two</p>\n',
    'one\r\n\r\n \t\n\ntwo\r\n': '<p>one</p>\n<p>two</p>\n',
    'one<br />\ntwo': '<p>one<br />\ntwo</p>\n',
    'one<br>\ntwo<br/>three': '<p>one<br />\ntwo<br />three</p>\n',
    'one<br /><br>two<br>\n<br/>\n<br />three': '<p>one</p>\n<p>two</p>\n<p>three</p>\n',
    '<h2>a<br></h2><br />one<br />\n\n<p>two<br /></p>': '<h2>a<br /></h2>\n<p>one</p>\n<p>two</p>\n',
    '<p>one<br /><br />two</p>': '<p>one</p>\n<p>two</p>\n',
    '': '',
    ' \n ': '',
  })
})

paragraphs('contain inline elements and comments', () => {
  becomes({
    'a <em>b\nc</em> d': '<p>a <em>b<br />\nc</em> d</p>\n',
    '<!--more-->': '<p><!--more--></p>\n',
    '<img src="a.png">': '<p><img src="a.png"></p>\n',
    'a <a title="x > y\n\nz">b</a>': '<p>a <a title="x > y\n\nz">b</a></p>\n',
  })
})

paragraphs('are not added around blocks, which end their line', () => {
  becomes({
    '<h2>Title</h2>\ntext': '<h2>Title</h2>\n<p>text</p>\n',
    'text\n<ul><li>a</li><li>b</li></ul>\nmore': '<p>text</p>\n<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n<p>more</p>\n',
    '<div>a</div><div>b</div>': '<div>a</div>\n<div>b</div>\n',
    '<ol><li>a\n<ul><li>b</li></ul>\n</li></ol>': '<ol>\n<li>a\n<ul>\n<li>b</li>\n</ul>\n</li>\n</ol>\n',
    '<table><tr><td>a\nb</td></tr></table>': '<table>\n<tr>\n<td>a<br />\nb</td>\n</tr>\n</table>\n',
    'a<hr>b': '<p>a</p>\n<hr>\n<p>b</p>\n',
    '<p>already</p>\n<p>there</p>': '<p>already</p>\n<p>there</p>\n',
    '<style>\na\n\nb</style>\ntext': '<style>\na\n\nb</style>\n<p>text</p>\n',
    '<map name="m">\n<area href="a" />\n<area href="b">\n</map>':
      '<map name="m">\n<area href="a" />\n<area href="b">\n</map>\n',
    '<figure>\n<img src="a" />\n<figcaption>b</figcaption>\n</figure>':
      '<figure>\n<img src="a" /><figcaption>b</figcaption></figure>\n',
  })
})

paragraphs('are added inside blocks with more than one paragraph', () => {
  becomes({
    '<blockquote>said</blockquote>': '<blockquote><p>said</p></blockquote>\n',
    '<blockquote><p>said</p></blockquote>': '<blockquote>\n<p>said</p>\n</blockquote>\n',
    '<div>one</div>': '<div>one</div>\n',
    '<div>one\n\ntwo</div>': '<div><p>one</p>\n<p>two</p></div>\n',
    '<div>\n\none\n\n</div>': '<div>\n<p>one</p>\n</div>\n',
    '<ul>\n<li>\n\none\n<ul><li>two</li></ul>\n</li>\n</ul>':
      '<ul>\n<li>\n<p>one</p>\n<ul>\n<li>two</li>\n</ul>\n</li>\n</ul>\n',
    '<div><h2>one</h2>\n\ntwo\n\n</div>': '<div>\n<h2>one</h2>\n<p>two</p>\n</div>\n',
  })
})

paragraphs('keep line breaks at the start and end of a block', () => {
  becomes({
    '<div>\n  one\ntwo \n  </div>': '<div>\n  one<br />\ntwo\n  </div>\n',
    '<td>\n<b>one</b>\n</td>': '<td>\n<b>one</b>\n</td>\n',
    '<blockquote>\none\n</blockquote>': '<blockquote><p>\none\n</p></blockquote>\n',
    '<p>\none\n</p>\n\ntwo': '<p>\none\n</p>\n<p>two</p>\n',
  })
})

paragraphs('do not change preformatted text, scripts and embedded objects', () => {
  becomes({
    '<pre>a\n\n  b <i>c</i>\n</pre>': '<pre>a\n\n  b <i>c</i>\n</pre>\n',
    'x <script>\n\nlet a = "</p>"\n</script>': '<p>x <script>\n\nlet a = "</p>"\n</script></p>\n',
    '<video>\n\n<source src="a">\n</video>': '<p><video><source src="a"></video></p>\n',
    '<object>\n<param name="a" />\n\n<embed src="b" />\n</object>\nc':
      '<p><object><param name="a" /><embed src="b" /></object><br />\nc</p>\n',
    '<video src="a">\nno <b>video</b> <i>here</i>\n</video>':
      '<p><video src="a">\nno <b>video</b> <i>here</i></video></p>\n',
    '<select>\n<option>a\n</option>\n</select>': '<p><select><option>a\n</option></select></p>\n',
  })
})

paragraphs('are not added around tags whose element begins or ends elsewhere', () => {
  becomes({
    '<a href="#"><div>block</div></a>': '<a href="#">\n<div>block</div>\n</a>\n',
    '<p>open\n\nnext': '<p>open</p>\n<p>next</p>\n',
    '<p>open<div>block</div>': '<p>open</p>\n<div>block</div>\n',
    'stray</p>': '<p>stray</p>\n',
  })
})

paragraphs('are added around text with an inline element that ends later or never', () => {
  becomes({
    'a <b>bold': '<p>a <b>bold</p>\n',
    '<em>one\n\ntwo</em>': '<p><em>one</p>\n<p>two</em></p>\n',
    'one\n\n<i>two\n\nthree': '<p>one</p>\n<p><i>two</p>\n<p>three</p>\n',
  })
})

paragraphs('keep all text', () => {
  const tags = '<b> </b> <p> </p> <div> </div> <ul> <li> </li> <br> <pre> </pre> <blockquote> <hr />'.split(/(?<=>) /)
  const piece = fc.constantFrom(
    ...tags,
    'a',
    'word ',
    '\n',
    '\n\n',
    '>',
    '"',
    '-->',
    '<!-- x -->',
    '<img alt="x">',
    '&amp;',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join('')
      const letters = (html: string) => textOf(html).replace(/\s+/g, '')
      return letters(autop(text)) === letters(text)
    }),
    { numRuns: 500 },
  )
})

paragraphs('are added in linear time for any text', async () => {
  for (const unit of [
    '<a ',
    '<',
    '<!--',
    '<a "',
    '<p>',
    '</p>',
    '<div>',
    '\n',
    '\n \n',
    '<b>\n\n',
    '<pre>',
    '<br>\n',
    '<br>',
    '<br> ',
    'a<br><br>',
    '<div>\n\n',
    '<li>\na\n',
    ' \n',
    `<a '"`,
    '<script>',
    '&',
  ]) {
    await growsLinearly(unit, (size) => autop(unit.repeat(size / unit.length)))
  }
})

paragraphs('S29: break lines between comments in linear time', async () => {
  await growsLinearly('comments', (count) => autop('<!-- -->\n'.repeat(count)), 60_000)
})

paragraphs('are built from pieces that concatenate to the source', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('<', '>', '!', '-', 'a', '/', '"', "'", ' ', '=', '\n'), maxLength: 60 }),
      (text) => {
        return [...htmlPieces(text)].map((one) => one.text).join('') === text
      },
    ),
  )
})

paragraphs.run()

import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { htmlPieces } from '../../../../plugins/rendering/content-rendering/html.ts'
import { typography as set } from '../../../../plugins/rendering/content-rendering/typography.ts'
import { growsLinearly } from '../../../helpers/growth.ts'

const typography = suite('typography')

/** Returns the result with entities decoded. */
function shown(html: string): string {
  return set(html).replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
}

typography('curls quotes depending on the surrounding characters', () => {
  assert.is(set('She said "no".'), 'She said &#8220;no&#8221;.')
  assert.is(shown(`"'Yes' is one word," (he "knew")`), '“‘Yes’ is one word,” (he “knew”)')
  assert.is(shown("it's the players' turn, rock 'n' roll, 'tis so"), 'it’s the players’ turn, rock ’n’ roll, ’tis so')
  assert.is(shown(`/;:'"?, 'a "b" c'"`), `/;:'”?, ‘a “b” c’”`)
  assert.is(shown("in the '60s, '99 and 1980's"), 'in the ’60s, ’99 and 1980’s')
  assert.is(shown('``typed\'\' &nbsp;"apart"'), '“typed” &nbsp;“apart”')
})

typography('continues quotes across inline tags, and starts again in each block', () => {
  assert.is(shown(`a <b>"word"</b> (<i>"two"</i>), Ann</b>'s`), `a <b>“word”</b> (<i>“two”</i>), Ann</b>’s`)
  assert.is(shown('"<em>all</em>"'), '“<em>all</em>”')
  assert.is(shown('<p>an "open one</p><p>"whole"</p>'), '<p>an “open one</p><p>“whole”</p>')
})

typography('uses primes after numbers, unless a quote is open', () => {
  assert.is(shown(`6'2" tall`), '6′2″ tall')
  assert.is(shown('the "Apollo 9" crew'), 'the “Apollo 9” crew')
})

typography('replaces dashes, ellipses and multiplication signs', () => {
  assert.is(shown('a - b -- c --- d, e--f, well-known'), 'a – b — c — d, e–f, well-known')
  assert.is(shown('xn--bcher-kva <!-- not -- closed'), 'xn--bcher-kva <!-- not — closed')
  assert.is(shown('---- ----- ------'), '—- —– ——')
  assert.is(shown('wait... 150x100 pixels, 3 x 4, 1,000x0.5. (tm)'), 'wait… 150×100 pixels, 3 x 4, 1,000×0.5. ™')
  for (const text of ['0x10', '1x2x3', 'a1x2', '1x2px', '1X2', 'a(tm)', '(TM)']) assert.is(shown(text), text)
})

typography('escapes ampersands that do not begin an entity', () => {
  assert.is(set('a & b &amp; &#38; &x'), 'a &#038; b &amp; &#38; &#038;x')
  assert.is(set('<a href="?a=1&b=2" title="it\'s">x</a>'), '<a href="?a=1&#038;b=2" title="it\'s">x</a>')
})

typography('does not change code, scripts, comments and URLs on their own line', () => {
  for (const html of [
    '<pre>"a" -- <b>b\'s</b> & c</pre>',
    '<code>x && "y"</code>',
    '<script>if (a && "b") c("...")</script>',
    '<!-- a "note" -- here & there -->',
    'https://example.test/a--b/it\'s?"x"',
  ]) {
    assert.is(set(html), html)
  }
  assert.is(shown(`<code>a</code>'s "b"`), '<code>a</code>’s “b”')
})

typography('does not change shortcode tags', () => {
  const tagsIn = (text: string) => [{ start: text.indexOf('['), end: text.indexOf(']') + 1 }]
  assert.is(set('"x" [gallery ids="1"] "y"', tagsIn), '&#8220;x&#8221; [gallery ids="1"] &#8220;y&#8221;')
})

typography('is idempotent, and never changes a tag', () => {
  const part = fc.constantFrom(
    '"',
    "'",
    ' ',
    'a',
    '9',
    '-',
    '--',
    '...',
    '<b>',
    '</b>',
    '<p>',
    '&',
    '&amp;',
    'x',
    '`',
    '(',
    '\n',
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      const once = set(parts.join(''))
      assert.is(set(once), once)
      const tags = (html: string) => [...htmlPieces(html)].filter(({ kind }) => kind !== 'text').map(({ text }) => text)
      assert.equal(tags(once), tags(parts.join('')))
    }),
  )
})

typography('runs in linear time for hostile text', async () => {
  for (const part of [
    '"',
    "'",
    '&',
    '<',
    '<a "',
    '-- ',
    '...',
    `9"`,
    `'9`,
    '1x',
    '`',
    '<!--',
    'https://a\n',
    ' \t',
    '[',
  ]) {
    await growsLinearly(part, (size) => set(part.repeat(size / part.length) + '"'))
  }
})

typography.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  isEmail,
  isIp,
  sanitizeText,
  sanitizeTextarea,
  sanitizeUrl,
} from '../../../../plugins/requests/arguments/formats.ts'

const formats = suite('formats')

formats('reduce a text field to one line of plain text', () => {
  const lines: [text: string, line: string][] = [
    ['plain words, as they are.', 'plain words, as they are.'],
    ['  two\t \nspaces ', 'two spaces'],
    ['<b>bold</b> <a href="x">link</a>', 'bold link'],
    ['a<!-- hidden > -->b', 'ab'],
    ['a<script>alert("<b>")</script>b<STYLE>p{}</STYLE >c', 'abc'],
    ['1 < 2 > 0', '1 &lt; 2 > 0'],
    ['<<b>script>', '&lt;script>'],
    ['open <b', 'open &lt;b'],
    ['50%41 %4%411 100%', '50 100%'],
    ['a\0b\x07c', 'abc'],
    ['İ<b>i</b>', 'İi'],
    ['tom & jerry', 'tom & jerry'],
    ['lone \ud800', 'lone \ufffd'],
  ]
  for (const [text, line] of lines) assert.is(sanitizeText(text), line)
})

formats('keep the line breaks of a textarea field', () => {
  assert.is(sanitizeTextarea(' one\n\n  <i>two</i>\n'), 'one\n\n  two')
})

formats('accept safe URLs and empty all others', () => {
  const urls: [given: string, stored: string][] = [
    ['https://example.com/a?b=c&d[]=%20#e', 'https://example.com/a?b=c&d[]=%20#e'],
    [' example.com ', 'http://example.com'],
    ['localhost:8080/x', 'http://localhost:8080/x'],
    ['/path', '/path'],
    ['#top', '#top'],
    ['?q=1', '?q=1'],
    ['mailto:a@example.com', 'mailto:a@example.com'],
    ['tel:12345', 'tel:12345'],
    ['https://example.com/ä b"<>', 'https://example.com/ä%20b'],
    ['javascript:alert(1)', ''],
    ['java\nscript:alert(1)', ''],
    ['"JavaScript:alert(1)', ''],
    ['\u0001javascript:alert(1)', ''],
    ['data:text/html,x', ''],
    [':x', ''],
    ['', ''],
  ]
  for (const [url, stored] of urls) assert.is(sanitizeUrl(url), stored, url)
})

formats('recognize email addresses', () => {
  for (const text of ['a@example.com', 'first.last+tag@sub.example.co', 'x@xn--bcher-kva.example']) {
    assert.ok(isEmail(text), text)
  }
  const none = [
    '',
    'a',
    'a@b',
    'a b@c.de',
    'a@-b.de',
    '.a@b.de',
    'a..b@c.de',
    'a@b..de',
    '<a@b.de>',
    `${'a'.repeat(250)}@b.de`,
  ]
  for (const text of none) assert.not.ok(isEmail(text), text)
})

formats('recognize IP addresses', () => {
  for (const text of ['0.0.0.0', '192.168.1.1', '::', '::ffff:1.2.3.4']) assert.ok(isIp(text), text)
  for (const text of ['', '1.2.3', '256.1.1.1', '1.2.3.4.5', ':::', '1.2.3.4 ', 'example.com'])
    assert.not.ok(isIp(text), text)
})

formats.run()

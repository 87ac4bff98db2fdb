import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { cleanAltText } from '../../../../plugins/content/media/alt-text.ts'
import { growsLinearly } from '../../../helpers/growth.ts'
import { markupIn } from '../../../xss/unsafe.ts'

const plain = suite('alternative texts')

plain('S31: contain no elements, including elements that appear once others are removed', () => {
  for (const [text, becomes] of [
    ['Hills & <b>lake</b>\n', 'Hills & lake'],
    ['1 < 2 > 0', '1 < 2 > 0'],
    ['<<i>img src=x onerror=alert(1)>', '< img src=x onerror=alert(1)>'],
    ['<<!-- x -->b>k', '< b>k'],
    ['<\u0000b onclick=x>k', 'k'],
    ['<\u0000</i>b>k', '< b>k'],
    ['a<b', 'a'],
    ['a <script>alert(1)</script>lake <STYLE x>p{}</style >by night', 'a lake by night'],
    ['a <script>alert(1)', 'a alert(1)'],
  ] as const) {
    assert.is(cleanAltText(text), becomes, text)
    assert.equal(markupIn(becomes), [])
    assert.is(cleanAltText(becomes), becomes)
  }
})

plain('S29: are sanitized in linear time', async () => {
  for (const unit of ['<', '<b', '<<b>', ' ', '< ', '\u0001<']) {
    await growsLinearly(unit, (size) => cleanAltText(unit.repeat(size / unit.length)))
  }
})

plain.run()

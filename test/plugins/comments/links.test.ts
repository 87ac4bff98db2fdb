import { suite } from 'uvu'
import { linkAddresses } from '../../../plugins/comments/links.ts'
import { changeText } from '../../../plugins/rendering/html.ts'
import { growsLinearly } from '../../growth.ts'

const links = suite('links of comments')

links('S29: are made in time that grows with the text alone', async () => {
  const units = [
    'a',
    'a.',
    'a@',
    'a@a.',
    'www.',
    'http://',
    'http://a.test/(',
    ' http://a)',
    ';',
    '&amp;',
    '<code>',
    '.',
  ]
  for (const unit of units) {
    const text = (size: number) => unit.repeat(size / unit.length)
    const link = (plain: string) => linkAddresses(plain, 'http://home.test')
    await growsLinearly(unit, (size) => changeText(text(size), link, ['a']))
  }
})

links.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fileName } from '../../../../../plugins/content/media/files/file-name.ts'
import { slugify } from '../../../../../plugins/resources/slug.ts'

const names = suite('file names')

names('lose any number of marks at both ends', () => {
  for (const mark of ['.', '-', '_', ' ', '.-_']) {
    const row = mark.repeat(100_000)
    assert.equal(fileName(`${row}photo${row}.JPG`).extension, 'jpg')
    assert.is(fileName(`${row}photo.jpg${row}`).stem, 'photo')
  }
})

names('keep at most thirty combining marks per letter', () => {
  const marks = '\u0301\u0327'.repeat(500_000)
  assert.is(fileName(`a${marks}.jpg`).stem.normalize('NFD')[0], 'a')
  assert.is(slugify(`a${marks} b`), 'a-b')
  assert.is(slugify('Crème brûlée'), 'creme-brulee')
})

names.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fixtureContents, model, schema } from '../../../../helpers/editor-model.ts'
import { CONVERSIONS, converted } from './classic-conversions.ts'

const classic = suite('classic content in the rich editor')

/** The characters of a content without its markup. */
function lettersOf(content: string): string {
  return content.replace(/<!--[^]*?-->|<[^>]*>|\[\/?caption[^\]]*\]|&#?\w+;|[^\p{L}\d]/gu, '')
}

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

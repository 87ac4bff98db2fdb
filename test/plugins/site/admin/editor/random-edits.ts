import type { Node } from '@tiptap/pm/model'
import * as assert from 'uvu/assert'
import { fixtureContents, model, schema } from '../../../../helpers/editor-model.ts'
import { meaningOf, RandomEdits } from '../../../../helpers/random-edits.ts'

/** A document with a block of every type in a nutshell; contents of fixtures are long. */
function documentsOf(count: number): string[] {
  const own = model.insertableBlocks.map((block) => schema.nodeFromJSON(block.create()))
  const every = model.writeDocument(schema.node('doc', null, own))
  const contents = fixtureContents().map(({ content }) => content)
  const short = contents.filter((content) => content.includes('<!-- wp:') && content.length < 20_000)
  return [every, ...short.slice(0, count)]
}

/** Source and content of a block as it was read. */
function remembered(node: Node): string {
  return JSON.stringify({ ...node.toJSON(), attrs: { ...node.attrs, origin: null } })
}

/**
 * Edits documents at random, and checks after every few edits that untouched blocks keep their bytes and that the
 * document is read again as it was. Returns the contents that were written last.
 */
export function checkRandomEdits({ seeds, editsPerSeed }: { seeds: number; editsPerSeed: number }): string[] {
  const documents = documentsOf(60)
  const others = documents.slice(0, 12).map((content) => model.readDocument(content, schema))
  return Array.from({ length: seeds }, (_, seed) => {
    const content = documents[seed % documents.length]!
    const original = model.readDocument(content, schema)
    const sources = new Map(original.children.map((node) => [remembered(node), String(node.attrs['origin'].source)]))
    const edits = new RandomEdits(original, seed, others)
    let written = content
    for (let count = 1; count <= editsPerSeed; count += 1) {
      edits.edit()
      if (count % 5 > 0 && count < editsPerSeed) continue
      const { doc } = edits.state
      const place = `seed ${seed}, edit ${count}`
      written = model.writeDocument(doc)
      const read = model.readDocument(written, schema)
      assert.is(meaningOf(read), meaningOf(doc), place)
      const unused = read.children.map((node) => String(node.attrs['origin'].source))
      for (const node of doc.children) {
        const source = sources.get(remembered(node))
        if (source === undefined || source === '') continue
        const index = unused.indexOf(source)
        assert.ok(index >= 0, `${place}: the block is not written as it was: ${source}`)
        unused.splice(index, 1)
      }
    }
    edits.undoAll()
    if (edits.state.doc.eq(original)) assert.is(model.writeDocument(edits.state.doc), content, `seed ${seed}, undone`)
    return written
  })
}
